"""How far above the Bayes error the free-energy classifier and others are, on generated problems with a known one.

    make bench-bayes                                                      # benchmarks/tables/zoo.md from its records
    python benchmarks/bayes.py --run RECORDS --sizes 100 400 --repeats 2  # measure what RECORDS lacks, then the tables
    python benchmarks/bayes.py --run RECORDS --recipe "dict(n_steps=9)"   # a variant, recorded under its own name
    python benchmarks/bayes.py --list                                     # the problems and their Bayes errors

The posterior P(y | x) of every problem is exact, so the excess of a method is a mean over test rows of max P - P(its
label): no label of a test row is drawn, and what is left of chance is the training rows and which test rows they are.
Rows with missing values are filled by medians, with a column of ones and zeros for each that has holes, alike for all.
"""

from resuming import one_thread_each, print_rows, read

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import json
import time
import warnings
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from variants import canonical, changed_recipe, sources
from zoo import PROBLEMS

from freemetric import NCA, FreeEnergyClassifier, MetricKNeighborsClassifier

COMMITTED = Path(__file__).parent / "bayes.jsonl"
OURS = "free-energy"
N_TEST = 4000
FEWEST = 2  # training rows of every class
BEHIND = 1.0  # points that are worth a line


def tuned(model, grid, seed):
    """The best of a grid by three folds, features standardised."""
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    grid = {f"{type(model).__name__.lower()}__{name}": values for name, values in grid.items()}
    return GridSearchCV(make_pipeline(StandardScaler(), model), grid, cv=folds)


def svm(seed, n_features):
    gammas = [factor / n_features for factor in (0.1, 0.3, 1, 3, 10)]
    return tuned(SVC(), {"C": [1, 10, 100], "gamma": gammas}, seed)


def neighbors(seed, n_features):
    return tuned(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9, 15, 25, 40]}, seed)


def nca(seed, n_features):
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA()), random_state=seed)


METHODS = {
    OURS: lambda seed, d: FreeEnergyClassifier(random_state=seed),
    "forest": lambda seed, d: RandomForestClassifier(500, random_state=seed),
    "extra-trees": lambda seed, d: ExtraTreesClassifier(500, random_state=seed),
    "boosting": lambda seed, d: HistGradientBoostingClassifier(random_state=seed),
    "svm": svm,
    "logistic": lambda seed, d: tuned(LogisticRegression(max_iter=1000), {"C": [0.01, 0.1, 1, 10, 100]}, seed),
    "nca": nca,
    "k-nn": neighbors,
}
"""By name: how it is made, from a seed and the number of features. A change of the recipe is a method, too."""


def made(method, seed, n_features):
    if method in METHODS:
        return METHODS[method](seed, n_features)
    return FreeEnergyClassifier(recipe=changed_recipe(method), random_state=seed)


SKLEARN = ("forest", "extra-trees", "boosting", "svm", "logistic", "k-nn")  # whatever our code is


# --- records


def rows_of(name, n, repeat):
    """Training rows and classes, test rows, and the test rows as they were before holes were filled."""
    problem = PROBLEMS[name]
    X, y = problem.sample(n, (repeat, n), FEWEST)
    Q, _ = problem.sample(N_TEST, (repeat, 0))
    if not np.isnan(X).any():
        return X, y, Q, Q
    imputer = SimpleImputer(strategy="median", add_indicator=True).fit(X)
    return imputer.transform(X), y, imputer.transform(Q), Q


