"""Coverage and size of 90 % prediction sets, on average over all samples and within classes; prints a table.

    python benchmarks/prediction_sets.py --data-home DATA

Halves of every set, each the training set once, with ``--repeats`` shuffles. "worst class" is the lowest coverage of a
class with at least ``--rows`` samples in the whole set, its hits summed over all halves. Larger sets are sampled.
"""

import argparse
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

from freemetric import FreeEnergyClassifier, datasets
from freemetric.exceptions import DataWarning

SETS = (
    *("balance", "breast", "german", "glass", "heart", "heart-c", "hepatitis", "liver", "newthyroid", "page-blocks"),
    *("pima", "vehicle", "yeast", "anneal", "card", "krkopt", "satimage", "soybean"),
)
ALPHA = 0.1
KINDS = ("marginal", "class")


def samples(name, data_home, most):
    """Samples and class numbers of a set, at most so many, of classes with two samples or more in either half."""
    found = datasets.load(name, data_home)
    X, y = np.asarray(found.X), np.unique(found.y, return_inverse=True)[1]
    some = np.random.default_rng(0).permutation(len(X))[:most]
    X, y = X[some], y[some]
    usable = (np.bincount(y) >= 4)[y]
    return X[usable], np.unique(y[usable], return_inverse=True)[1]


def measured(X, y, repeats, n_replicas):
    """Hits (C,) of every kind of sets by class, how often each class was tested (C,), and mean sizes."""
    n_classes = y.max() + 1
    hits, tested, sizes = {kind: np.zeros(n_classes) for kind in KINDS}, np.zeros(n_classes), {k: [] for k in KINDS}
    for seed in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y):
            model = FreeEnergyClassifier(n_replicas, random_state=seed).fit(X[train], y[train])
            tested += np.bincount(y[test], minlength=n_classes)
            for kind in KINDS:
                sets = model.predict_set(X[test], ALPHA, coverage=kind)
                hits[kind] += np.bincount(y[test], sets[np.arange(len(test)), y[test]], n_classes)
                sizes[kind].append(sets.sum(axis=1).mean())
    return hits, tested, {kind: np.mean(some) for kind, some in sizes.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--replicas", type=int, default=16)
    parser.add_argument("--most", type=int, default=2000, help="samples of a set")
    parser.add_argument("--rows", type=int, default=30, help="samples of a class that is looked at")
    given = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # rare classes are in every set, as the table shows
    print("| set | rows | classes | all, marginal | all, class | worst class, marginal | worst class, class |", end="")
    print(" size, marginal | size, class |\n|---|" + "---|" * 8)
    for name in given.sets:
        X, y = samples(name, given.data_home, given.most)
        hits, tested, sizes = measured(X, y, given.repeats, given.replicas)
        counts = np.bincount(y)
        cells = [f"{hits[kind].sum() / tested.sum():.3f}" for kind in KINDS]
        cells += [f"{(hits[kind] / tested)[counts >= given.rows].min():.2f}" for kind in KINDS]
        cells += [f"{sizes[kind]:.2f}" for kind in KINDS]
        rare = (counts < given.rows).sum()
        classes = f"{len(counts)}" + (f", {rare} rare" if rare else "")
        print(f"| {name} | {len(y)} | {classes} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
