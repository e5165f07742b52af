"""Tables as they are, with categories and gaps: TableClassifier and TableRegressor against boosting and networks.

    python benchmarks/mixed.py                                     # the tables of the committed records
    python benchmarks/mixed.py --run FOLDER                        # fits what FOLDER lacks
    python benchmarks/mixed.py --show FOLDER --save FILE.jsonl.gz  # tables of a folder, packed into one file
    python benchmarks/mixed.py --run FOLDER --methods freemetric --label freemetric-new   # another source tree
    python benchmarks/mixed.py --list                              # the tables, their sources, licences and roles
    python benchmarks/mixed.py --draw                              # docs/images/mixed-light.svg and -dark.svg

Two stratified halves of every table (plain halves for regression); every method learns on one and is scored on the
other. All methods see the same rows and columns (mixed_data.py); mixed_methods.py says what they do with gaps. Seconds
are the process time of fit and prediction on one thread. Comparisons use the splits that all methods shown have.
"""

from resuming import one_thread_each, print_rows

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from mixed_data import TABLES, is_installed, load_table
from mixed_methods import FOREST, METHODS, OURS, refusal
from outside_tables import FIELDS, against, by_set, common, means, standings

from freemetric.bench import protocol, regression
from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.bench.results import load_compact, save_compact
from freemetric.bench.runner import claim
from freemetric.extras import library_versions, versions
from freemetric.tabular.limits import WARM, Limits, limited

COMMITTED = Path(__file__).parent / "mixed.jsonl.gz"
LIBRARIES = ("pandas", "lightgbm", "catboost", "xgboost", "torch", "pytabkit", "xrfm")
PRELOAD = ["freemetric.bench.runner", "sklearn.ensemble", "lightgbm", "catboost", "pytabkit"]  # once for all fits
SECONDS = 300  # most of one fit
ENOUGH = 0.9  # a method with a smaller share of the splits is left out, or it would take splits from all others
BEHIND = 1.0  # points of error, or of R2, that are worth a line
OF_TASK = {
    "classification": FIELDS,
    "regression": {"unexplained": ("1 - R2 in %", 2, 1), "mae": ("MAE in % of the standard deviation", 2, 1)},
}


def plan(names, methods, label=None, folds=(0, 1)):
    """(job, method) of all fits, the first half of all tables first."""
    order = product(folds, methods, names)
    return [(BenchJob(name, label or method, 0, fold), method) for fold, method, name in order]


# --- fits


def halves(name, y):
    """(train, test) of both folds, the same for every method."""
    return (protocol if TABLES[name].task == "classification" else regression).halves(y, 0)


def evaluate(job, method):
    """Fit on the job's half, score on the other."""
    X, y, classes = load_table(job.dataset)
    train, test = halves(job.dataset, y)[job.fold]
    with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")  # of columns that are left out; and libraries print about their progress
        wall, start = time.perf_counter(), time.process_time()
        model = METHODS[method](job.fold, "Regressor" if classes is None else "Classifier")
        model.fit(X.iloc[train], y[train])
        predicted = (model.predict if classes is None else model.predict_proba)(X.iloc[test])
        seconds, wall = time.process_time() - start, time.perf_counter() - wall
    if classes is not None and not np.array_equal(model.classes_, np.arange(len(classes))):
        raise ValueError(f"the model knows the classes {model.classes_}")
    return Record(
        job,
        **scores(y[test], np.asarray(predicted, dtype=float), classes is not None),
        seconds=round(seconds, 3),
        parameters={"wall_seconds": round(wall, 3)},
        shape=(len(train), X.shape[1], len(classes or ())),
        versions=versions() | library_versions(*LIBRARIES),
    )


def scores(y, predicted, is_classification):
    """Fields of a record: those of probabilities (N, C), or of predicted numbers."""
    if is_classification:
        error = round(100 * float(np.mean(predicted.argmax(axis=1) != y)), 6)
        return {"errors": [error], "honest_error": error, **protocol.probability_scores(predicted, y)}
    errors, spread = y - predicted.ravel(), float(y.std())
    rmse = float(np.sqrt(np.mean(errors**2)))
    return {"r2": 1 - (rmse / spread) ** 2, "mae": float(abs(errors).mean()), "rmse": rmse, "spread": spread}


def write_record(job, method, folder):
    evaluate(job, method).write(folder)


def run_missing(fits, folder, seconds=SECONDS):
    """Make the records that the folder lacks, each in a process of its own; failed fits are recorded and printed."""
    preload = [*PRELOAD, *([WARM] if any(method == OURS for _, method in fits) else [])]
    for job, method in fits:
        path = job.path(folder)
        with claim(path) as mine:
            if not mine or path.exists():
                continue
            start = time.perf_counter()
            failure = limited(write_record, job, method, folder, limits=Limits(seconds), preload=preload).failure
            if failure:
                Record(job, failure=failure, versions=versions() | library_versions(*LIBRARIES)).write(folder)
            said = failure or f"{time.perf_counter() - start:.1f} s"
            print(f"{job.method}, {job.dataset}, {job.fold}: {said}", flush=True)


# --- tables


def read_records(path):
    """Of a folder, or of a compact file."""
    records = read_all(path)[0] if Path(path).is_dir() else load_compact(path)
    order = list(METHODS)
    return sorted(records, key=lambda r: (order.index(r.job.method) if r.job.method in order else len(order), r.job))


def enough(records):
    """Records of the methods that have nearly all splits; a line says which ones are left out."""
    counts = pd.Series([r.job.method for r in records if not r.failure]).value_counts()
    few = counts[counts < ENOUGH * counts.max()]
    for method, count in few.items():
        print(f"left out: {method}, which has {count} of {counts.max()} splits")
    return [r for r in records if r.job.method not in few.index]


