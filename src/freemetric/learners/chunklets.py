"""Metrics from chunklets, groups of samples known to be of one class: RCA and DCA."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from .base import MetricLearner
from .constraints import COUNT_OR_NONE, NOT_NEGATIVE_OR_AUTO
from .linear_algebra import (
    covariance,
    generalised_eigenvectors,
    group_means,
    invertible,
    within_groups,
)
from .scatter import Scatter, ScatterLearner
from .side_information import check_chunks
from .validation import clip_count, labelled_rows

NULL = 1e-10  # against the largest eigenvalue
CONSTRAINTS: dict = {
    "n_components": COUNT_OR_NONE,
    "regularization": NOT_NEGATIVE_OR_AUTO,
}


class RCA(ScatterLearner):
    r"""Relevant component analysis: the inverse of the covariance within chunklets.

    .. math:: A = C_w^{-1/2}, \quad
        C_w = \frac{1}{N} \sum_j \sum_{i \in \text{chunk } j} (x_i - m_j)(x_i - m_j)^T,

    up to a rotation. Chunklets are groups of samples known to be of one class. The rows
    of A are ordered by total variance, samples without a chunk included, against
    variance within chunklets.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
    regularization : float or "auto", default="auto"
        Ridge on the inverted covariance, relative to its mean eigenvalue. "auto"
        shrinks a singular covariance by Ledoit and Wolf's amount and leaves a regular
        one as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C_w A^T is the identity.
    class_counts_ : ndarray of shape (n_classes,)
        Samples of each class; absent where chunks were given, as the next two.
    class_means_ : ndarray of shape (n_classes, n_features)
        Their means.
    scatter_ : ndarray of shape (n_features, n_features)
        N C_w.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent where chunks were given.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] N. Shental, T. Hertz, D. Weinshall, M. Pavel, Adjustment learning and
           relevant component analysis, ECCV 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import RCA
    >>> RCA(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _parameter_constraints = CONSTRAINTS

    def __init__(
        self,
        n_components=None,
        *,
        regularization="auto",
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        chunks: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels, each class a chunklet, or from chunklets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``chunks``.
        chunks : array-like of shape (n_samples,), default=None
            Index of each row's chunklet, negative for rows in none.

        Returns
        -------
        self : RCA
            The fitted estimator.
        """
        return self._fit(X, y, chunks=chunks)

    def _learn(self, X, y, chunks=None):
        groups = y if chunks is None else check_chunks(chunks, len(X))
        grouped = labelled_rows(X, groups)
        groups = groups[groups >= 0]
        scatter = Scatter.of(grouped, groups, groups.max() + 1)
        rows = grouped - scatter.means[groups]
        if chunks is None:
            return self._of_scatter(scatter, rows)
        total = scatter.total() / scatter.n
        if len(grouped) < len(X):
            total = np.atleast_2d(np.cov(X.T, bias=True))
        return {"components_": self._map(scatter.within / scatter.n, total, rows)}

    def _of_scatter(self, scatter, rows=None):
        within = scatter.within / scatter.n
        total = scatter.total() / scatter.n
        A = self._map(within, total, scatter.n if rows is None else rows)
        return {"components_": A} | scatter.attributes()

    def _map(self, within, total, rows):
        within = invertible(within, rows, self.regularization)
        _, directions = generalised_eigenvectors(total, within)
        return directions[: self.n_components]


class DCA(MetricLearner):
    r"""Discriminative component analysis: variance between groups that differ against
    variance within groups.

    .. math:: \max_A |A C_b A^T| / |A C_w A^T|, \quad
        C_b = \text{mean over pairs of different groups of } (m_i - m_j)(m_i - m_j)^T,

    with C_w the covariance within groups. C_b is whitened without its null space; there
    C_w is diagonalised and whitened. With C classes A has rank C - 1 at most.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of least variance within groups to keep; None keeps all.
    regularization : float or "auto", default="auto"
        Ridge on the inverted covariance, relative to its mean eigenvalue. "auto"
        shrinks a singular covariance by Ledoit and Wolf's amount and leaves a regular
        one as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C_w A^T is the identity.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] S. C. H. Hoi, W. Liu, M. R. Lyu, W.-Y. Ma, Learning distance metrics with
           contextual constraints for image retrieval, CVPR 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DCA
    >>> DCA(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _parameter_constraints = CONSTRAINTS

    def __init__(
        self,
        n_components=None,
        *,
        regularization="auto",
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        chunks: ArrayLike | None = None,
        different: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels, each class a chunklet, or from chunklets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``chunks``.
        chunks : array-like of shape (n_samples,), default=None
            Index of each row's chunklet, negative for rows in none.
        different : array-like of shape (n_pairs, 2), default=None
            Pairs of chunklets of different classes; None: all chunklets differ.

        Returns
        -------
        self : DCA
            The fitted estimator.
        """
        if different is not None and chunks is None:
            raise ValueError("different names pairs of chunks and needs chunks.")
        return self._fit(X, y, chunks=chunks, different=different)

    def _learn(self, X, y, chunks=None, different=None):
        if chunks is None:
            groups = y
            names = np.unique(y)
        else:
            groups = check_chunks(chunks, len(X))
            names = np.unique(np.asarray(chunks)[groups >= 0])
        means = group_means(labelled_rows(X, groups), groups[groups >= 0])
        gaps = _gaps(means, names, different)
        within = covariance(within_groups(X, groups), self.regularization)
        values, vectors = eigh(gaps.T @ gaps / len(gaps))
        kept = values > NULL * values[-1]
        if not kept.any():
            raise ValueError("All groups have the same mean: nothing tells them apart.")
        whitened = vectors[:, kept] / np.sqrt(values[kept])  # C_b is the identity
        spread, rotation = eigh(whitened.T @ within @ whitened)
        A = (whitened @ rotation / np.sqrt(spread)).T  # least variance within first
        p = clip_count(self.n_components, len(A), "n_components")
        return {"components_": A[:p]}


def _gaps(means, names, different):
    """Differences of the means of groups that differ, one row a pair."""
    if different is None:
        i, j = np.triu_indices(len(means), k=1)
        if not len(i):
            raise ValueError("DCA needs at least two chunks.")
        return means[i] - means[j]
    pairs = np.asarray(different)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isin(pairs, names).all():
        raise ValueError(f"different must be pairs of chunks out of {names.tolist()}.")
    i, j = np.searchsorted(names, pairs).T
    return means[i] - means[j]
