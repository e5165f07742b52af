"""Class densities beside the votes: Student t, and naive Bayes on intervals."""

import numpy as np
from scipy.special import rel_entr, softmax

from .stacking import ArrayClassifier

ROUNDNESS = 1e-4  # share of a sphere in every covariance: directions may not vary
FARTHEST = 1e300  # squared distance, so that differences stay numbers
MOST_THRESHOLDS = 8  # of a feature
ALL_THRESHOLDS = 120  # of all features, where that leaves each at least two
PRIOR = 3.0  # samples of all classes together that every class is shrunk with
EMPTY = 1e-9  # weight of an interval without samples: sums of weights have rounding


class StudentTClassifier(ArrayClassifier):
    r"""Classify by the distance to the centre of every class, with heavy tails.

    With Mahalanobis' distance :math:`D_c` to the centre of class c in its covariance
    :math:`S_c`, the probability is

    .. math:: P(c | x) \propto \exp(-\ell_c(x)), \qquad
        \sqrt d\, \ell_c(x) = d \log(1 + D_c(x)^2 / d) + \tfrac12 \log |S_c|.

    The cost :math:`\ell_c`, times the root of d, is the negative logarithm of Student's
    density with d degrees of freedom, up to a constant; the root of d keeps
    probabilities moderate. The covariance is that of the class, shrunk towards the one
    within all classes as if the latter had been seen on d samples, and a little towards
    a sphere. Classes count alike, whatever their sizes. A fit costs O(N d^2 + C d^3)
    for C classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    centres_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    roots_ : ndarray of shape (n_classes, n_features, n_features)
        :math:`D_c = |(x - \mathrm{centre}_c)\, \mathrm{root}_c|`.
    half_log_dets_ : ndarray of shape (n_classes,)
        :math:`\tfrac12 \log |S_c|`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.ensemble import StudentTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> StudentTClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _learn(self, X, y, n_classes, weights):
        middle = np.average(X, axis=0, weights=weights)
        spread = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=weights))
        spread = np.where(spread > 0, spread, 1.0)
        Z = (X - middle) / spread
        centres, shapes = class_moments(Z, y, weights, n_classes)
        lower = np.linalg.cholesky(shapes)
        inverse = np.linalg.inv(lower).swapaxes(1, 2)
        self.centres_ = middle + centres * spread
        self.roots_ = np.ascontiguousarray(inverse / spread[:, None])
        self.half_log_dets_ = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)

    def proba_of(self, X):
        """Return probabilities (n, n_classes) of samples X, an array of numbers."""
        n_classes, d = self.centres_.shape
        squares = np.empty((len(X), n_classes))
        with np.errstate(over="ignore", invalid="ignore"):
            for c, root in enumerate(self.roots_):
                squares[:, c] = (((X - self.centres_[c]) @ root) ** 2).sum(axis=1)
        squares = np.nan_to_num(squares, nan=FARTHEST, posinf=FARTHEST)
        cost = (d * np.log1p(squares / d) + self.half_log_dets_) / np.sqrt(d)
        return softmax(-cost, axis=1)


def class_moments(Z, y, w, n_classes):
    """Centres (C, d) and shrunk covariances (C, d, d) of standardised samples Z."""
    d = Z.shape[1]
    sizes = np.bincount(y, w, n_classes)
    centres = np.array([w[y == c] @ Z[y == c] for c in range(n_classes)])
    centres /= np.maximum(sizes, np.finfo(float).tiny)[:, None]
    residuals = (Z - centres[y]) * np.sqrt(w)[:, None]
    scatters = np.array(
        [residuals[y == c].T @ residuals[y == c] for c in range(n_classes)]
    )
    within = scatters.sum(axis=0) / sizes.sum()
    shapes = (scatters + d * within) / (sizes + d)[:, None, None]
    mean_variance = np.trace(shapes, axis1=1, axis2=2) / d
    mean_variance = np.maximum(mean_variance, np.finfo(np.float32).eps)
    sphere = mean_variance[:, None, None] * np.eye(d)
    return centres, (1 - ROUNDNESS) * shapes + ROUNDNESS * sphere


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
    is_sampled = shares > 0  # an interval without samples says nothing
    expected = np.where(is_sampled, counts / np.where(is_sampled, shares, 1.0), sizes)
    return np.log((expected + PRIOR) / (sizes + PRIOR))
