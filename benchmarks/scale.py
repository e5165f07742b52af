"""What a fit and a prediction cost from a thousand to a million rows, beside what else there is.

    python benchmarks/scale.py --run RECORDS                      # measure what RECORDS lacks, then the tables
    python benchmarks/scale.py --run RECORDS --sizes 1000 10000   # only these
    python benchmarks/scale.py --show RECORDS --draw PICTURE      # the tables alone, and a drawing
    python benchmarks/scale.py --nca                              # a fit beside one NCA of scikit-learn, one thread

Every measurement is a process of its own, so that its peak memory is its own too. The data are 24 Gaussian clusters of
four classes in 10 dimensions, and 20 dimensions of noise; the error of the best possible classifier is known. Times of
different methods are comparable within one run on one machine only.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from resuming import print_rows, read

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
if __name__ == "__main__" and "--threads" in sys.argv:
    for variable in THREADS:
        os.environ[variable] = sys.argv[sys.argv.index("--threads") + 1]

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from freemetric import DMLFE, LMNN, NCA, FreeEnergyClassifier, Recipe

SIZES = (1000, 4000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
N_FEATURES, N_INFORMATIVE, N_CLUSTERS, N_CLASSES = 30, 10, 24, 4
N_TEST = 10_000
OURS = "free-energy"
NEIGHBORS = {"kneighborsclassifier__n_neighbors": [1, 3, 5, 11, 21, 41]}


def clusters():
    """Centres (24, 10) and their classes."""
    rng = np.random.default_rng(7)
    return 1.6 * rng.standard_normal((N_CLUSTERS, N_INFORMATIVE)), rng.integers(
        0, N_CLASSES, N_CLUSTERS
    )


def problem(n, seed):
    centres, classes = clusters()
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, N_CLUSTERS, n)
    X = rng.standard_normal((n, N_FEATURES), dtype=np.float32)
    X[:, :N_INFORMATIVE] += centres[cluster]
    return X, classes[cluster]


def bayes_error(X, y):
    """Of deciding for the class of the largest density."""
    centres, classes = clusters()
    squared = ((X[:, None, :N_INFORMATIVE] - centres) ** 2).sum(axis=2)
    density = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / 2)
    return np.mean((density @ np.eye(N_CLASSES)[classes]).argmax(axis=1) != y)


def knn(n_jobs):
    return make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_jobs=n_jobs))


def tuned_svm(n_jobs):
    grid = {"svc__C": [1, 10, 100], "svc__gamma": [0.003, 0.01, 0.03, 0.1]}
    return GridSearchCV(
        make_pipeline(StandardScaler(), SVC()), grid, cv=3, n_jobs=n_jobs
    )


def large_bags(n_jobs):
    """Everything on the largest bags, and scored on all rows: what the race is to be as good as."""
    recipe = Recipe(smallest_bag=4000, most_searched=10**9)
    return FreeEnergyClassifier(recipe=recipe, n_jobs=n_jobs, random_state=0)


def metric_then_knn(learner):
    def make(n_jobs):
        return make_pipeline(
            MinMaxScaler(),
            learner(random_state=0),
            KNeighborsClassifier(11, n_jobs=n_jobs),
        )

    return make


METHODS = {
    OURS: (lambda n_jobs: FreeEnergyClassifier(n_jobs=n_jobs, random_state=0), None),
    "free-energy, large bags": (large_bags, 30_000),
    "forest, 100": (
        lambda n_jobs: RandomForestClassifier(100, n_jobs=n_jobs, random_state=0),
        300_000,
    ),
    "forest, 500": (
        lambda n_jobs: RandomForestClassifier(500, n_jobs=n_jobs, random_state=0),
        30_000,
    ),
    "extra trees, 500": (
        lambda n_jobs: ExtraTreesClassifier(500, n_jobs=n_jobs, random_state=0),
        30_000,
    ),
    "boosting, histograms": (
        lambda n_jobs: HistGradientBoostingClassifier(random_state=0),
        None,
    ),
    "SVM, tuned": (tuned_svm, 4000),
    "k-NN, k by 3 folds": (
        lambda n_jobs: GridSearchCV(knn(n_jobs), NEIGHBORS, cv=3),
        30_000,
    ),
    "k-NN, k = 11": (
        lambda n_jobs: knn(n_jobs).set_params(kneighborsclassifier__n_neighbors=11),
        None,
    ),
    "NCA + k-NN": (metric_then_knn(NCA), None),
    "LMNN + k-NN": (metric_then_knn(LMNN), None),
    "DMLFE + k-NN": (metric_then_knn(DMLFE), None),
}
"""By name: how it is made, and the most rows it is asked to learn from."""


def peak_gigabytes():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measure(method, n, n_jobs):
    """One fit and its predictions, here and now."""
    X, y = problem(n, seed=1)
    Q, truth = problem(
        N_TEST if method == OURS or n <= 100_000 else N_TEST // 10, seed=2
    )
    model = METHODS[method][0](n_jobs)
    if method.startswith(
        OURS
    ):  # compiled kernels are loaded once a process, whatever the data
        METHODS[method][0](n_jobs).set_params(n_replicas=4).fit(
            X[:200], y[:200]
        ).predict(Q[:2])
    before = peak_gigabytes()
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    model.predict(Q[:2])
    asked = time.perf_counter()
    labels = model.predict(Q)
    predicted = time.perf_counter()
    for row in range(20):
        model.predict(Q[row : row + 1])
    one = (time.perf_counter() - predicted) / 20
    return {
        "method": method,
        "n": n,
        "n_jobs": n_jobs,
        "fit_seconds": fitted - start,
        "first_seconds": asked - fitted,
        "rows_per_second": len(Q) / (predicted - asked),
        "one_row_ms": 1e3 * one,
        "error": 100 * float(np.mean(labels != truth)),
        "bayes": 100 * float(bayes_error(Q, truth)),
        "gigabytes": peak_gigabytes(),
        "gigabytes_before": before,
        "shortlist": getattr(model, "shortlist_", None),
        "replicas": replicas(model) if method == OURS else None,
    }


def replicas(model):
    """How many were sampled on bags of every size."""
    selection = model.selection_
    learns = (selection["n_neighbors"] == 1) & (selection["form"] != "identity")
    sizes = selection["bag_size"][learns]
    return {
        int(size): int(selection["n_replicas"][learns][sizes == size].sum())
        for size in np.unique(sizes)
    }


def run_missing(path, sizes, methods, n_jobs):
    """Measure what the records lack; every record is written as soon as it is there."""
    known = {(r["method"], r["n"], r["n_jobs"]) for r in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    for n in sizes:
        for method in methods:
            most = METHODS[method][1]
            if (method, n, n_jobs) in known or (most is not None and n > most):
                continue
            command = [
                sys.executable,
                __file__,
                "--threads",
                str(n_jobs),
                "--one",
                method,
                str(n),
                str(n_jobs),
            ]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                print(
                    f"{method} at {n}: {done.stderr.strip().splitlines()[-1:]}",
                    flush=True,
                )
                continue
            with path.open("a") as file:
                file.write(done.stdout.strip().splitlines()[-1] + "\n")
            print(done.stdout.strip().splitlines()[-1], flush=True)


def with_excess(record):
    return record | {"excess": record["error"] - record["bayes"]}


def tables(records):
    for n_jobs in sorted({r["n_jobs"] for r in records}):
        some = {
            (r["method"], r["n"]): r | {"excess": r["error"] - r["bayes"]}
            for r in records
            if r["n_jobs"] == n_jobs
        }
        sizes = sorted({n for _, n in some})
        for field, title, digits in (
            ("fit_seconds", "seconds of a fit", 1),
            ("excess", "points above the Bayes error", 2),
            ("rows_per_second", "rows predicted per second", 0),
            ("one_row_ms", "ms for one row", 1),
            ("gigabytes", "peak GB", 2),
        ):
            rows = [
                [
                    method,
                    *(
                        f"{some[method, n][field]:.{digits}f}"
                        if (method, n) in some
                        else ""
                        for n in sizes
                    ),
                ]
                for method in METHODS
                if any((method, n) in some for n in sizes)
            ]
            print_rows(
                [
                    f"{title}, {n_jobs} thread{'s' * (n_jobs > 1)}",
                    *(f"{n:,}" for n in sizes),
                ],
                rows,
            )
        growth(some, sizes)


def growth(some, sizes):
    """How our fit grows: the power of N between neighbouring sizes, and from the smallest to the largest."""
    ours = [(n, some[OURS, n]["fit_seconds"]) for n in sizes if (OURS, n) in some]
    if len(ours) < 2:
        return
    powers = [np.log(b[1] / a[1]) / np.log(b[0] / a[0]) for a, b in pairwise(ours)]
    (n0, t0), (n1, t1) = ours[0], ours[-1]
    whole = np.log(t1 / t0) / np.log(n1 / n0)
    print(
        f"\n{OURS} grows as N to the {', '.join(f'{p:.2f}' for p in powers)}; {whole:.2f} from {n0:,} to {n1:,}"
    )


# --- a model of the cost

GRADIENTS, SEARCHES, LISTED, MOST_SCORED, MOST_SEARCHED, ROWS_OF_A_CELL = (
    88,
    10,
    32,
    4000,
    16_384,
    256,
)


def work(record):
    """Pairs times coordinates: in gradients on lists, in searches of lists and scores, and in cells of the index."""
    N, d = record["n"], N_FEATURES
    bags = [(int(size), count) for size, count in record["replicas"].items()]
    gradients = sum(count * GRADIENTS * size * LISTED * 2 * d for size, count in bags)
    lists = sum(count * SEARCHES * size**2 * d for size, count in bags)
    scored = sum(
        count * min(N, MOST_SCORED) * min(N, MOST_SEARCHED) * d for _, count in bags
    )
    cells = N * N / ROWS_OF_A_CELL * d if N >= 65_536 else 0
    return np.array([gradients, lists + scored, cells]) / 1e9


def check_model(records):
    """Seconds for a billion pairs times coordinates of each kind, fitted to all sizes, and what they make of each."""
    from scipy.optimize import nnls

    for n_jobs in sorted({r["n_jobs"] for r in records}):
        ours = [
            r
            for r in records
            if r["method"] == OURS and r["n_jobs"] == n_jobs and r.get("replicas")
        ]
        if len(ours) < 4:
            continue
        A, t = (
            np.array([work(r) for r in ours]),
            np.array([r["fit_seconds"] for r in ours]),
        )
        prices, _ = nnls(A / t[:, None], np.ones(len(t)))
        rows = [
            [f"{r['n']:,}", f"{s:.1f}", f"{m:.1f}"]
            for r, s, m in zip(ours, t, A @ prices, strict=True)
        ]
        print_rows([f"rows, {n_jobs} threads", "seconds", "model"], rows)
        print(
            "seconds for 1e9: gradients {:.3f}, searches {:.3f}, cells {:.3f}".format(
                *prices
            )
        )


def draw(records, path):
    """Seconds of a fit and rows predicted a second against the number of rows."""
    import matplotlib.pyplot as plt

    n_jobs = max(r["n_jobs"] for r in records)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    colors = dict(
        zip(
            METHODS,
            [
                "#c0392b",
                *plt.get_cmap("tab20").colors[::2],
                *plt.get_cmap("Set2").colors,
            ],
            strict=False,
        )
    )
    fields = (
        ("fit_seconds", "seconds of a fit"),
        ("rows_per_second", "rows predicted per second"),
        ("excess", "points above the Bayes error"),
    )
    records = [with_excess(r) for r in records]
    for axis, (field, title) in zip(axes, fields, strict=True):
        for method in METHODS:
            some = sorted(
                (r["n"], r[field])
                for r in records
                if r["method"] == method and r["n_jobs"] == n_jobs
            )
            if len(some) > 1:
                style = {
                    "color": colors[method],
                    "lw": 2.5 if method == OURS else 1,
                    "zorder": 2 + (method == OURS),
                }
                axis.plot(
                    *zip(*some, strict=True), marker="o", ms=3, label=method, **style
                )
        axis.set(xscale="log", yscale="log", title=title, xlabel="training rows")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=8
    )
    figure.savefig(path)


def beside_nca(repetitions=5):
    """One thread, one run; the two take turns, so that both meet the same machine."""
    rows = []
    for N, d in ((1000, 30), (4000, 10)):
        X, y = make_classification(
            N, d, n_informative=min(10, d - 2), n_classes=4, random_state=0
        )
        X = MinMaxScaler().fit_transform(X)
        FreeEnergyClassifier(n_replicas=4, random_state=0).fit(
            X[:200], y[:200]
        )  # loads compiled kernels
        pairs = []
        for seed in range(repetitions if N <= 1000 else 1):
            start = time.process_time()
            FreeEnergyClassifier(random_state=seed).fit(X, y)
            middle = time.process_time()
            NeighborhoodComponentsAnalysis(random_state=seed).fit(X, y)
            pairs.append((middle - start, time.process_time() - middle))
        ours, theirs = np.median(pairs, axis=0)
        rows.append(
            [f"{N} x {d}", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"]
        )
    print_rows(
        ["seconds of one thread", OURS, "one NCA of scikit-learn", "ratio"], rows
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--run", metavar="RECORDS", type=Path, help="measure what these records lack"
    )
    parser.add_argument(
        "--show",
        metavar="RECORDS",
        type=Path,
        help="tables of these records, nothing measured",
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--jobs", type=int, default=2, help="threads of every method")
    parser.add_argument("--draw", metavar="PICTURE", type=Path, help="draw the records")
    parser.add_argument(
        "--nca", action="store_true", help="a fit beside one NCA of scikit-learn"
    )
    parser.add_argument("--threads", help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        method, n, n_jobs = arguments.one
        print(json.dumps(measure(method, int(n), int(n_jobs))))
        return
    if arguments.nca:
        if "--threads" not in sys.argv:  # libraries read it when they are loaded
            subprocess.run(
                [sys.executable, __file__, "--threads", "1", "--nca"], check=True
            )
            return
        beside_nca()
        return
    if not (arguments.run or arguments.show):
        parser.error("say where the records are to be: --run RECORDS")
    if arguments.run:
        run_missing(arguments.run, arguments.sizes, arguments.methods, arguments.jobs)
    records = read(arguments.run or arguments.show)
    tables(records)
    check_model(records)
    if arguments.draw:
        draw(records, arguments.draw)


if __name__ == "__main__":
    main()
