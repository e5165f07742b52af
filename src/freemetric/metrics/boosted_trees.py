"""Boosted trees: sums of shallow trees of single features, beside the votes of neighbours.

A linear map weighs a feature alike everywhere. Where thresholds decide, and which feature counts depends on another, a
few trees say what no distance can (Friedman 2001).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..files import register
from ..files.checks import check_array, is_count, is_number, require
from ..kernels import cpu_kernels
from .class_densities import ClassDensity, register_class_density
from .trends import TRENDS, Trend

N_TREES, DEPTH, RATE = 40, 4, 0.2
N_FOLDS = 5  # of cross-fitting; a tenth of the samples more would hardly make better trees, and cost twice as much
FEWEST = 200  # samples
MOST_FEATURES = 1000  # more cost more than the metrics
MOST_ROWS = 16_384  # that trees of a target learn from
MOST_BINS, ROWS_OF_A_BIN = 255, 2  # a bin is a byte
COLUMNS, FEW_COLUMNS = 0.5, 8  # share of the features that a tree may look at; all where there are few
LEAST_WEIGHT, RIDGE = 5.0, 1.0  # of a leaf, in samples

Slopes = Callable[[NDArray], tuple[NDArray, NDArray]]  # of sums (N, C): forces that lower the loss, and its curvatures


class Trees(NamedTuple):
    """Complete binary trees: at an inner node a sample goes right where its feature is above the threshold."""

    features: NDArray[np.int32]  # (T, n_inner)
    thresholds: NDArray[np.float64]  # (T, n_inner), infinite where a node parts no samples
    leaves: NDArray[np.float64]  # (T, n_inner + 1, C)

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Sums (n, C) of the leaves that samples X (n, d) reach."""
        out = np.zeros((len(X), self.leaves.shape[2]))
        cpu_kernels().add_leaves(np.ascontiguousarray(X, dtype=np.float64), *self, out)
        return out

    @classmethod
    def boosted(cls, X: NDArray, start: NDArray, slopes: Slopes, weights: NDArray | None = None) -> "Trees":
        """Trees that follow the slopes of a loss of sums (N, C) of rows X (N, d) with weights (N,), one by one.

        A leaf is Newton's step for its rows, times a rate. Splits follow the forces along one random direction of the
        C sums, which costs as much as one sum (Iosipoi and Vakhrushev 2022). Features come in at most 255 bins.
        """
        (N, d), C, n_inner, rng = X.shape, start.shape[1], 2**DEPTH - 1, np.random.default_rng(0)
        thresholds, sums = thresholds_of(X), start.copy("F")  # rows are short: numpy is faster along columns
        bins = np.array([np.searchsorted(own, x) for own, x in zip(thresholds, X.T, strict=True)], dtype=np.uint8)
        w = np.ones(N) if weights is None else weights / weights.mean()
        shared = w.astype(np.float32), thresholds.shape[1] + 1, (np.float32(LEAST_WEIGHT), np.float32(RIDGE))
        splits, leaves = np.empty((N_TREES, 2, n_inner), np.int32), np.empty((N_TREES, n_inner + 1, C))
        node = np.empty(N, np.int32)
        for split, leaf in zip(splits, leaves, strict=True):
            force, curvature = slopes(sums) if weights is None else (w[:, None] * part for part in slopes(sums))
            along = force @ rng.standard_normal(C) if C > 2 else force[:, 0]  # two classes pull in opposite directions
            columns = rng.permutation(d)[: max(FEW_COLUMNS, round(COLUMNS * d))]
            cpu_kernels().grow_tree(bins, columns, along.astype(np.float32), *shared, split, node)
            leaf[:] = RATE * _per_node(node, force, n_inner + 1) / (_per_node(node, curvature, n_inner + 1) + RIDGE)
            sums += leaf.T.take(node, axis=1).T
        beyond = np.column_stack([thresholds, np.full((d, 2), np.inf)])  # after the last bin, and after no bin at all
        features, last = splits.swapaxes(0, 1)
        return cls(features.copy(), beyond[features, last], leaves)

    def check(self, n_features: Any, n_sums: int | None = None) -> None:
        """ValueError where parts of a file do not fit together."""
        require(is_count(n_features), "n_features of trees", "is no number of features")
        check_array(self.leaves, "leaves of trees", 3)
        T, n_leaves, C = self.leaves.shape
        is_complete = n_leaves > 1 and n_leaves & (n_leaves - 1) == 0
        fits = T and C and is_complete and n_sums in (None, C) and self.leaves.dtype == np.float64
        require(fits, "leaves of trees", "have another shape")
        check_array(self.features, "features of trees", 2, (T, n_leaves - 1), "i")
        known = self.features.dtype == np.int32  # compiled code reads these types alone
        inside = known and self.features.min() >= 0 and self.features.max() < n_features
        require(inside, "features of trees", "are others than the samples have")
        known = type(self.thresholds) is np.ndarray and self.thresholds.dtype == np.float64
        fits = known and self.thresholds.shape == self.features.shape and not np.isnan(self.thresholds).any()
        require(fits, "thresholds of trees", "have another shape, or are no numbers")