def measure(name, n, repeat, method):
    """One fit, scored by the exact posterior; errors are in points."""
    X, y, Q, X_test = rows_of(name, n, repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer rows than folds
        start = time.perf_counter()
        labels = made(method, repeat, X.shape[1]).fit(X, y).predict(Q)
        seconds = time.perf_counter() - start
    problem = PROBLEMS[name]
    return {
        "problem": name,
        "n": n,
        "repeat": repeat,
        "method": method,
        "excess": round(100 * problem.excess(X_test, labels), 4),
        "bayes": round(100 * float(1 - problem.posterior(X_test).max(axis=1).mean()), 4),
        "seconds": round(seconds, 2),
    }


def key(record):
    return record["problem"], record["n"], record["repeat"], record["method"]


def run_missing(path, problems, sizes, repeats, methods, n_jobs=1):
    """Measure what the records lack, the smaller sizes first; every record is written as soon as it is there."""
    known = {key(record) for record in read(path)}
    jobs = [(p, n, r, m) for n, r, p, m in product(sizes, range(repeats), problems, methods)]
    jobs = [job for job in jobs if job not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    made_by = sources()
    records = Parallel(n_jobs, batch_size=1, return_as="generator")(delayed(measure)(*job) for job in jobs)
    for record in records:
        with path.open("a") as file:
            file.write(json.dumps(record | ({} if record["method"] in SKLEARN else {"sources": made_by})) + "\n")


# --- tables


def by_cell(records, n, methods):
    """Excess of every problem that all methods have at this n: {problem: (repeats, methods)}, common repeats only."""
    cells = defaultdict(dict)
    for record in records:
        if record["n"] == n and record["method"] in methods:
            cells[record["problem"], record["repeat"]][record["method"]] = record["excess"]
    table = defaultdict(list)
    for (problem, _), excess in sorted(cells.items(), key=lambda item: item[0][1]):
        if len(excess) == len(methods):
            table[problem].append([excess[method] for method in methods])
    return {problem: np.array(table[problem]) for problem in PROBLEMS if problem in table}


def with_error(differences):
    """Mean and standard error, where there is more than one."""
    error = f" ± {np.std(differences, ddof=1) / np.sqrt(len(differences)):.2f}" if len(differences) > 1 else ""
    return f"{np.mean(differences):+.2f}{error}"


def each_problem(table, n, methods):
    rows = []
    for problem, excess in table.items():
        means = excess.mean(axis=0)
        cells = [f"**{e:.2f}**" if e <= means.min() + 1e-6 else f"{e:.2f}" for e in means]
        rows.append([problem, len(excess), *cells])
    print_rows([f"points above Bayes, N = {n}", "repeats", *methods], rows)


def means(tables, methods):
    """Mean and median excess at every size, how often each is lowest, and ours less every other, paired by problem."""
    rows, differences = [], []
    for n, table in tables.items():
        excess = np.array([cell.mean(axis=0) for cell in table.values()])
        rows.append([f"mean, N = {n}, {len(excess)} problems", *(f"{e:.2f}" for e in excess.mean(axis=0))])
        rows.append([f"median, N = {n}", *(f"{e:.2f}" for e in np.median(excess, axis=0))])
        rows.append([f"lowest, N = {n}", *(excess <= excess.min(axis=1, keepdims=True) + 1e-6).sum(axis=0)])
        differences.append([f"N = {n}", *(with_error(excess[:, 0] - other) for other in excess[:, 1:].T)])
    print_rows(["points above Bayes", *methods], rows)
    print_rows([f"{methods[0]} minus the other, ± standard error over problems", *methods[1:]], differences)


def behind(tables, methods):
    """Where ours is more than a point above the best of the others; the error is that over repeats."""
    rows = []
    for n, table in tables.items():
        for problem, excess in table.items():
            best = 1 + excess[:, 1:].mean(axis=0).argmin()
            difference = excess[:, 0] - excess[:, best]
            if difference.mean() > BEHIND:
                rows.append([n, problem, f"{excess[:, 0].mean():.2f}", methods[best], with_error(difference)])
    print_rows(["N", "problem", f"{methods[0]}, points above Bayes", "best other", "difference"], rows)


def tables(records, methods):
    present = {record["method"] for record in records}
    methods = [method for method in methods if method in present]
    sizes = sorted({record["n"] for record in records})
    found = {n: table for n in sizes if (table := by_cell(records, n, methods))}
    for n, table in found.items():
        each_problem(table, n, methods)
    if len(methods) > 1:
        means(found, methods)
        behind(found, methods)


def list_problems():
    rows = [[name, p.about, f"{100 * p.bayes_error():.1f}"] for name, p in PROBLEMS.items()]
    print_rows(["problem", "what it is", "Bayes error in %"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what these records lack")
    parser.add_argument("--show", metavar="RECORDS", type=Path, default=COMMITTED, help="tables of these records alone")
    parser.add_argument("--list", action="store_true", help="the problems and their Bayes errors")
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="NAME")
    parser.add_argument("--recipe", nargs="+", default=[], help='changes such as "dict(n_steps=9)", each a method')
    parser.add_argument("--sizes", nargs="+", type=int, default=(100, 400, 1600))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    arguments = parser.parse_args()
    methods = [*arguments.methods, *map(canonical, arguments.recipe)]
    if arguments.list:
        list_problems()
        return
    if arguments.run:
        run_missing(arguments.run, arguments.problems, arguments.sizes, arguments.repeats, methods, arguments.jobs)
    records = read(arguments.run or arguments.show)
    tables([record for record in records if record["problem"] in arguments.problems], methods)


if __name__ == "__main__":
    main()
