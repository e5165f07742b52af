"""What each part of the two ensembles is worth: every part is taken out, one by one.

    make bench-parts                                        # the table of the records
    python benchmarks/parts.py --run out/parts.jsonl
    python benchmarks/parts.py --run out/parts.jsonl --quick  # a tenth of the tables

The tables are the paper's sets with fewer than 3,000 samples, the six larger ones for
the parts that need many samples, and, where there is one, the pool of pool.py. Half of
the rows of a table are learned from, the others are predicted, and the halves change
places. A run can be stopped, and goes on where it was.
"""

import numpy as np
import pandas as pd
from command import RECORDS, arguments_of, print_table, run_jobs, small_sets
from parts_of_ensembles import (
    CLASSES,
    NOTHING,
    NUMBERS,
    PARTS,
    changed,
    estimator_without,
)
from pool import KINDS, pool_tables, table_halves

from freemetric import TableClassifier, TableRegressor
from freemetric.experiments import dataset_names
from freemetric.experiments.protocol import load_source, seed_of, split
from freemetric.experiments.records import Job, read_records, write_records
from freemetric.experiments.runner import fitted_record
from freemetric.experiments.statistics import wilcoxon

COMMITTED = RECORDS / "parts.jsonl.gz"
SMALL = "the paper's sets under 3,000 samples"
LARGE = "the paper's sets of 3,000 samples and more"


def tables_by_group():
    """Return the names of the tables of every group."""
    small = small_sets()
    groups = {SMALL: small}
    kinds = pool_tables()
    for kind, title in KINDS.items():
        groups[f"pool, {title}"] = [f"pool/{n}" for n in kinds if kinds[n] == kind]
    return {**groups, LARGE: [n for n in dataset_names() if n not in small]}


def parts_of(group, wanted):
    """Return the parts that are measured on a group."""
    task = NUMBERS if group.endswith(NUMBERS) else CLASSES
    return [
        part
        for part in PARTS
        if part.name in (*wanted, NOTHING)
        and part.task in (task, None)
        and (part.of_large_sets or group != LARGE)
    ]


def jobs_of(groups, wanted):
    """Return the jobs, all of one table after those of another."""
    return [
        Job(name, "free-energy", 0, fold, part.name)
        for group, names in groups.items()
        for name in names
        for part in parts_of(group, wanted)
        for fold in range(2)
    ]


def record_of(job, folder):
    """Return the record of an ensemble without a part on half of a table."""
    part = next(part for part in PARTS if part.name == job.setting)
    seed = seed_of(job.repeat, job.fold)
    with changed(part):
        if not job.dataset.startswith("pool/"):
            halves = split(load_source(job.dataset, folder), job.repeat, job.fold)
            return fitted_record(job, estimator_without(part, CLASSES, seed), halves)
        halves = table_halves(job.dataset.removeprefix("pool/"), job.repeat)[job.fold]
        has_numbers = halves.y.dtype.kind == "f"
        estimator = estimator_without(part, NUMBERS if has_numbers else CLASSES, seed)
        table = TableRegressor if has_numbers else TableClassifier
        return fitted_record(job, table(estimator), halves)


# --- the table


def losses(records, names, of):
    """Return the mean loss of every table without every part, a DataFrame."""
    cells = [
        (r.job.dataset, r.job.setting, of(r))
        for r in records
        if r.job.dataset in names and not r.failure
    ]
    frame = pd.DataFrame(cells, columns=["table", "part", "loss"])
    return frame.pivot_table(index="table", columns="part", values="loss")


def error(record):
    """Return the error in %, or the unexplained variance in %."""
    if record.r2 is None:
        return record.honest_error
    return 100 * (1 - record.r2)


def brier(record):
    """Return the Brier score in %, NaN of a regression."""
    return np.nan if record.brier is None else 100 * record.brier


def compared(table, part):
    """Return the mean difference without a part, and wins, ties, losses and p."""
    pair = table[[NOTHING, part]].dropna()
    test = wilcoxon(pair, NOTHING).loc[part]
    difference = (pair[part] - pair[NOTHING]).mean()
    counts = f"{test.losses:.0f}-{test.ties:.0f}-{test.wins:.0f}"
    return [f"{difference:+.2f}", counts, f"{test.p_value:.2g}"]


def print_parts(records, groups):
    """Print a table of every group: what changes without a part."""
    for group, names in groups.items():
        error_of, brier_of, seconds = (
            losses(records, names, of) for of in (error, brier, lambda r: r.seconds)
        )
        if NOTHING not in error_of:
            continue
        is_regression = group.endswith(NUMBERS)
        rows = []
        for part in (p.name for p in parts_of(group, error_of.columns)):
            if part == NOTHING or part not in error_of:
                continue
            of_brier = [] if is_regression else compared(brier_of, part)
            both = seconds[[NOTHING, part]].dropna().sum()
            ratio = f"{both[part] / both[NOTHING]:.2f}"
            rows.append([part, *compared(error_of, part), *of_brier, ratio])
        what = "1 - R2 in %" if is_regression else "error in %"
        counts = "better-equal-worse"
        head = ["without", what, counts, "p"]
        head += [] if is_regression else ["Brier in %", counts, "p"]
        mean = error_of[NOTHING].mean()
        title = f"{group}: {len(error_of)} tables, {what} {mean:.2f} without a change"
        print_table([*head, "time ratio"], rows, title[0].upper() + title[1:])


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the tables")
    parser.add_argument("--share", type=int, default=1, help="one of so many of a pool")
    parser.add_argument("--parts", nargs="+", default=[part.name for part in PARTS])
    arguments = parser.parse_args()
    groups = tables_by_group()
    if arguments.run:
        for group, names in groups.items():
            share = arguments.share if group.startswith("pool") else 1
            groups[group] = names[:: 10 if arguments.quick else share]
        jobs = jobs_of(groups, arguments.parts)
        run_jobs(jobs, arguments.run, lambda job: record_of(job, arguments.folder))
    records = read_records(arguments.run or arguments.ours or COMMITTED)
    if arguments.save:
        write_records(COMMITTED, records)
    print_parts(records, groups)


if __name__ == "__main__":
    main()
