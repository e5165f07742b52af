"""Boosted trees: sums of shallow trees, for what no distance can say.

A linear map weighs a feature alike everywhere. Where thresholds decide, and which
feature counts depends on another, a few trees see it (Friedman 2001).
"""

import numpy as np
from scipy.special import softmax

from ..kernels.numba.trees import add_leaves, grow_tree
from .stacking import ArrayClassifier, ArrayRegressor

FEWEST_TREES, MOST_TREES = 40, 100
LEAST_DEPTH, MOST_DEPTH = 4, 8
FEW = 2000  # samples, up to which there are the fewest trees of the least depth
RATE = 0.2
MOST_BINS = 255  # a bin is a byte
ROWS_OF_A_BIN = 2
COLUMN_SHARE = 0.5  # of the features that a tree may look at; all where they are few
FEW_COLUMNS = 8
LEAST_WEIGHT = 5.0  # of a leaf, in samples
RIDGE = 1.0  # on the value of a leaf, in samples


def boosted_trees(X, start, slopes, weights):
    """Fit trees that follow the slopes of a loss, one after another.

    Trees are complete: at an inner node a sample goes right where its feature is above
    the threshold. Splits follow the forces along one random direction of the sums,
    which costs as much as one sum (Iosipoi and Vakhrushev 2022).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    start : ndarray of shape (n_samples, n_sums)
        The sums before the first tree.
    slopes : callable
        Forces that lower the loss, and its curvatures, of sums (n_samples, n_sums).
    weights : ndarray of shape (n_samples,)
        Weights of the samples, of mean one.

    Returns
    -------
    features : ndarray of shape (n_trees, n_inner)
        Features of the inner nodes, level by level.
    thresholds : ndarray of shape (n_trees, n_inner)
        Infinite where a node does not split.
    leaves : ndarray of shape (n_trees, n_inner + 1, n_sums)
        Values of the leaves: Newton's steps, times the learning rate.
    """
    (n_samples, d) = X.shape
    n_sums = start.shape[1]
    n_trees, depth = tree_numbers(n_samples)
    n_inner = 2**depth - 1
    rng = np.random.default_rng(0)
    borders = bin_borders(X)
    bins = np.empty((d, n_samples), dtype=np.uint8)
    for j in range(d):
        bins[j] = np.searchsorted(borders[j], X[:, j])
    single_weights = weights.astype(np.float32)
    limits = np.float32(LEAST_WEIGHT), np.float32(RIDGE)
    n_columns = max(FEW_COLUMNS, round(COLUMN_SHARE * d))
    splits = np.empty((n_trees, 2, n_inner), np.int32)
    leaves = np.empty((n_trees, n_inner + 1, n_sums))
    node = np.empty(n_samples, np.int32)
    sums = start.copy("F")
    for split, leaf in zip(splits, leaves, strict=True):
        force, curvature = slopes(sums)
        force = weights[:, None] * force
        curvature = weights[:, None] * curvature
        # Two classes pull in opposite directions: one of them is enough.
        along = force[:, 0]
        if n_sums > 2:
            along = force @ rng.standard_normal(n_sums)
        columns = rng.permutation(d)[:n_columns]
        single_force = along.astype(np.float32)
        n_bins = borders.shape[1] + 1
        grow_tree(
            bins, columns, single_force, single_weights, n_bins, limits, split, node
        )
        total = sums_per_node(node, curvature, n_inner + 1) + RIDGE
        leaf[:] = RATE * sums_per_node(node, force, n_inner + 1) / total
        for c in range(n_sums):
            sums[:, c] += leaf[node, c]
    # One border after the last bin, and one where a node does not split.
    beyond = np.column_stack([borders, np.full((d, 2), np.inf)])
    features, last_bins = splits.swapaxes(0, 1)
    return features.copy(), beyond[features, last_bins], leaves


def sums_of_leaves(X, features, thresholds, leaves):
    """Sums (n, n_sums) of the leaves that samples X reach."""
    out = np.zeros((len(X), leaves.shape[2]))
    add_leaves(np.ascontiguousarray(X), features, thresholds, leaves, out)
    return out


