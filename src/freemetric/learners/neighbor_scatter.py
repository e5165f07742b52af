"""Closed forms from differences between neighbours of the own class and of others: ANMM and DMLMJ."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from .base import MetricLearner
from .linear_algebra import generalised_eigenvectors, shrinkage
from .parameters import Count, estimator, parameter
from .side_information import class_neighbors
from .validation import clip_count

BLOCK = 8192  # samples whose differences are held at once


@estimator
class ANMM(MetricLearner):
    r"""Average neighbourhood margin maximisation, in closed form.

    .. math:: \max_{A A^T = I} \operatorname{tr}\left(A (S - C) A^T\right), \quad
        S = \frac1N \sum_i \frac{1}{|O_i|} \sum_{j \in O_i} (x_i - x_j)(x_i - x_j)^T,

    where O_i are the nearest samples of other classes, and C alike with the nearest ones of the own class. The rows of
    A are the leading eigenvectors of S - C, an orthonormal projection. Nothing is inverted: fewer samples than features
    suffice.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A, with orthonormal rows.
    margins_ : ndarray of shape (n_components,)
        The average margin along every row, the eigenvalue of S - C; falling.
    {classes} {features}

    References
    ----------
    F. Wang, C. Zhang, Feature extraction by maximizing the average neighborhood margin, CVPR 2007.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "Directions to keep; None keeps all of positive margin.")
    n_neighbors: int = parameter(10, "Nearest samples of the own class.")
    n_others: Count = parameter(10, "Nearest samples of other classes.")

    def _learn(self, X, y):
        counts = np.bincount(y)
        most = max(counts.max() - 1, 1), len(y) - counts.min()
        own, other = class_neighbors(X, y, min(self.n_neighbors, most[0]), min(self.n_others, most[1]))
        margins, directions = eigh(scatter(X, other) - scatter(X, own))
        margins, directions = margins[::-1], directions[:, ::-1].T
        p = max(int((margins > 0).sum()), 1) if self.n_components is None else self.n_components
        self.margins_ = margins[:p]
        return directions[:p]


@estimator
class DMLMJ(MetricLearner):
    r"""Distance metric learning through maximisation of the Jeffrey divergence.

    S_P and S_Q are the covariances of the differences between a sample and its nearest ones of the same class, and of
    other classes, both taken as Gaussians around zero. The rows of A are the eigenvectors of S_P^-1 S_Q, with v^T S_P v
    = 1 and the largest divergence of the mapped distributions,

    .. math:: \lambda + 1 / \lambda.

    {map} {eigenvalues} {features}

    References
    ----------
    B. Nguyen, C. Morell, B. De Baets, Supervised distance metric learning through maximization of the Jeffrey
    divergence, Pattern Recognition 64, 2017.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "{directions}")
    n_neighbors: int = parameter(5, "Neighbours of each kind.")
    regularization: Any = parameter(
        "auto", 'Ridge relative to the mean eigenvalue of S_P. "auto" shrinks singular S_P, S_Q as Ledoit and Wolf do.'
    )

    def _learn(self, X, y):
        k = clip_count(self.n_neighbors, max(np.bincount(y).max() - 1, 1), "n_neighbors")
        own, other = class_neighbors(X, y, k, k)
        P, Q = (scatter(X, neighbors, by_pair=True) for neighbors in (own, other))
        apart, _ = _differences(X, own[:BLOCK])
        rows = apart if len(apart) else np.zeros((1, X.shape[1]))  # no sample has another one of its class
        kept, ridge = shrinkage(P, rows, self.regularization)
        # the same for both, so that lambda = 1 where samples do not differ
        P, Q = (kept * S + ridge * np.eye(len(S)) for S in (P, Q))
        values, directions = generalised_eigenvectors(Q, P)
        values = np.maximum(values, np.finfo(np.float64).tiny)
        best = np.argsort(-(values + 1 / values), kind="stable")[: self.n_components]
        self.eigenvalues_ = values[best]
        return directions[best]


def _differences(X, neighbors, start=0):
    """x_i - x_j for the samples i from ``start`` on and their neighbours j, (n, d), and i; -1 is no neighbour."""
    i, which = np.nonzero(neighbors >= 0)
    return X[start + i] - X[neighbors[i, which]], start + i


def scatter(X: NDArray, neighbors: NDArray, by_pair: bool = False) -> NDArray[np.float64]:
    """Mean (x_i - x_j)(x_i - x_j)^T over samples i and their neighbours j; samples count the same, or pairs do."""
    counts = (neighbors >= 0).sum(axis=1)
    shares = np.full(len(X), 1 / max(counts.sum(), 1)) if by_pair else 1 / np.maximum(counts, 1) / len(X)
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(neighbors), BLOCK):
        V, i = _differences(X, neighbors[start : start + BLOCK], start)
        total += V.T @ (V * shares[i, None])
    return total
