"""Where the free-energy classifier stands among methods from outside: trees, boosting, pytabkit; defaults and tuned.

    python benchmarks/outside.py --run FOLDER --data-home DATA --jobs 2      # fits what FOLDER lacks, then the tables
    python benchmarks/outside.py --show FOLDER                               # the tables of its records alone
    python benchmarks/outside.py --list                                      # the methods, and what each needs

The 29 data sets under 3,000 samples, the halves of the committed records, and features as these have them. Everything
is chosen on the training half. Tables use the splits that all methods shown have. Free energy, the forest of 100 trees,
boosting and the SVM are the committed records; ``--ours RECORDS`` takes others for the first.
"""

from resuming import one_thread_each

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import sys
import time
import warnings
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed
from outside_methods import METHODS, refusal
from outside_tables import tables

from freemetric.bench.protocol import halves, scores
from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.bench.results import load_compact, save_compact
from freemetric.bench.runner import claim
from freemetric.datasets import info, list_datasets, load
from freemetric.extras import library_versions, versions
from freemetric.tabular.limits import described

HERE = Path(__file__).parent
OURS = "free-energy"
COMMITTED = {
    HERE / "paper" / "records.jsonl.gz": (OURS, "rf"),
    HERE / "accuracy" / "references.jsonl.gz": ("svm", "hist-boosting"),
}
OUTSIDE = HERE / "accuracy" / "outside.jsonl.gz"
SMALL = 3000  # samples
REPEATS = 5


def small_sets():
    return [name for name in list_datasets() if info(name).rows < SMALL]


def plan(sets, methods, repeats):
    """All fits, the first repeat of everything first: tables can then be looked at early."""
    order = product(range(repeats), sets, methods, range(2))
    return [BenchJob(name, method, repeat, fold, METHODS[method].setting) for repeat, name, method, fold in order]


# --- fits


def evaluate(job, X, y):
    """Fit on the job's half, score on the other; nothing of the test half is seen before."""
    train, test = halves(y, job.repeat)[job.fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries about names of features
        start = time.perf_counter()
        model = METHODS[job.method].make(2 * job.repeat + job.fold).fit(X[train], y[train])
        found = scores(model, X[test], y[test])
        seconds = time.perf_counter() - start
    chosen = getattr(model, "parameters_", {}) | ({"rounds": model.rounds_} if hasattr(model, "rounds_") else {})
    return Record(
        job,
        **found,
        seconds=seconds,
        parameters=chosen,
        shape=(len(train), X.shape[1], int(y.max()) + 1),
        versions=versions() | library_versions("lightgbm", "catboost", "torch", "pytabkit", "xgboost", "xrfm"),
    )


def make_record(job, folder, data_home=None):
    """A line about what went wrong, or None. A record that is there stays; one that another runner makes is left."""
    path = job.path(folder)
    with claim(path) as mine:
        if not mine or path.exists():
            return None
        try:
            data = load(job.dataset, data_home)
            evaluate(job, data.X, data.y).write(folder)
        except Exception as problem:  # a failed fit is a result, too
            Record(job, failure=described(problem), versions=versions()).write(folder)
            return f"{job.dataset}, {job.method}, repeat {job.repeat}, fold {job.fold}: {described(problem)}"
    return None


def run_missing(jobs, folder, data_home=None, n_jobs=1):
    """Make the records that the folder lacks; problems are printed as they come."""
    left = [job for job in jobs if not job.path(folder).exists()]
    make = delayed(make_record)
    for problem in Parallel(n_jobs, batch_size=1, return_as="generator_unordered")(
        make(job, folder, data_home) for job in left
    ):
        if problem:
            print(problem, flush=True)


# --- records


def read_records(path):
    """Of a folder, or of a compact file."""
    return read_all(path)[0] if Path(path).is_dir() else load_compact(path)


def all_records(outside, ours=None):
    """Those from outside beside the committed ones, or beside others of ours."""
    records = [r for path, methods in COMMITTED.items() for r in load_compact(path) if r.job.method in methods]
    if ours is not None:
        records = [r for r in records if r.job.method != OURS]
        records += [r for r in read_records(ours) if r.job.method == OURS]
    return records + [r for r in outside if r.job.method in METHODS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FOLDER", type=Path, help="fit what this folder of records lacks")
    parser.add_argument("--show", metavar="RECORDS", type=Path, default=OUTSIDE, nargs="?", const=OUTSIDE)
    parser.add_argument("--ours", metavar="RECORDS", type=Path, help=f"records of {OURS} instead of the committed ones")
    parser.add_argument("--save", metavar="FILE", type=Path, help="put all records shown from outside into one file")
    parser.add_argument("--list", action="store_true", help="the methods, and what each needs")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="NAME")
    parser.add_argument("--sets", nargs="+", choices=small_sets(), default=small_sets(), metavar="NAME")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    arguments = parser.parse_args()
    if arguments.list:
        for name, method in METHODS.items():
            print(f"{name}: {method.about}{f' (needs {method.needs})' if method.needs else ''}")
        return
    if arguments.run:
        refused = {name: reason for name in arguments.methods if (reason := refusal(name))}
        print(*refused.values(), sep="\n", end="\n" if refused else "", file=sys.stderr)
        methods = [name for name in arguments.methods if name not in refused]
        if not methods:
            sys.exit(1)
        jobs = plan(arguments.sets, methods, arguments.repeats)
        run_missing(jobs, arguments.run, arguments.data_home, arguments.jobs)
    source = arguments.run or arguments.show
    if not source.exists():
        sys.exit(f"There are no records at {source.name}: --run FOLDER makes some, --show FOLDER reads them.")
    outside = [r for r in read_records(source) if r.job.method in arguments.methods and r.job.dataset in arguments.sets]
    if arguments.save:
        save_compact(outside, arguments.save)
    tables(all_records(outside, arguments.ours), OURS)


if __name__ == "__main__":
    main()
