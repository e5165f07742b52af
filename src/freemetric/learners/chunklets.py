"""Metrics from chunklets, groups of samples known to be of one class: RCA and DCA."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from .base import MetricLearner
from .linear_algebra import covariance, generalised_eigenvectors, group_means, invertible, within_groups
from .parameters import estimator, parameter
from .side_information import Given, check_chunks
from .validation import clip_count

NULL = 1e-10  # against the largest eigenvalue


@estimator
class RCA(MetricLearner):
    r"""Relevant component analysis: the inverse of the covariance within chunklets.

    .. math:: A = C_w^{-1/2}, \quad C_w = \frac{1}{N} \sum_j \sum_{i \in \text{chunk } j} (x_i - m_j)(x_i - m_j)^T,

    up to a rotation. Chunklets are groups of samples known to be of one class. The rows of A are ordered by total
    variance, samples without a chunk included, against variance within chunklets.

    {whitening_map} {features}

    References
    ----------
    N. Shental, T. Hertz, D. Weinshall, M. Pavel, Adjustment learning and relevant component analysis, ECCV 2002.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "{directions}")
    regularization: Any = parameter("auto", "{ridge}")

    def fit(self, X: ArrayLike, y: Given = None, *, chunks: Given = None) -> Self:
        """Learn the metric from labels, each class a chunklet, or from chunklets.

        ``chunks`` (n_samples,) holds the index of each row's chunklet, negative for rows in none. It replaces y.
        """
        return self._fit(X, y, chunks=chunks)

    def _learn(self, X, y, chunks=None):
        groups = y if chunks is None else check_chunks(chunks, len(X))
        grouped, groups = (X, groups) if groups.min() >= 0 else (X[groups >= 0], groups[groups >= 0])
        means = group_means(grouped, groups)
        rows = grouped - means[groups]
        within = rows.T @ rows / len(rows)
        if len(grouped) < len(X):
            total = np.atleast_2d(np.cov(X.T, bias=True))
        else:  # cheaper: the covariance within groups plus that of their means
            shares = (np.bincount(groups) / len(groups))[:, None]
            means = means - (shares * means).sum(axis=0)
            total = within + means.T @ (shares * means)
        _, directions = generalised_eigenvectors(total, invertible(within, rows, self.regularization))
        return directions[: self.n_components]


@estimator
class DCA(MetricLearner):
    r"""Discriminative component analysis: variance between groups that differ against variance within groups.

    .. math:: \max_A |A C_b A^T| / |A C_w A^T|, \quad
        C_b = \text{mean over pairs of different groups of } (m_i - m_j)(m_i - m_j)^T,

    with C_w the covariance within groups. C_b is whitened without its null space; there C_w is diagonalised and
    whitened. With C classes A has rank C - 1 at most.

    {whitening_map} {features}

    References
    ----------
    S. C. H. Hoi, W. Liu, M. R. Lyu, W.-Y. Ma, Learning distance metrics with contextual constraints for image
    retrieval, CVPR 2006.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "Directions of least variance within groups to keep; None keeps all.")
    regularization: Any = parameter("auto", "{ridge}")

    def fit(self, X: ArrayLike, y: Given = None, *, chunks: Given = None, different: Given = None) -> Self:
        """Learn the metric from labels, each class a chunklet, or from chunklets.

        ``chunks`` (n_samples,) holds the index of each row's chunklet, negative for rows in none. It replaces y.
        ``different`` (n_pairs, 2) holds pairs of chunklets known to be of different classes; None: all chunklets
        differ.
        """
        if different is not None and chunks is None:
            raise ValueError("different names pairs of chunks and needs chunks.")
        return self._fit(X, y, chunks=chunks, different=different)

    def _learn(self, X, y, chunks=None, different=None):
        groups = y if chunks is None else check_chunks(chunks, len(X))
        named = np.arange(groups.max() + 1) if chunks is None else np.unique(np.asarray(chunks)[groups >= 0])
        gaps = _gaps(group_means(X[groups >= 0], groups[groups >= 0]), named, different)
        within = covariance(within_groups(X, groups), self.regularization)
        values, vectors = eigh(gaps.T @ gaps / len(gaps))
        kept = values > NULL * values[-1]
        if not kept.any():
            raise ValueError("All groups have the same mean: no direction tells them apart.")
        whitened = vectors[:, kept] / np.sqrt(values[kept])  # (d, r), C_b becomes the identity
        spread, rotation = eigh(whitened.T @ within @ whitened)
        A = (whitened @ rotation / np.sqrt(spread)).T  # smallest variance within groups first
        return A[: clip_count(self.n_components, len(A), "n_components")]


def _gaps(means, named, different):
    """Differences of the means of groups that differ, one row a pair."""
    if different is None:
        i, j = np.triu_indices(len(means), k=1)
        if not len(i):
            raise ValueError("DCA needs at least two chunks.")
        return means[i] - means[j]
    pairs = np.asarray(different)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isin(pairs, named).all():
        raise ValueError(f"different must be pairs of chunks out of {named.tolist()}.")
    i, j = np.searchsorted(named, pairs).T
    return means[i] - means[j]