class BoostedTreesClassifier(ArrayClassifier):
    r"""A few shallow boosted trees for the log loss, fast on small tables.

    .. math:: P(c | x) \propto \exp\Big(\sum_t \mathrm{leaf}_{tc}(x)\Big).

    There are 40 trees of depth 4 up to 2,000 samples, and more and deeper ones beyond.
    A fit costs O(N d) for every level of a tree, whatever the number of classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    features_, thresholds_ : ndarray of shape (n_trees, n_inner)
        The feature and the threshold of every inner node, level by level.
    leaves_ : ndarray of shape (n_trees, n_inner + 1, n_classes)
        Values of the leaves.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    References
    ----------
    J. H. Friedman, Greedy function approximation: a gradient boosting machine, Annals
    of Statistics 29, 2001.

    L. Iosipoi, A. Vakhrushev, SketchBoost: fast gradient boosted decision tree for
    multioutput problems, NeurIPS 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.ensemble import BoostedTreesClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> BoostedTreesClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
    True
    """

    def _learn(self, X, y, n_classes, weights):
        is_class = np.asfortranarray(np.eye(n_classes)[y])

        def slopes(sums):
            P = softmax(sums, axis=1)
            return is_class - P, P * (1 - P)

        trees = boosted_trees(X, np.zeros(is_class.shape), slopes, weights)
        self.features_, self.thresholds_, self.leaves_ = trees

    def proba_of(self, X):
        """Return probabilities (n, n_classes) of samples X, an array of numbers."""
        trees = self.features_, self.thresholds_, self.leaves_
        return softmax(sums_of_leaves(X, *trees), axis=1)


class BoostedTreesRegressor(ArrayRegressor):
    r"""A few shallow boosted trees for the squared error, fast on small tables.

    .. math:: f(x) = \mathrm{base} + \sum_t \mathrm{leaf}_t(x).

    Attributes
    ----------
    base_ : float
        The mean of the targets.
    features_, thresholds_ : ndarray of shape (n_trees, n_inner)
        The feature and the threshold of every inner node, level by level.
    leaves_ : ndarray of shape (n_trees, n_inner + 1, 1)
        Values of the leaves.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    References
    ----------
    J. H. Friedman, Greedy function approximation: a gradient boosting machine, Annals
    of Statistics 29, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.ensemble import BoostedTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BoostedTreesRegressor().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    def _learn(self, X, y, weights):
        # Squares of targets in units of a power of two are single precision's numbers.
        unit = 2.0 ** (np.frexp(np.abs(y).max())[1] - 1)
        z = y / unit
        base = float(np.average(z, weights=weights))

        def slopes(sums):
            return z[:, None] - sums, np.ones(sums.shape)

        trees = boosted_trees(X, np.full((len(y), 1), base), slopes, weights)
        self.base_ = base * unit
        self.features_, self.thresholds_, leaves = trees
        self.leaves_ = leaves * unit

    def values_of(self, X):
        """Return targets (n,) of samples X, an array of numbers."""
        trees = self.features_, self.thresholds_, self.leaves_
        return sums_of_leaves(X, *trees)[:, 0] + self.base_


def tree_numbers(n_samples):
    """Number of trees, and their depth: more samples bear more and deeper trees."""
    more = n_samples / FEW
    n_trees = int(np.clip(FEWEST_TREES * np.sqrt(more), FEWEST_TREES, MOST_TREES))
    depth = int(np.clip(LEAST_DEPTH + np.log2(more), LEAST_DEPTH, MOST_DEPTH))
    return n_trees, depth


def bin_borders(X):
    """Borders (d, n_bins - 1) between bins of every feature, ascending.

    They lie midway between two values. Every value has a bin of its own where there are
    few values; otherwise about equally many samples are in every bin. Borders that a
    feature does not need are infinite.
    """
    n_samples, d = X.shape
    n_bins = int(np.clip(n_samples // ROWS_OF_A_BIN, 2, MOST_BINS))
    at = np.linspace(0, n_samples, n_bins + 1)[1:-1].astype(int)
    out = np.full((d, n_bins - 1), np.inf)
    for j in range(d):
        ordered = np.sort(X[:, j])
        values = ordered[np.append(True, ordered[1:] > ordered[:-1])]
        above = np.arange(1, len(values))  # the first value above every border
        if len(values) > n_bins:
            above = np.unique(np.searchsorted(values, ordered[at]).clip(min=1))
        # Halves first: the sum of two large values may overflow.
        out[j, : len(above)] = values[above - 1] / 2 + values[above] / 2
    return out


def sums_per_node(node, columns, n_nodes):
    """Sums (n_nodes, n_sums) of columns (N, n_sums) over the samples of every node."""
    return np.column_stack([np.bincount(node, c, n_nodes) for c in columns.T])
