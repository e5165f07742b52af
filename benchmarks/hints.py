"""Why the free-energy classifier is behind on a problem of the zoo: what it gains from a hint that names what it lacks.

    python benchmarks/hints.py --sizes 100 400 --repeats 2     # two sizes, two repeats

A hint is something that is known of the problem and that the classifier cannot find by itself: other coordinates, fewer
features, one k, or another way to vote. Rows are those of benchmarks/bayes.py. Votes are alone here (densities=()): the
classes as wholes are themselves an answer to some of these hints.
"""

import os

if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"

import argparse
import warnings
from functools import partial

import numpy as np
from bayes import markdown, rows_of
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_classif, mutual_info_classif
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from zoo import PROBLEMS

from freemetric import FreeEnergyClassifier, Recipe


def ours(seed, **changes):
    return FreeEnergyClassifier(recipe=Recipe(**{"densities": (), **changes}), random_state=seed)


def with_squared_norm(X):
    return np.column_stack([X, (X**2).sum(axis=1)])


def sines(X):
    return np.sin(2 * np.pi * X)


def products():
    return make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))


def best_by_information(k, seed):
    return SelectKBest(partial(mutual_info_classif, random_state=seed), k=k)


def after(step):
    """The classifier behind a step that is made from the seed."""
    return lambda seed: make_pipeline(step(seed), ours(seed))


HINTS = {
    "rotated-blocks": ("whitened", after(lambda seed: PCA(whiten=True))),
    "nested": ("the squared norm as a feature", after(lambda seed: FunctionTransformer(with_squared_norm))),
    "one-of-hundreds": ("10 features by mutual information", after(lambda seed: best_by_information(10, seed))),
    "sparse-linear": ("20 features by F values", after(lambda seed: SelectKBest(f_classif, k=20))),
    "quadratic": ("products of features as features", after(lambda seed: products())),
    "rectangles": ("full maps of steps, too", lambda seed: ours(seed, candidates=(*Recipe().candidates, "steps/full"))),
    "missing": ("whitened, indicators included", after(lambda seed: PCA(whiten=True))),
    "waves": ("sines of the features", after(lambda seed: FunctionTransformer(sines))),
    "two-scales": ("plain distance, k = 1", lambda seed: ours(seed, candidates=("scaled/identity",), n_neighbors=1)),
    "letters": ("the nearest class centre, nothing learned", lambda seed: NearestCentroid()),
    "wide": ("the nearest class centre, nothing learned", lambda seed: NearestCentroid()),
}
"""By problem: what the hint is, and how the classifier that has it is made from a seed."""


def excess(name, n, repeat, make):
    X, y, Q, judged = rows_of(name, n, repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * PROBLEMS[name].excess(judged, make(repeat).fit(X, y).predict(Q))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=list(HINTS), default=list(HINTS), metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, default=(100, 400))
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.problems:
        hint, make = HINTS[name]
        cells = [
            f"{np.mean([excess(name, n, repeat, method) for repeat in range(arguments.repeats)]):.2f}"
            for n in arguments.sizes
            for method in (ours, make)
        ]
        rows.append([name, hint, *cells])
    columns = [f"N = {n}, {what}" for n in arguments.sizes for what in ("as it is", "with the hint")]
    markdown(["points above Bayes", "hint", *columns], rows)


if __name__ == "__main__":
    main()
