"""Naive Bayes on intervals of the features, each as important as it is informative."""

import numpy as np
from scipy.special import rel_entr, softmax

from .beside import ArrayClassifier

MOST_THRESHOLDS = 8  # of a feature
ALL_THRESHOLDS = 120  # of all features, where that leaves each at least two
PRIOR = 3.0  # samples of all classes together that every class is shrunk with
EMPTY = 1e-9  # weight of an interval without samples: sums of weights have rounding


class ScreenedNaiveBayes(ArrayClassifier):
    r"""Naive Bayes on intervals, where uninformative features do not count.

    Every feature is cut at a few of its quantiles. With interval j of sample x in
    feature f,

    .. math:: P(c | x) \propto \exp\Big(\frac{1}{\sqrt d} \sum_f s_f
        \log \frac{p_f(j | c)}{p_f(j)}\Big), \qquad
        s_f = \max(0, 1 - \mathrm{dof}_f / G_f).

    :math:`G_f` is the likelihood ratio of feature and class, which for an uninformative
    feature is its degrees of freedom on average: :math:`s_f` is James and Stein's
    shrinkage. The share of an interval in a class is shrunk towards its share in all
    classes. Classes count alike, whatever their sizes. A fit costs O(N d log N).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    owner_, thresholds_ : ndarray of shape (n_thresholds,)
        The feature of every threshold, and the threshold.
    steps_ : ndarray of shape (n_thresholds, n_classes)
        By how much the logarithm changes where a feature rises above a threshold.
    base_ : ndarray of shape (n_classes,)
        The logarithm below all thresholds.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    References
    ----------
    W. James, C. Stein, Estimation with quadratic loss, Berkeley Symposium 1961.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.ensemble import ScreenedNaiveBayes
    >>> X, y = load_wine(return_X_y=True)
    >>> ScreenedNaiveBayes().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _learn(self, X, y, n_classes, weights):
        by_class = np.zeros((len(y), n_classes))
        by_class[np.arange(len(y)), y] = weights
        owner, thresholds = interval_thresholds(X)
        steps, base = interval_logs(X, by_class, owner, thresholds)
        self.owner_ = owner
        self.thresholds_ = thresholds
        self.steps_ = steps / np.sqrt(X.shape[1])
        self.base_ = base / np.sqrt(X.shape[1])

    def proba_of(self, X):
        """Return probabilities (n, n_classes) of samples X, an array of numbers."""
        above = above_thresholds(X, self.owner_, self.thresholds_)
        return softmax(above @ self.steps_ + self.base_, axis=1)


def interval_thresholds(X):
    """The feature of every threshold, and the thresholds, at quantiles of X (N, d)."""
    n_samples, d = X.shape
    n_thresholds = int(np.clip(ALL_THRESHOLDS // d, 2, MOST_THRESHOLDS))
    levels = np.linspace(0, 1, n_thresholds + 2)[1:-1]
    ordered = np.sort(X, axis=0)
    at = np.ceil(levels * n_samples - 1).clip(min=0).astype(int)
    owner, thresholds = [], []
    for j, column in enumerate(ordered.T):
        found = np.unique(column[at])
        found = found[found < column[-1]]
        if len(found) == 0:  # the smallest value; there may be no other
            found = column[:1]
        owner.append(np.full(len(found), j))
        thresholds.append(found)
    return np.concatenate(owner), np.concatenate(thresholds)


def above_thresholds(X, owner, thresholds):
    """Whether (n, n_thresholds) samples X (n, d) are above thresholds, as numbers."""
    return (X[:, owner] > thresholds).astype(np.float64)


def interval_logs(X, by_class, owner, thresholds):
    """Steps (n_thresholds, C) and base (C,) of the sum of weighted log ratios."""
    sizes = by_class.sum(axis=0)
    above = above_thresholds(X, owner, thresholds).T @ by_class
    is_first = np.diff(owner, prepend=-1) > 0
    is_last = np.append(is_first[1:], True)
    next_above = np.where(is_last[:, None], 0.0, np.roll(above, -1, axis=0))
    inside = above - next_above  # (n_thresholds, C) from a threshold to the next
    below = sizes - above[is_first]  # (d, C) below all thresholds
    inside[inside < EMPTY] = 0.0
    below[below < EMPTY] = 0.0
    strength = importances(inside, below, owner, sizes)[:, None]
    logs = strength[owner] * log_ratios(inside, sizes)
    lowest = strength * log_ratios(below, sizes)
    before = np.roll(logs, 1, axis=0)
    before[is_first] = lowest
    return logs - before, lowest.sum(axis=0)


def importances(inside, below, owner, sizes):
    """How much (d,) every feature counts: 1 - dof / G, at least zero."""
    d = len(below)
    G = np.bincount(owner, likelihood_ratio(inside, sizes), d)
    G += likelihood_ratio(below, sizes)
    n_intervals = np.bincount(owner, inside.any(axis=1), d) + below.any(axis=1)
    dof = (n_intervals - 1) * (np.count_nonzero(sizes) - 1)
    return 1 - dof / np.maximum(G, np.maximum(dof, 1))


def likelihood_ratio(counts, sizes):
    """2 sum_c n_c log(n_c / expected) of intervals with counts (S, C)."""
    expected = counts.sum(axis=1, keepdims=True) * sizes / sizes.sum()
    terms = rel_entr(counts, np.where(counts > 0, expected, 1.0))
    return 2 * terms.sum(axis=1)


def log_ratios(counts, sizes):
    """log p(interval | c) / p(interval) (S, C) of intervals with counts (S, C)."""
    shares = counts.sum(axis=1, keepdims=True) / sizes.sum()
    is_known = shares > 0  # an interval without samples says nothing
    expected = np.where(is_known, counts / np.where(is_known, shares, 1.0), sizes)
    return np.log((expected + PRIOR) / (sizes + PRIOR))
