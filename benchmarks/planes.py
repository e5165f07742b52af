"""How well five nearest neighbours do on a plane that each learner chose, and how planes are cut out of whole metrics.

    python benchmarks/planes.py                                      # every learner, on digits
    python benchmarks/planes.py --sets vehicle vowel                 # on the paper's data sets
    python benchmarks/planes.py --all --learners anmm                # in all dimensions
    python benchmarks/planes.py --cuts --sets vehicle vowel          # three rules for whole metrics

Digits are halved by even and odd rows, other sets twice at random; features are scaled to [0, 1] by the half that is
learned from, and accuracies are those on the other half. At most 2,500 rows of a set are taken.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from freemetric import LEARNERS
from freemetric.datasets import load
from freemetric.learners.linear_algebra import map_of
from freemetric.metric_learn import LSML_Supervised

WHOLE = ("lsml", "mmc", "sdml", "scml")
MOST_ROWS = 2500
OTHERS = {
    "anmm of 3 and 1": ("anmm", {"n_neighbors": 3, "n_others": 1}),
    "anmm of 30": ("anmm", {"n_neighbors": 30, "n_others": 30}),
}


def halves(name):
    """X, y, new X and their truth, once or twice."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return [(X[::2] / 16, y[::2], X[1::2] / 16, y[1::2])]
    data = load(name)
    return [half(data.X, data.y, seed) for seed in (0, 1)]


def half(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS]
    ours, others = order[::2], order[1::2]
    scaler = MinMaxScaler().fit(X[ours])
    return scaler.transform(X[ours]), y[ours], scaler.transform(X[others]), y[others]


def accuracy(A, X, y, new, truth):
    return KNeighborsClassifier(5).fit(X @ A.T, y).score(new @ A.T, truth)


def fitted(name, X, y, **parameters):
    model = LEARNERS[name](**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model.fit(X, y)


def planes(X, y, learners, dimensions):
    """A map to so many dimensions of every learner, and of some with other parameters."""
    named = {name: (name, {}) for name in LEARNERS if "n_components" in LEARNERS[name]().get_params()} | OTHERS
    for title, (name, parameters) in named.items():
        if name in learners:
            yield title, fitted(name, X, y, n_components=dimensions, **parameters).components_
    if "lsml" in learners:  # whose quadruplets weigh one in all; it has no parameter for the dimensions
        M = LSML_Supervised(random_state=0).fit(X, y).get_mahalanobis_matrix()
        yield "lsml as metric-learn has it, largest eigenvalues", map_of(M, dimensions)


def cuts(X, y):
    """Planes of whole metrics, by three rules."""
    for name in WHOLE:
        model = fitted(name, X, y)
        A = map_of(model.get_mahalanobis_matrix())
        Z = X @ A.T
        yield f"{name}, largest eigenvalues", A[:2]
        yield f"{name}, largest variances of the images", np.linalg.svd(Z - Z.mean(axis=0))[2][:2] @ A
        yield f"{name}, contrast", model.components_[:2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=["digits"])
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), help="only these")
    parser.add_argument("--all", action="store_true", help="all dimensions instead of two")
    parser.add_argument("--cuts", action="store_true", help="rules by which planes are cut out of whole metrics")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    table = {}
    for name in arguments.sets:
        for X, y, new, truth in halves(name):
            chosen = planes(X, y, arguments.learners, None if arguments.all else 2)
            for method, A in cuts(X, y) if arguments.cuts else chosen:
                table.setdefault(method, {}).setdefault(name, []).append(accuracy(A, X, y, new, truth))
    print("| | " + " | ".join([*arguments.sets, "mean"]) + " |\n|---|" + "---|" * (len(arguments.sets) + 1))
    for method, found in table.items():
        means = [np.mean(values) for values in found.values()]
        print(f"| {method} | " + " | ".join(f"{mean:.3f}" for mean in [*means, np.mean(means)]) + " |")


if __name__ == "__main__":
    main()
