"""What each part of the two ensembles is worth: every part is taken out, one by one.

    make bench-parts  # the table of the records
    python benchmarks/classification/parts.py --run FILE
    python benchmarks/classification/parts.py --run FILE --quick

The tables are the paper's sets with fewer than 3,000 samples, the six larger ones for
the parts that need many samples, and, where there is one, the pool of pool.py. Half of
the rows of a table are learned from, the others are predicted, and the halves change
places. A run can be stopped, and goes on where it was.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import RECORDS, arguments_of, run_jobs, small_sets
from parts_of_ensembles import (
    CLASSES,
    NUMBERS,
    PARTS,
    changed,
    estimator_without,
)
from parts_table import LARGE, POOL, SMALL, parts_of, print_parts
from pool import pool_tables, table_halves

from freemetric import TableClassifier, TableRegressor
from freemetric.experiments import dataset_names
from freemetric.experiments.protocol import load_source, seed_of, split
from freemetric.experiments.records import Job, read_records, write_records
from freemetric.experiments.runner import fitted_record

COMMITTED = RECORDS / "parts.jsonl.gz"


def tables_by_group():
    """Return the tables of every group; those of a pool have their kind in front."""
    small = small_sets()
    groups = {SMALL: small}
    kinds = pool_tables()
    for kind, title in POOL.items():
        groups[title] = [f"{kind}/{name}" for name in kinds if kinds[name] == kind]
    return {**groups, LARGE: [n for n in dataset_names() if n not in small]}


def jobs_of(groups, wanted):
    """Return the jobs table by table: a run that is stopped is a comparison, too.

    The groups take turns, and the larger sets come last.
    """
    tables = [
        (group == LARGE, turn, group, name)
        for group, names in groups.items()
        for turn, name in enumerate(names)
    ]
    return [
        Job(name, "free-energy", 0, fold, part.name)
        for _, _, group, name in sorted(tables, key=lambda table: table[:2])
        for part in parts_of(group, wanted)
        for fold in range(2)
    ]


def record_of(job, folder):
    """Return the record of an ensemble without a part on half of a table."""
    part = next(part for part in PARTS if part.name == job.setting)
    seed = seed_of(job.repeat, job.fold)
    kind, _, name = job.dataset.rpartition("/")
    with changed(part):
        if not kind:
            halves = split(load_source(name, folder), job.repeat, job.fold)
            return fitted_record(job, estimator_without(part, CLASSES, seed), halves)
        halves = table_halves(name, job.repeat)[job.fold]
        task = NUMBERS if kind == "regression" else CLASSES
        table = TableRegressor if task == NUMBERS else TableClassifier
        estimator = table(estimator_without(part, task, seed))
        return fitted_record(job, estimator, halves)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--share", type=int, default=1, help="one of so many of a pool")
    parser.add_argument("--parts", nargs="+", default=[part.name for part in PARTS])
    arguments = parser.parse_args()
    if arguments.run:
        groups = tables_by_group()
        for group, names in groups.items():
            share = arguments.share if group.startswith("pool") else 1
            names = names[:: 10 if arguments.quick else share]
            wanted = arguments.sets or names
            groups[group] = [name for name in names if name in wanted]
        jobs = jobs_of(groups, arguments.parts)
        run_jobs(jobs, arguments.run, lambda job: record_of(job, arguments.folder))
    records = read_records(arguments.run or arguments.ours or COMMITTED)
    if arguments.save:
        write_records(COMMITTED, records)
    print_parts(records)


if __name__ == "__main__":
    main()
