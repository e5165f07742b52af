"""DMLMJ: make the differences to own and to other neighbours as unlike as Gaussians can be."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from .base import MetricLearner
from .linear_algebra import generalised_eigenvectors, shrinkage
from .parameters import estimator
from .side_information import class_neighbors
from .validation import clip_count

BLOCK = 8192  # samples whose differences are held at once


@estimator
class DMLMJ(MetricLearner):
    r"""Distance metric learning through maximisation of the Jeffrey divergence.

    P is the distribution of differences between a sample and its nearest ones of the same class, Q that to its
    nearest ones of other classes, both taken as Gaussians around zero with covariances S_P and S_Q. The divergence of
    the mapped distributions is largest for the eigenvectors of S_P^-1 S_Q with the largest

    .. math:: \lambda + 1 / \lambda,

    which become the rows of A, ordered by it, with v^T S_P v = 1. With all components M = S_P^-1. Costs two neighbour
    searches and O(N k d^2 + d^3).

    Parameters
    ----------
    {directions}
    n_neighbors : int, default=5
        Neighbours of each kind; as many as there are in a smaller class.
    regularization : float or "auto", default="auto"
        Ridge on S_P and S_Q relative to the mean eigenvalue of S_P. "auto" shrinks both by Ledoit and Wolf's amount
        where S_P is singular, and leaves them as they are where it is regular.

    Attributes
    ----------
    {map}
    eigenvalues_ : ndarray of shape (n_components,)
        lambda of every row.
    {features}

    References
    ----------
    B. Nguyen, C. Morell, B. De Baets, Supervised distance metric learning through maximization of the Jeffrey
    divergence, Sample Recognition 64, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLMJ
    >>> X, y = load_iris(return_X_y=True)
    >>> DMLMJ(n_components=2).fit(X, y).components_.shape
    (2, 4)
    """

    n_components: int | None = None
    _: KW_ONLY
    n_neighbors: int = 5
    regularization: Any = "auto"

    def _learn(self, X, y):
        k = clip_count(self.n_neighbors, max(np.bincount(y).max() - 1, 1), "n_neighbors")
        own, other = class_neighbors(X, y, k, k)
        P, Q = (_second_moment(X, neighbors) for neighbors in (own, other))
        apart = _differences(X, own[:BLOCK])
        rows = apart if len(apart) else np.zeros((1, X.shape[1]))  # no sample has another one of its class
        kept, ridge = shrinkage(P, rows, self.regularization)
        # both alike: where samples do not differ at all there is nothing to tell them apart by, lambda = 1
        P, Q = (kept * S + ridge * np.eye(len(S)) for S in (P, Q))
        values, directions = generalised_eigenvectors(Q, P)
        values = np.maximum(values, np.finfo(np.float64).tiny)
        best = np.argsort(-(values + 1 / values), kind="stable")[: self.n_components]
        self.eigenvalues_ = values[best]
        return directions[best]


def _differences(X, neighbors, start=0):
    """x_i - x_j for the samples i from ``start`` on and their neighbours j, (n, d); -1 is no neighbour."""
    i, which = np.nonzero(neighbors >= 0)
    return X[start + i] - X[neighbors[i, which]]


def _second_moment(X, neighbors):
    """Mean of (x_i - x_j)(x_i - x_j)^T over all neighbours, a block of samples at a time."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(neighbors), BLOCK):
        D = _differences(X, neighbors[start : start + BLOCK], start)
        total += D.T @ D
    return total / max((neighbors >= 0).sum(), 1)
