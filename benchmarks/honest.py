"""Honest error on four data sets that ship with scikit-learn: 5 x 2 splits, k never chosen on the test half.

make bench-honest        # or: python benchmarks/honest.py --repeats 1
"""

import argparse
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, NCA, Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.exceptions import DataWarning


def knn(learner):
    """k-NN in a learned space, k by refitting inner folds, features scaled to [0, 1] on what is learned."""
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), learner), random_state=0)


METHODS = {
    "Euclidean k-NN": lambda seed: knn(Euclidean()),
    "scikit-learn NCA + k-NN": lambda seed: knn(NeighborhoodComponentsAnalysis(random_state=seed)),
    "NCA + k-NN": lambda seed: knn(NCA()),
    "DMLFE + k-NN": lambda seed: knn(DMLFE(random_state=seed)),
    "FreeEnergyClassifier": lambda seed: FreeEnergyClassifier(random_state=seed),
    "random forest": lambda seed: RandomForestClassifier(100, random_state=seed),
}


def datasets():
    digits = load_digits()
    yield "wine", *load_wine(return_X_y=True)
    yield "iris", *load_iris(return_X_y=True)
    yield "digits[:1000]", digits.data[:1000], digits.target[:1000]
    yield "breast_cancer", *load_breast_cancer(return_X_y=True)


def error_and_seconds(make, X, y, train, test, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DataWarning)
        start = time.perf_counter()
        model = make(seed).fit(X[train], y[train])
        return 100 * np.mean(model.predict(X[test]) != y[test]), time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="repeats of two-fold cross-validation")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    arguments = parser.parse_args()
    sets = list(datasets())
    print("| honest error in % | " + " | ".join(name for name, *_ in sets) + " | mean | seconds a split |")
    print("|---|" + "---|" * (len(sets) + 2), flush=True)
    for method in arguments.methods:
        means, seconds = [], []
        for _, X, y in sets:
            splits = [
                (train, test, seed)
                for seed in range(arguments.repeats)
                for train, test in StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y)
            ]
            results = Parallel(n_jobs=2)(
                delayed(error_and_seconds)(METHODS[method], X, y, train, test, seed) for train, test, seed in splits
            )
            errors, times = zip(*results, strict=True)
            means.append(np.mean(errors))
            seconds.append(np.mean(times))
        cells = [f"{e:.2f}" for e in [*means, np.mean(means)]]
        print(f"| {method} | " + " | ".join(cells) + f" | {np.mean(seconds):.2f} |", flush=True)


if __name__ == "__main__":
    main()
