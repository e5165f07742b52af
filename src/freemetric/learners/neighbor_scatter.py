"""Closed forms from differences between neighbours: ANMM and DMLMJ."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from .base import MetricLearner
from .constraints import COUNT, COUNT_OR_NONE, NOT_NEGATIVE_OR_AUTO
from .linear_algebra import generalised_eigenvectors, shrinkage
from .side_information import class_neighbors
from .validation import clip_count

BLOCK = 8192  # samples whose differences are held at once


class ANMM(MetricLearner):
    r"""Average neighbourhood margin maximisation, in closed form.

    .. math:: \max_{A A^T = I} \operatorname{tr}\left(A (S - C) A^T\right), \quad
        S = \frac1N \sum_i \frac{1}{|O_i|} \sum_{j \in O_i} (x_i - x_j)(x_i - x_j)^T,

    where O_i are the nearest samples of other classes, and C alike with the nearest
    ones of the own class. The rows of A are the leading eigenvectors of S - C, an
    orthonormal projection. Nothing is inverted: fewer samples than features suffice.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all of positive margin.
    n_neighbors : int, default=10
        Nearest samples of the own class.
    n_others : int, default=10
        Nearest samples of other classes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A, with orthonormal rows.
    margins_ : ndarray of shape (n_components,)
        The average margin along every row, the eigenvalue of S - C; falling.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] F. Wang, C. Zhang, Feature extraction by maximizing the average neighborhood
           margin, CVPR 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import ANMM
    >>> ANMM(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "n_neighbors": COUNT,
        "n_others": COUNT,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=10,
        n_others=10,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_others = n_others

    def _learn(self, X, y):
        counts = np.bincount(y)
        n_own = min(self.n_neighbors, max(counts.max() - 1, 1))
        n_other = min(self.n_others, len(y) - counts.min())
        own, other = class_neighbors(X, y, n_own, n_other)
        margins, directions = eigh(scatter(X, other) - scatter(X, own))
        p = self.n_components
        if p is None:
            p = max(int((margins > 0).sum()), 1)
        A = directions[:, ::-1].T[:p]
        return {"components_": A, "margins_": margins[::-1][:p]}


class DMLMJ(MetricLearner):
    r"""Distance metric learning through maximisation of the Jeffrey divergence.

    S_P and S_Q are the covariances of the differences between a sample and its nearest
    ones of the same class, and of other classes, both taken as Gaussians around zero.
    The rows of A are the eigenvectors of S_P^-1 S_Q, with v^T S_P v = 1 and the largest
    divergence of the mapped distributions,

    .. math:: \lambda + 1 / \lambda.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
    n_neighbors : int, default=5
        Neighbours of each kind.
    regularization : float or "auto", default="auto"
        Ridge relative to the mean eigenvalue of S_P. "auto" shrinks singular S_P, S_Q
        as Ledoit and Wolf do.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    eigenvalues_ : ndarray of shape (n_components,)
        lambda of every row.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] B. Nguyen, C. Morell, B. De Baets, Supervised distance metric learning
           through maximization of the Jeffrey divergence, Pattern Recognition 64, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLMJ
    >>> DMLMJ(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "n_neighbors": COUNT,
        "regularization": NOT_NEGATIVE_OR_AUTO,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=5,
        regularization="auto",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.regularization = regularization

    def _learn(self, X, y):
        most = max(np.bincount(y).max() - 1, 1)
        k = clip_count(self.n_neighbors, most, "n_neighbors")
        own, other = class_neighbors(X, y, k, k)
        P = scatter(X, own, by_pair=True)
        Q = scatter(X, other, by_pair=True)
        rows, _ = _differences(X, own[:BLOCK])
        if not len(rows):  # no sample has another one of its class
            rows = np.zeros((1, X.shape[1]))
        kept, ridge = shrinkage(P, rows, self.regularization)
        # the same for both, so that lambda = 1 where samples do not differ
        identity = ridge * np.eye(len(P))
        values, directions = generalised_eigenvectors(
            kept * Q + identity, kept * P + identity
        )
        values = np.maximum(values, np.finfo(np.float64).tiny)
        order = np.argsort(-(values + 1 / values), kind="stable")
        best = order[: self.n_components]
        return {"components_": directions[best], "eigenvalues_": values[best]}


def _differences(X, neighbors, start=0):
    """x_i - x_j of samples i from ``start`` on and their neighbours j, and i."""
    i, which = np.nonzero(neighbors >= 0)
    return X[start + i] - X[neighbors[i, which]], start + i


def scatter(
    X: NDArray, neighbors: NDArray, by_pair: bool = False
) -> NDArray[np.float64]:
    """Mean (x_i - x_j)(x_i - x_j)^T over samples i and their neighbours j.

    Samples count the same, or pairs do; -1 is no neighbour.
    """
    counts = (neighbors >= 0).sum(axis=1)
    if by_pair:
        shares = np.full(len(X), 1 / max(counts.sum(), 1))
    else:
        shares = 1 / np.maximum(counts, 1) / len(X)
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(neighbors), BLOCK):
        V, i = _differences(X, neighbors[start : start + BLOCK], start)
        total += V.T @ (V * shares[i, None])
    return total
