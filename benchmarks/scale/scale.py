"""What a fit and a prediction cost from a thousand to a million samples.

    make bench-scale  # the tables of the records
    python benchmarks/scale/scale.py --run FILE --sizes 1000 10000

Every measurement is a process of its own, so that its peak memory is its own, too. The
data are 24 Gaussian clusters of four classes in 10 dimensions, and 20 dimensions of
noise; the Bayes error is known. Times are comparable within one machine only.
"""

import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, arguments_of, print_table, read_lines, run_lines
from fits import in_a_process
from scale_problem import bayes_error, problem
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, FreeEnergyClassifier

COMMITTED = RECORDS / "scale.jsonl"
SIZES = (1000, 10_000, 100_000, 1_000_000)
OURS = "free-energy"
FIELDS = {
    "fit_seconds": ("seconds of a fit", 1),
    "excess": ("points above the Bayes error", 2),
    "rows_per_second": ("samples predicted per second", 0),
    "gigabytes": ("peak GB", 2),
}


def nca(n_jobs):
    neighbors = KNeighborsClassifier(11, n_jobs=n_jobs)
    return make_pipeline(MinMaxScaler(), NCA(random_state=0), neighbors)


METHODS = {
    OURS: lambda n_jobs: FreeEnergyClassifier(n_jobs=n_jobs, random_state=0),
    "forest, 100": lambda n_jobs: RandomForestClassifier(
        100, n_jobs=n_jobs, random_state=0
    ),
    "boosting, histograms": lambda n_jobs: HistGradientBoostingClassifier(
        random_state=0
    ),
    "NCA + k-NN": nca,
}
MOST = {"forest, 100": 300_000}  # samples that a method is asked to learn from


def measure(method, n, n_jobs):
    """Return the results of a fit and its predictions."""
    X, y = problem(n, seed=1)
    Q, truth = problem(10_000 if method == OURS or n <= 100_000 else 1000, seed=2)
    model = METHODS[method](n_jobs)
    METHODS[method](n_jobs).fit(X[:200], y[:200]).predict(Q[:2])  # compiles
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    labels = model.predict(Q)
    predicted = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "fit_seconds": fitted - start,
        "rows_per_second": len(Q) / (predicted - fitted),
        "error": 100 * float(np.mean(labels != truth)),
        "bayes": 100 * float(bayes_error(Q, truth)),
        "gigabytes": peak,
    }


def measured(method, n, n_jobs):
    """Return the results of a job in a process of its own."""
    words = (method, n, n_jobs)
    return in_a_process(__file__, *words, python=sys.executable, n_jobs=n_jobs)


def print_tables(records):
    """Print a table of every field."""
    cells = {}
    for record in records:
        record["excess"] = record["error"] - record["bayes"]
        cells[record["method"], record["n"]] = record
    for field, (title, digits) in FIELDS.items():
        rows = []
        for method in METHODS:
            found = [cells.get((method, n)) for n in SIZES]
            rows.append(
                [method, *(f"{r[field]:.{digits}f}" if r else "" for r in found)]
            )
        print_table([title, *(f"{n:,}" for n in SIZES)], rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        method, n, n_jobs = arguments.one
        print(json.dumps(measure(method, int(n), int(n_jobs))))
        return
    if arguments.run:
        methods = arguments.methods or METHODS
        jobs = [
            {"method": method, "n": n, "n_jobs": arguments.jobs}
            for n in arguments.sizes
            for method in methods
            if n <= MOST.get(method, n)
        ]
        run_lines(jobs, arguments.run, measured)
    print_tables(read_lines(arguments.run or arguments.ours or COMMITTED))


if __name__ == "__main__":
    main()
