"""What more replicas buy: error, Brier score and time against their number.

    python benchmarks/classification/effort.py  # the table of the records
    python benchmarks/classification/effort.py --run out/effort.jsonl
    python benchmarks/classification/effort.py --ours out/effort.jsonl --save

The tables, halves and seeds are those of parts.py, without the larger sets. A forest of
500 trees is fitted to the same halves.
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from command import RECORDS, arguments_of, print_table, run_jobs
from parts import tables_by_group
from parts_of_ensembles import CLASSES, NUMBERS
from parts_table import LARGE, brier, error, group_of
from pool import table_halves
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.experiments.protocol import Split, load_source, seed_of, split
from freemetric.experiments.records import Job, read_records, write_records
from freemetric.experiments.runner import fitted_record
from freemetric.tables import TableEncoder

COMMITTED = RECORDS / "effort.jsonl.gz"
FOREST = "forest"
SETTINGS = ("6", "12", "36", "100", FOREST)


def estimator_of(setting, task, seed):
    """Return an ensemble with so many replicas, or a forest."""
    if setting == FOREST:
        forest = RandomForestClassifier if task == CLASSES else RandomForestRegressor
        return forest(500, n_jobs=1, random_state=seed)
    ours = FreeEnergyClassifier if task == CLASSES else FreeEnergyRegressor
    return ours(int(setting), n_jobs=1, random_state=seed)


def encoded(half):
    """Return a half of a data frame as arrays of numbers."""
    encoder = TableEncoder().fit(half.X, half.y)
    arrays = [np.asarray(encoder.transform(X)) for X in (half.X, half.X_test)]
    return Split(arrays[0], half.y, arrays[1], half.y_test)


def record_of(job, folder):
    """Return the record of a setting on half of a table."""
    kind, _, name = job.dataset.rpartition("/")
    task = NUMBERS if kind == "regression" else CLASSES
    if kind:
        half = encoded(table_halves(name, job.repeat)[job.fold])
    else:
        half = split(load_source(name, folder), job.repeat, job.fold)
    seed = seed_of(job.repeat, job.fold)
    return fitted_record(job, estimator_of(job.setting, task, seed), half)


def print_effort(records):
    """Print the mean of every group of tables."""
    groups = defaultdict(list)
    for record in records:
        groups[group_of(record.job.dataset), record.job.setting].append(record)
    rows = []
    for (group, setting), found in groups.items():
        means = [np.mean([of(record) for record in found]) for of in (error, brier)]
        took = np.mean([record.seconds for record in found])
        name = setting if setting == FOREST else f"{setting} replicas"
        cells = ["" if np.isnan(mean) else f"{mean:.2f}" for mean in means]
        rows.append([group, name, *cells, f"{took:.2f}"])
    commits = sorted({record.versions.get("commit", "") for record in records})
    made = "`python benchmarks/classification/effort.py --run FILE`"
    print(f"Records made by {made} at the commits {', '.join(commits)}.")
    head = ["tables", "", "error, or 1 - R2, in %", "Brier in %", "seconds"]
    print_table(head, rows)


def main():
    arguments = arguments_of(__doc__).parse_args()
    if arguments.run:
        tables = tables_by_group()
        names = [name for group in tables if group != LARGE for name in tables[group]]
        jobs = [
            Job(name, "free-energy", 0, fold, setting)
            for name in names
            if not arguments.sets or name in arguments.sets
            for setting in SETTINGS
            for fold in range(2)
        ]
        run_jobs(jobs, arguments.run, lambda job: record_of(job, arguments.folder))
    records = read_records(arguments.run or arguments.ours or COMMITTED)
    order = {setting: place for place, setting in enumerate(SETTINGS)}
    records.sort(key=lambda r: (group_of(r.job.dataset), order[r.job.setting], r.job))
    if arguments.save:
        write_records(COMMITTED, records)
    print_effort(records)


if __name__ == "__main__":
    main()