def thresholds_of(X: NDArray) -> NDArray[np.float64]:
    """Thresholds (d, n_bins - 1) between the bins of every feature, ascending, infinite where it needs fewer.

    They lie midway between two values of rows X (N, d). Every value has a bin of its own where there are few, or
    about equally many rows are in every bin.
    """
    n_bins = int(np.clip(len(X) // ROWS_OF_A_BIN, 2, MOST_BINS))
    at = np.linspace(0, len(X), n_bins + 1)[1:-1].astype(int)
    out = np.full((X.shape[1], n_bins - 1), np.inf)
    for own, ordered in zip(out, np.sort(np.ascontiguousarray(X.T, dtype=np.float64), axis=1), strict=True):
        values = ordered[np.append(True, ordered[1:] > ordered[:-1])]
        above = np.arange(1, len(values))  # the first value after every border
        if len(values) > n_bins:
            above = np.unique(np.searchsorted(values, ordered[at]).clip(min=1))
        own[: len(above)] = values[above - 1] / 2 + values[above] / 2  # the sum of both may be too large
    return out


def _per_node(node, columns, n_nodes):
    """Sums (n_nodes, C) of columns (N, C) over the rows of every node."""
    return np.column_stack([np.bincount(node, column, n_nodes) for column in columns.T])


@dataclass(frozen=True, eq=False)
class BoostedTrees(ClassDensity):
    """F_c(x) = -sum_t leaf_tc(x), the sums of boosted trees for the log loss.

    Parameters
    ----------
    features : ndarray of shape (n_trees, n_inner)
        The features of the inner nodes, level by level.
    thresholds : ndarray of shape (n_trees, n_inner)
        A sample goes right where its feature is above.
    leaves : ndarray of shape (n_trees, n_inner + 1, n_classes)
        What trees add up.
    n_features : int
        Of the samples.

    References
    ----------
    J. H. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 2001.

    L. Iosipoi, A. Vakhrushev, SketchBoost: fast gradient boosted decision tree for multioutput problems, NeurIPS 2022.
    """

    words = "boosted trees"
    n_folds = N_FOLDS
    fewest = FEWEST

    features: NDArray
    thresholds: NDArray
    leaves: NDArray
    n_features: int

    @classmethod
    def affordable(cls, n_features, n_classes):
        return n_features <= MOST_FEATURES

    @classmethod
    def of(cls, X, y, n_classes, weights=None):
        indicators = np.asfortranarray(np.eye(n_classes)[y])

        def slopes(sums):
            P = np.exp(sums - sums.max(axis=1, keepdims=True))
            P /= P.sum(axis=1, keepdims=True)
            return indicators - P, P * (1 - P)

        return cls(*Trees.boosted(X, np.zeros(indicators.shape), slopes, weights), X.shape[1])

    @property
    def trees(self) -> Trees:
        """The trees alone."""
        return Trees(self.features, self.thresholds, self.leaves)

    @property
    def shape(self):
        return self.leaves.shape[2], self.n_features

    def __call__(self, X):
        return -self.trees(X)

    @classmethod
    def from_state(cls, state):
        found = cls(*(state[name] for name in ("features", "thresholds", "leaves", "n_features")))
        found.trees.check(found.n_features)
        return found


register_class_density("boosted-trees", BoostedTrees)


class BoostedTrend(Trend):
    """f(x) = base + sum_t leaf_t(x), the sum of boosted trees for the squared error.

    Parameters
    ----------
    trees : Trees
        Of one sum.
    base : float
        What is added.
    n_features : int
        Of the samples.
    """

    words = "boosted trees"

    def __init__(self, trees: Trees, base: float, n_features: int):
        self.trees, self.base, self._n_features = trees, base, n_features

    @classmethod
    def of(cls, X: NDArray, y: NDArray, weights: NDArray | None = None) -> Self:
        """The trend of rows X (N, d) with targets y (N,) and weights (N,)."""
        base = float(np.average(y, weights=weights))
        start = np.full((len(y), 1), base)
        trees = Trees.boosted(X, start, lambda sums: (y[:, None] - sums, np.ones(sums.shape)), weights)
        return cls(trees, base, X.shape[1])

    def __call__(self, X):
        return self.trees(X)[:, 0] + self.base

    @property
    def n_features(self):
        return self._n_features

    @classmethod
    def crossed(cls, X, y, weights=None):
        if not cls.is_for(*X.shape):
            return None
        numbers = learned_rows(len(X))
        w = None if weights is None else weights[numbers]
        found = CrossedTrees.of(X[numbers].astype(np.float64), y[numbers], numbers, w)
        return found.trend, found.left_out(X, np.arange(len(X)))

    @staticmethod
    def is_for(n_rows: int, n_features: int) -> bool:
        """Whether trees of so many rows and features are worth their time."""
        return n_rows >= FEWEST and n_features <= MOST_FEATURES

    def to_state(self):
        return {**self.trees._asdict(), "base": self.base, "n_features": self._n_features}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        trees = Trees(*(state[name] for name in Trees._fields))
        trees.check(state["n_features"], 1)
        require(is_number(state["base"]), "base of BoostedTrend", "is no number")
        return cls(trees, state["base"], state["n_features"])


TRENDS["boosted-trees"] = BoostedTrend
register("trend:boosted-trees", BoostedTrend)


class CrossedTrees(NamedTuple):
    """A trend, and those of the rows outside of every fold."""

    trend: BoostedTrend
    others: list[BoostedTrend]

    @classmethod
    def of(cls, X: NDArray, y: NDArray, numbers: NDArray, weights: NDArray | None = None) -> "CrossedTrees":
        """The trends of rows X (N, d) with these numbers among all (N,)."""
        others = []
        for fold in range(N_FOLDS):
            outside = numbers % N_FOLDS != fold
            others.append(BoostedTrend.of(X[outside], y[outside], None if weights is None else weights[outside]))
        return cls(BoostedTrend.of(X, y, weights), others)

    def left_out(self, X: NDArray, numbers: NDArray) -> NDArray[np.float64]:
        """Predictions (n,) for rows X (n, d) with these numbers by the trends without their folds."""
        out, fold = np.empty(len(X)), numbers % N_FOLDS
        for k, other in enumerate(self.others):
            out[fold == k] = other(X[fold == k])
        return out


def learned_rows(n_rows: int) -> NDArray[np.intp]:
    """Numbers of the rows that trees of a target learn from: all, or of very many some from each fold."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    first = np.linspace(0, n_rows // N_FOLDS - 1, MOST_ROWS // N_FOLDS).astype(np.intp) * N_FOLDS
    return (first[:, None] + np.arange(N_FOLDS)).ravel()
