"""Relevant component analysis: whiten what varies inside groups of equivalent samples."""

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .base import MetricLearner
from .linear_algebra import generalised_eigenvectors, group_means, invertible
from .parameters import estimator
from .side_information import check_chunks


@estimator
class RCA(MetricLearner):
    r"""Relevant component analysis.

    M is the inverse of the covariance within chunklets, groups of samples known to be of one class:

    .. math:: A = C_w^{-1/2}, \quad C_w = \frac{1}{N} \sum_j \sum_{i \in \text{chunk } j} (x_i - m_j)(x_i - m_j)^T,

    up to a rotation. What varies inside a class is irrelevant and is scaled down. The rows of A are the directions of
    Fisher's criterion, ordered by total against within variance, so that ``n_components`` keeps the best. The total
    variance is taken over all rows, those without a chunk too. Costs O(N d^2 + d^3).

    Parameters
    ----------
    {directions}
    regularization : float or "auto", default="auto"
        Ridge on C_w relative to its mean eigenvalue. "auto" shrinks a singular C_w by Ledoit and Wolf's amount and
        leaves a regular one as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C_w A^T is the identity.
    {features}

    References
    ----------
    N. Shental, T. Hertz, D. Weinshall, M. Pavel, Adjustment learning and relevant component analysis, ECCV 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import RCA
    >>> X, y = load_iris(return_X_y=True)
    >>> RCA().fit(X, y).components_.shape
    (4, 4)
    """

    n_components: int | None = None
    _: KW_ONLY
    regularization: Any = "auto"

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, *, chunks: ArrayLike | None = None) -> Self:
        """Learn the metric from labels or from chunklets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels, -1 for unlabelled rows; each class is a chunklet.
        chunks : array-like of int of shape (n_samples,), default=None
            Number of each row's chunklet, negative for rows in none. Replaces y.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, chunks=chunks)

    def _learn(self, X, y, chunks=None):
        groups = y if chunks is None else check_chunks(chunks, len(X))
        total = None
        if groups.min() < 0:
            total = np.atleast_2d(np.cov(X.T, bias=True))
            X, groups = X[groups >= 0], groups[groups >= 0]
        means = group_means(X, groups)
        rows = X - means[groups]
        within = rows.T @ rows / len(rows)
        _, directions = generalised_eigenvectors(
            within + _between(means, groups) if total is None else total,
            invertible(within, rows, self.regularization),
        )
        return directions[: self.n_components]


def _between(means, groups):
    """What the covariance of all rows has beyond that within groups, where every row is in one."""
    shares = (np.bincount(groups) / len(groups))[:, None]
    means = means - (shares * means).sum(axis=0)
    return means.T @ (shares * means)
