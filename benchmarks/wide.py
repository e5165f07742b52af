"""Tables with more than 500 features: test error, seconds and peak memory, beside other methods.

    python benchmarks/wide.py                                        # benchmarks/tables/wide.md from its records
    python benchmarks/wide.py --run RECORDS --repeats 2              # measure what RECORDS lacks, then the tables
    python benchmarks/wide.py --run RECORDS --problems CONFIRMING    # once: what nothing was chosen on

Problems are generated, each a distribution from which training rows and 1,000 test rows are drawn. Every fit has a
process of its own, whose peak memory is that of the fit, the prediction and all that was imported. Seconds are those of
one core.
"""

from resuming import one_thread_each, read

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import json
import subprocess
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

COMMITTED = Path(__file__).parent / "wide.jsonl"
N_TEST = 1000
JOB = ("repeat", "problem", "method")


# --- problems: functions of (rng, n) that draw rows; what does not change between repeats is drawn from FIXED


def fixed():
    return np.random.default_rng(0)


def sparse_linear(rng, n, d):
    """Six features of d decide, by their weighted sum."""
    X = rng.standard_normal((n, d))
    return X, rng.random(n) < 1 / (1 + np.exp(-X[:, :6] @ [2, -2, 1.5, -1.5, 1, 1]))


def one_of_many(rng, n, d):
    """One feature decides, with a little noise."""
    X = rng.standard_normal((n, d))
    return X, X[:, 0] + 0.3 * rng.standard_normal(n) > 0


def low_rank(rng, n, d):
    """Five blobs in ten dimensions, turned into d features, with a little noise."""
    centres, basis = 1.2 * fixed().standard_normal((5, 10)), fixed().standard_normal((10, d))
    y = rng.integers(5, size=n)
    return (centres[y] + rng.standard_normal((n, 10))) @ basis + rng.standard_normal((n, d)), y


