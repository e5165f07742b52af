"""Regression: what votes and trends say together, and how far off they are."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from sklearn.model_selection import KFold

from .linear import ridge_line

BEYOND = 0.1  # of the range of the targets: predictions leave it no farther
LEAST_VARIANCE = 1e-4  # among neighbours, in units of the targets' variance
LEAST_SQUARE = 1e-4  # of the mean squared error, added before taking logarithms
TAIL = 0.02  # of the variances: a line through the logarithms is not trusted there
FOLDS = 5


def range_of(z):
    """Limits that neither a trend nor a prediction leaves."""
    margin = BEYOND * (z.max() - z.min())
    return float(z.min() - margin), float(z.max() + margin)


@dataclass(frozen=True)
class Combination:
    r"""The location of a target, from votes and trends.

    With the mean m of the neighbours' targets, trends :math:`f_t`, and their means
    :math:`\bar f_t` among the same neighbours,

    .. math:: z = s m + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t).

    The last term is local regression: it carries the neighbours' targets over the way
    to the sample, along the trend. No strength is negative.

    Parameters
    ----------
    strengths : ndarray of shape (1 + 2 n_trends,)
        s, all a and all b.
    low, high : float
        Limits of trends and locations.
    """

    strengths: np.ndarray
    low: float
    high: float

    @classmethod
    def fit(cls, votes, trends, z, weights, limits):
        """Fit the strengths to out-of-bag votes and cross-fitted trends."""
        root = np.sqrt(weights)
        terms = cls(np.zeros(0), *limits).terms(votes, trends)
        strengths, _ = nnls(root[:, None] * terms, root * z)
        return cls(strengths, *limits)

    @property
    def limits(self):
        """The lowest and the highest location."""
        return self.low, self.high

    def terms(self, votes, trends):
        """Terms (n, 1 + 2 n_trends) of votes (n, 2 + n_trends) and trends."""
        mean = votes[:, 0]
        among_neighbors = votes[:, 2:].T
        trends = [np.clip(trend, self.low, self.high) for trend in trends]
        beside = [trend - mean for trend in trends]
        along = [f - over for f, over in zip(trends, among_neighbors, strict=True)]
        return np.column_stack([mean, *beside, *along])

    def __call__(self, votes, trends):
        """Locations (n,)."""
        return np.clip(self.terms(votes, trends) @ self.strengths, self.low, self.high)


@dataclass(frozen=True)
class Noise:
    """The size of errors, and the distribution of errors in units of it.

    The logarithm of squared errors is linear in the logarithm of the variance among
    neighbours and in the features.

    Parameters
    ----------
    slopes : ndarray of shape (1 + n_features,)
        Of the logarithm.
    base, low, high : float
        Its value at zero, and its range.
    most_spread : float
        The largest spread.
    errors : ndarray of shape (n,)
        Out-of-bag errors in units of their spread, ascending.
    """

    slopes: np.ndarray
    base: float
    low: float
    high: float
    most_spread: float
    errors: np.ndarray

    @classmethod
    def fit(cls, errors, votes, X, weights, most_spread):
        """Fit to out-of-bag errors (n,) of samples X (n, d) with these votes."""
        columns = noise_columns(votes, X)
        squares = errors**2
        floor = LEAST_SQUARE * np.average(squares, weights=weights) + 1e-12
        logs = np.log(squares + floor)
        unseen = np.empty(len(logs))
        n_folds = min(FOLDS, len(logs))
        for train, test in KFold(n_folds, shuffle=True, random_state=0).split(columns):
            slopes, base = ridge_line(columns[train], logs[train], weights[train])
            unseen[test] = columns[test] @ slopes + base
        unseen = unseen.clip(logs.min(), logs.max())
        low, high = map(float, np.quantile(unseen, [TAIL, 1 - TAIL]))
        spread = np.minimum(np.exp(unseen.clip(low, high) / 2), most_spread)
        slopes, base = ridge_line(columns, logs, weights)
        return cls(slopes, base, low, high, most_spread, np.sort(errors / spread))

    def spread(self, votes, X):
        """Spreads (n,) of the errors."""
        logs = noise_columns(votes, X) @ self.slopes + self.base
        spread = np.exp(np.clip(logs, self.low, self.high) / 2)
        return np.minimum(spread, self.most_spread)

    def limits(self, alpha):
        """Errors that a share alpha / 2 of all is below, and above."""
        n = len(self.errors)
        rank = min(max(1, int((n + 1) * alpha / 2)), n)
        return self.errors[[rank - 1, -rank]]


def noise_columns(votes, X):
    """The logarithm of the variance among neighbours, and the features."""
    variance = np.maximum(votes[:, 1] - votes[:, 0] ** 2, LEAST_VARIANCE)
    return np.column_stack([np.log(variance), X])
