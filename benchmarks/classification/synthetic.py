"""How far above the Bayes error classifiers are, on 32 problems where it is known.

    make bench-bayes  # the tables of the committed records
    python benchmarks/classification/synthetic.py --run FILE
    python benchmarks/classification/synthetic.py --ours FILE --save
    python benchmarks/classification/synthetic.py --list

The excess of a method is the mean over 4,000 test samples of max P - P(its label) in
points. Rows with gaps are filled by medians, alike for all methods.
"""

import sys
import time
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import (
    arguments_of,
    committed,
    on_common_splits,
    print_table,
    run_jobs,
    save_ours,
    sets_of,
)
from records_tables import by_split, print_versions
from sklearn.impute import SimpleImputer
from synthetic_methods import METHODS, OURS
from zoo import PROBLEMS

from freemetric.experiments.protocol import Split
from freemetric.experiments.records import Job, Record, provenance
from freemetric.experiments.runner import one_thread

N_TEST = 4000
FEWEST = 2  # training samples of every class
BEHIND = 1.0  # points that are worth a line
REPEATS = {100: 2, 400: 2, 1600: 1}  # by the number of training samples


def samples_of(name, n, repeat):
    """Return a split without gaps, and the test samples as they were drawn."""
    problem = PROBLEMS[name]
    X, y = problem.sample(n, (repeat, n), FEWEST)
    drawn, y_test = problem.sample(N_TEST, (repeat, 0))
    if not np.isnan(X).any():
        return Split(X, y, drawn, y_test), drawn
    imputer = SimpleImputer(strategy="median", add_indicator=True).fit(X)
    return Split(imputer.transform(X), y, imputer.transform(drawn), y_test), drawn


def record_of(job):
    """Return the record of a fit: its excess over the Bayes error, in points."""
    name, _, n = job.dataset.rpartition("-")
    split, drawn = samples_of(name, int(n), job.repeat)
    estimator = METHODS[job.method](job.repeat, split.X.shape[1])
    start = time.process_time()
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer samples than folds
        labels = estimator.fit(split.X, split.y).predict(split.X_test)
    bayes = 1 - PROBLEMS[name].posterior(drawn).max(axis=1).mean()
    return Record(
        job,
        excess=round(100 * PROBLEMS[name].excess(drawn, labels), 4),
        noise=round(100 * float(bayes), 4),
        seconds=time.process_time() - start,
        shape=[*split.X.shape, int(split.y.max()) + 1],
        versions=provenance(),
    )


def jobs_of(methods, problems):
    """Return the jobs of a run, the smaller sizes first."""
    return [
        Job(f"{name}-{n}", method, repeat)
        for n, repeats in REPEATS.items()
        for repeat in range(repeats)
        for name in problems
        for method in methods
    ]


def excess_at(records, n):
    """Return the excess (problems and repeats x methods) at a size."""
    some = [r for r in records if int(r.job.dataset.rpartition("-")[2]) == n]
    table = by_split(on_common_splits(some), lambda record: record.excess)
    table = table[[method for method in METHODS if method in table]]
    return table.rename(index=lambda name: name.rpartition("-")[0], level=0)


def print_tables(records):
    """Print means at all sizes, every problem, and where ours is behind."""
    print_versions(records, OURS)
    tables = {n: excess_at(records, n) for n in REPEATS}
    rows = []
    for n, table in tables.items():
        means = table.groupby(level=0).mean()
        cells = [f"{mean:.2f}" for mean in means.mean()]
        rows.append([f"mean, N = {n}, {len(means)} problems", *cells])
        lowest = means.le(means.min(axis=1) + 1e-6, axis=0).sum()
        rows.append([f"lowest, N = {n}", *lowest])
    print_table(["points above Bayes", *tables[100]], rows)
    rows = []
    for n, table in tables.items():
        for name, excess in table.groupby(level=0):
            other = excess.drop(columns=OURS).mean().idxmin()
            gap = excess[OURS].mean() - excess[other].mean()
            if gap > BEHIND:
                rows.append(
                    [n, name, f"{excess[OURS].mean():.2f}", other, f"{gap:.2f}"]
                )
    print_table(["N", "problem", f"{OURS}, points", "best other", "ahead by"], rows)
    for n, table in tables.items():
        means = table.groupby(level=0).mean()
        rows = [[name, *(f"{e:.2f}" for e in row)] for name, row in means.iterrows()]
        print_table([f"points above Bayes, N = {n}", *means], rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--list", action="store_true", help="the problems")
    arguments = parser.parse_args()
    if arguments.list:
        rows = [
            (n, p.about, f"{100 * p.bayes_error():.1f}") for n, p in PROBLEMS.items()
        ]
        print_table(["problem", "what it is", "Bayes error in %"], rows)
        return
    if arguments.run:
        jobs = jobs_of(arguments.methods or METHODS, sets_of(arguments, PROBLEMS))
        run_jobs(jobs, arguments.run, record_of, arguments.jobs)
        return
    records = committed("synthetic", OURS, arguments.ours)
    if arguments.save:
        save_ours("synthetic", OURS, records)
    print_tables(records)


if __name__ == "__main__":
    main()