def words(rng, n, d):
    """Counts of words in texts of four kinds, with some words that are more frequent in each."""
    frequency = 1 / np.arange(10, 10 + d)
    tables = np.tile(frequency, (4, 1))
    favourites = fixed().permutation(d)[: 4 * (d // 40)].reshape(4, -1)
    np.put_along_axis(tables, favourites, 4 * frequency[favourites], axis=1)
    y = rng.integers(4, size=n)
    return rng.poisson(150 * tables[y] / tables.sum(axis=1)[y][:, None]).astype(float), y


def genes(rng, n, d):
    """Blocks of twenty features that vary together; four blocks differ between two classes."""
    y = np.arange(n) % 2
    common = rng.standard_normal((n, d // 20))
    common[:, :4] += 0.9 * y[:, None]
    return np.sqrt(0.6) * np.repeat(common, 20, axis=1) + np.sqrt(0.4) * rng.standard_normal((n, d // 20 * 20)), y


def sphere(rng, n, d):
    """One class around the other in four features of d."""
    X = rng.standard_normal((n, d))
    return X, (X[:, :4] ** 2).sum(axis=1) > 3.36


def dense_linear(rng, n, d):
    """All features decide, each a little."""
    X = rng.standard_normal((n, d))
    return X, X @ fixed().standard_normal(d) / np.sqrt(d) + 0.3 * rng.standard_normal(n) > 0


def curves(rng, n, d):
    """Spectra: sums of wide peaks; in one class a narrow peak stands a little farther right."""
    y, at = np.arange(n) % 2, np.linspace(0, 1, d)
    wide = sum(rng.random((n, 1)) * np.exp(-(((at - c) / 0.15) ** 2)) for c in (0.2, 0.5, 0.8))
    narrow = np.exp(-(((at - 0.6 - 0.01 * y[:, None] - 0.006 * rng.standard_normal((n, 1))) / 0.02) ** 2))
    return wide + 0.3 * narrow + 0.02 * rng.standard_normal((n, d)), y


def fingerprints(rng, n, d):
    """Bits, a tenth of them set; a class has at least two of five."""
    X = (rng.random((n, d)) < 0.1).astype(float)
    X[:, :5] = rng.random((n, 5)) < 0.35
    return X, X[:, :5].sum(axis=1) >= 2


CHOOSING = {
    "six of 490 features, 400 rows": (sparse_linear, 400, 490),
    "six of 600 features, 400 rows": (sparse_linear, 400, 600),
    "one of 1,000 features, 200 rows": (one_of_many, 200, 1000),
    "blobs in 10 of 1,000 dimensions, 200 rows": (low_rank, 200, 1000),
    "counts of 2,000 words, 200 rows": (words, 200, 2000),
    "blocks of 2,000 genes, 100 rows": (genes, 100, 2000),
}
CONFIRMING = {
    "a sphere in 4 of 600 features, 300 rows": (sphere, 300, 600),
    "all of 600 features, 300 rows": (dense_linear, 300, 600),
    "spectra of 700 channels, 100 rows": (curves, 100, 700),
    "bits of 1,024, 200 rows": (fingerprints, 200, 1024),
}
LARGEST = {
    "six of 600 features, 1,600 rows": (sparse_linear, 1600, 600),
    "blocks of 5,000 genes, 100 rows": (genes, 100, 5000),
}
PROBLEMS = {"CHOOSING": CHOOSING, "CONFIRMING": CONFIRMING, "LARGEST": LARGEST}
EVERY = CHOOSING | CONFIRMING | LARGEST


# --- methods


def free_energy(**parameters):
    from freemetric import FreeEnergyClassifier

    return FreeEnergyClassifier(random_state=0).set_params(**parameters)


def extra_trees():
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(500, random_state=0)


def boosting():
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


def logistic():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    grid = {"logisticregression__C": [1e-4, 1e-3, 1e-2, 1e-1, 1]}
    return GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)), grid, cv=3)


AXES = ["axes/identity", "axes/diagonal", "axes/full", "axes/full/nca"]
METHODS = {
    "free-energy": free_energy,
    "on axes alone": lambda: free_energy(recipe__candidates=AXES),
    "extra trees": extra_trees,
    "boosting": boosting,
    "logistic": logistic,
}


def measured(problem, method, repeat):
    """Error in %, seconds and megabytes of one fit, in this process."""
    import resource

    draw, n, d = EVERY[problem]
    rng = np.random.default_rng(1 + repeat)
    (X, y), (Q, z) = draw(rng, n, d), draw(rng, N_TEST, d)
    warnings.simplefilter("ignore")
    start = time.process_time()
    wrong = METHODS[method]().fit(X, y.astype(int)).predict(Q) != z
    seconds, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"error": round(100 * float(wrong.mean()), 2), "seconds": round(seconds, 1), "megabytes": round(peak)}


def run_missing(path, problems, methods, repeats):
    known = [tuple(record[name] for name in JOB) for record in read(path)]
    for repeat, problem, method in product(range(repeats), problems, methods):
        if (repeat, problem, method) not in known:
            code = f"import json, wide; print(json.dumps(wide.measured({problem!r}, {method!r}, {repeat})))"
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=HERE)
            line = {"repeat": repeat, "problem": problem, "method": method, **json.loads(done.stdout)}
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")


HERE = Path(__file__).parent


def show(records):
    """Mean error of every problem and method; seconds and megabytes of ours."""
    table = pd.DataFrame(records)
    errors = table.pivot_table(index="problem", columns="method", values="error")
    costs = table[table["method"] == "free-energy"].groupby("problem")[["seconds", "megabytes"]].max()
    methods = [method for method in METHODS if method in errors]
    print(f"| test error in % | {' | '.join(methods)} | seconds | MB |\n|{'---|' * (len(methods) + 3)}")
    for problem in [problem for problem in EVERY if problem in costs.index]:
        cells = [f"{error:.1f}" for error in errors.loc[problem, methods]] + [
            f"{cost:.0f}" for cost in costs.loc[problem]
        ]
        print(f"| {problem} | {' | '.join(cells)} |".replace("nan", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--problems", choices=PROBLEMS, default="CHOOSING")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=1, help="draws of every problem")
    arguments = parser.parse_args()
    if arguments.run:
        run_missing(arguments.run, PROBLEMS[arguments.problems], arguments.methods, arguments.repeats)
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
