"""Errors of learners and of their kernel forms, and how the width of the kernel was chosen.

    python benchmarks/kernels.py            # two rings, a checkerboard, digits: five times two halves
    python benchmarks/kernels.py --widths   # gamma and n_directions on sets they were chosen on, and on others

Features are scaled to [0, 1] by the half that is learned from, and that half alone chooses k, on two inner folds. The
rings and the checkerboard are two features and no more: what k-NN can do there it can do without learning. They are
learned on one axis as well, and digits on two, where a linear map has nothing to find.
The sets of ``--widths`` are the paper's; put them into a folder and name it in FREEMETRIC_DATA, or they are downloaded.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import load_digits, make_circles
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import LEARNERS, Kernelized, MetricKNeighborsClassifier, datasets
from freemetric.learners.base import one_blas_thread

COMPARED = ("rca", "lda", "lfda", "dmlmj", "anmm", "nca", "lmnn")
FEWER = {"rings": 1, "checkerboard": 1, "digits[:1000]": 2}
CHOSEN_ON = ("rings", "checkerboard", "wine", "sonar", "ionosphere", "glass", "balance", "heart")
CONFIRMED_ON = ("newthyroid", "hepatitis", "zoo", "liver", "dermatology", "breast-w", "vehicle")
WIDTHS = (0.5, 1, 2)  # over the median distance
DIRECTIONS = (20, 50, "auto", None)


def load(name):
    if name == "rings":
        return make_circles(400, noise=0.1, factor=0.5, random_state=0)
    if name == "checkerboard":
        X = np.random.default_rng(0).random((800, 2))
        return X, np.floor(4 * X).sum(axis=1).astype(int) % 2
    if name == "digits[:1000]":
        return tuple(part[:1000] for part in load_digits(return_X_y=True))
    found = datasets.load(name)
    return np.asarray(found.X, dtype=float), np.asarray(found.y)


def made(name, n_components=None):
    learner = LEARNERS[name](n_components)
    return learner.set_params(random_state=0) if "random_state" in learner.get_params() else learner


def errors(learner, X, y, repeats, n_neighbors="auto"):
    """Tasks for the errors of both halves of every repeat, in percent."""
    halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=0).split(X, y)
    return [delayed(error)(learner, X, y, *half, n_neighbors) for half in halves]


def mean(tasks):
    return np.mean(Parallel(n_jobs=-1)(tasks))


def error(learner, X, y, train, test, n_neighbors):
    model = MetricKNeighborsClassifier(clone(learner), n_neighbors, most_neighbors=15, n_folds=2, random_state=0)
    with warnings.catch_warnings(action="ignore"), one_blas_thread():
        return 100 * (1 - make_pipeline(MinMaxScaler(), model).fit(X[train], y[train]).score(X[test], y[test]))


def compare(names):
    """A line for every learner: its error and that of its kernel form, on all axes and on few."""
    titles = [f"{name}{axes}" for name in FEWER for axes in ("", f", {FEWER[name]}d")]
    print(f"| learner | {' | '.join(titles)} |\n|---|{'---|' * len(titles)}", flush=True)
    for name in names:
        cells = []
        for data, few in FEWER.items():
            X, y = load(data)
            for n_components in (None, few):
                learner = made(name, n_components)
                both = [mean(errors(one, X, y, 5)) for one in (learner, Kernelized(learner, random_state=0))]
                cells.append("{:.1f} -> {:.1f}".format(*both))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def choose(names):
    """Mean errors over sets for widths and numbers of directions, k = 3, on all axes and on few."""
    for sets in (CHOSEN_ON, CONFIRMED_ON):
        print(f"\n{', '.join(sets)}\n\n| gamma x median | n_directions | all axes | two axes, or one of two |")
        print("|---|---|---|---|", flush=True)
        data = [load(name) for name in sets]
        for width in (None, *WIDTHS):
            for most in DIRECTIONS if width else ("",):
                means = [mean_error(names, data, width, most, few) for few in (False, True)]
                print(f"| {width or 'plain learners'} | {most} | {means[0]:.2f} | {means[1]:.2f} |", flush=True)


def mean_error(names, data, width, most, few):
    """Over learners, sets and halves, of a width in medians; None: without a kernel."""
    tasks = []
    for name in names:
        for X, y in data:
            learner = made(name, min(2, X.shape[1] - 1) if few else None)
            form = learner if width is None else WideKernel(learner, width, n_directions=most, random_state=0)
            tasks += errors(form, X, y, 1, 3)
    return mean(tasks)


class WideKernel(Kernelized):
    """Kernelized whose gamma is so many times that of the median."""

    def __init__(self, learner=None, width=1.0, *, n_directions="auto", random_state=None):
        super().__init__(learner, n_directions=n_directions, random_state=random_state)
        self.width = width

    def fit(self, X, y=None):
        median = Kernelized(LEARNERS["euclidean"](), n_directions=1, random_state=self.random_state).fit(X).gamma_
        self.gamma = self.width * median
        return super().fit(X, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--widths", action="store_true", help="choose gamma and n_directions")
    parser.add_argument("--learners", nargs="+", choices=tuple(LEARNERS), help="only these")
    arguments = parser.parse_args()
    if arguments.widths:
        choose(arguments.learners or ("rca", "lfda", "dmlmj", "lmnn", "nca"))
    else:
        compare(arguments.learners or [name for name in COMPARED if name in LEARNERS])


if __name__ == "__main__":
    main()