def tables(records, ours=OURS):
    """All tables, for each task: over all sets, then apart for those that choose and those that confirm."""
    for record in records:
        if record.failure:
            job = record.job
            print(f"failed: {job.method} on {job.dataset}, fold {job.fold}: {record.failure}")
    for task, fields in OF_TASK.items():
        first = next(iter(fields))
        of_task = enough([r for r in records if TABLES[r.job.dataset].task == task])
        of_task = common(of_task, first) if of_task else []
        if not of_task:
            print(f"No split of {task} has a record of every method.")
            continue
        for role in ("all", "choosing", "confirming"):
            some = [r for r in of_task if role in ("all", TABLES[r.job.dataset].role)]
            if some:
                means(some, fields, f"{task}, {role}: mean")
                if ours in by_set(some, first):
                    against(some, ours, fields, f"{task}, {role}: ")
        standings(of_task, fields, FOREST)
        sets_table(of_task, task, first)
        if ours in by_set(of_task, first):
            losses(of_task, task, first, ours)


def sets_table(records, task, field):
    """Every method on every table, the best in bold."""
    shapes = {r.job.dataset: (2 * r.shape[0], r.shape[1]) for r in records}
    rows = []
    for name, row in by_set(records, field).iterrows():
        cells = [f"**{value:.2f}**" if value == row.min() else f"{value:.2f}" for value in row]
        rows.append([name, *shapes[name], TABLES[name].role, *cells])
    methods = list(by_set(records, field))
    print_rows([f"{OF_TASK[task][field][0]}", "samples", "columns", "role", *methods], rows)


def losses(records, task, field, ours):
    """Tables where another method is ahead of ours by a point or more."""
    rows = []
    for name, row in by_set(records, field).iterrows():
        other = row.drop(ours).idxmin()
        if row[ours] - row[other] >= BEHIND:
            rows.append((name, TABLES[name].role, row[ours], other, row[other], row[ours] - row[other]))
    rows.sort(key=lambda row: -row[-1])
    cells = [[f"{cell:.2f}" if isinstance(cell, float) else cell for cell in row] for row in rows]
    print_rows([f"{task}: where it loses", "role", ours, "best other", "its", "points"], cells)


def list_tables():
    names = ["table", "task", "source", "licence", "target", "dropped", "role", "here"]
    rows = []
    for table in TABLES.values():
        dropped = "; ".join(f"{column}: {why}" for column, why in table.dropped.items())
        about = [table.name, table.task, table.source, table.license, table.target, dropped, table.role]
        rows.append([*about, "yes" if is_installed(table.name) else "no"])
    print_rows(names, rows)


def draw(records, ours=OURS):
    """Error against seconds, a panel for each task."""
    from error_seconds import save

    panels = {}
    for task, fields in OF_TASK.items():
        field, (name, _, _) = next(iter(fields.items()))
        some = common(enough([r for r in records if TABLES[r.job.dataset].task == task]), field)
        panels[f"{task}: {name}, mean"] = pd.DataFrame({f: by_set(some, f).mean() for f in (field, "seconds")})
    save(panels, "mixed", (ours,))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FOLDER", type=Path, help="fit what this folder of records lacks")
    parser.add_argument("--show", metavar="RECORDS", type=Path, default=COMMITTED, help="a folder or a compact file")
    parser.add_argument("--save", metavar="FILE", type=Path, help="put all records shown into one file")
    parser.add_argument("--list", action="store_true", help="the tables, their sources, licences and roles")
    parser.add_argument("--draw", action="store_true", help="draw error against seconds")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="NAME")
    parser.add_argument("--label", help="another name for the only method, such as one of another source tree")
    parser.add_argument("--ours", default=OURS, metavar="NAME", help="the method that others are compared with")
    parser.add_argument("--sets", nargs="+", choices=list(TABLES), default=list(TABLES), metavar="NAME")
    parser.add_argument("--role", choices=("choosing", "confirming"), help="only tables of this role")
    parser.add_argument("--folds", nargs="+", type=int, choices=(0, 1), default=[0, 1], help="halves to learn on")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="most seconds of one fit")
    arguments = parser.parse_args()
    sets = [name for name in arguments.sets if arguments.role in (None, TABLES[name].role)]
    if arguments.list:
        list_tables()
        return
    if arguments.label and len(arguments.methods) > 1:
        parser.error("--label names one method: give one with --methods")
    if arguments.run:
        refused = {name: reason for name in arguments.methods if (reason := refusal(name))}
        print(*refused.values(), sep="\n", end="\n" if refused else "", file=sys.stderr)
        here = [name for name in sets if is_installed(name)]
        lacking = sorted({TABLES[name].package for name in sets} - {TABLES[name].package for name in here})
        if lacking:
            print(f"{len(sets) - len(here)} tables need {', '.join(lacking)}", file=sys.stderr)
        methods = [name for name in arguments.methods if name not in refused]
        fits = plan(here, methods, arguments.label, arguments.folds)
        run_missing(fits, arguments.run, arguments.seconds)
        return
    if not arguments.show.exists():
        sys.exit(f"There are no records at {arguments.show.name}: --run FOLDER makes some, --show FOLDER reads them.")
    records = read_records(arguments.show)
    records = [r for r in records if r.job.dataset in sets and r.job.fold in arguments.folds]
    if arguments.methods != list(METHODS):
        records = [r for r in records if r.job.method in arguments.methods]
    if arguments.save:
        save_compact(records, arguments.save)
    if arguments.draw:
        draw(records, arguments.ours)
    else:
        tables(records, arguments.ours)


if __name__ == "__main__":
    main()
