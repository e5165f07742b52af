"""MCML: every class collapsed to a point, as nearly as a linear map can."""

from typing import Any

import numpy as np

from ..kernels import cpu_kernels
from .descent import ConvexDescent, departure
from .linear_algebra import group_means
from .parameters import NotNegative, estimator, parameter

KEPT_BYTES = 32 * 2**20  # of tiles between the two passes


@estimator
class MCML(ConvexDescent):
    r"""Maximally collapsing metric learning: all soft neighbours of the own class, and equally likely.

    .. math:: \min_{M \succeq 0}\; \frac1N \sum_i \mathrm{KL}(q_{i\cdot} \,|\, p_{i\cdot}) + r |M - M_0|^2, \qquad
        p_{ij} = \frac{\exp(-d_{ij})}{\sum_{k \ne i} \exp(-d_{ik})}, \quad d_{ij} = (x_i - x_j)^T M (x_i - x_j),

    where q_ij is the same for all j of the class of i, and 0 for others. The objective is convex in M; L-BFGS minimises
    it over the map A, M = A^T A. With all components every minimum is the global one. Samples alone in their class are
    neighbours of others only.

    {map} {objective} {n_iter} {classes} {features}

    References
    ----------
    A. Globerson, S. Roweis, Metric learning by collapsing classes, NIPS 2005.

    {knn_on_wine}
    """

    n_components: int | None = parameter(None, "{rank}")
    regularization: NotNegative = parameter(
        1e-4, "r, the cost of leaving the prior, with features in units of their largest range; 0 in the reference."
    )
    prior: Any = "identity"
    init: Any = parameter("auto", "{init_at_prior}")
    max_iter: int = 200
    tol: float = 1e-5
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y, all_rows=None):
        M0, X = self._prior(X, all_rows), X / self._unit
        collapse = Collapse(X, y)

        def objective(A):
            (value, slope), (cost, back) = collapse(A), departure(A, M0, self.regularization)
            return value + cost, slope + back

        self.objective_, A = self._descend(objective, self._beginning(X, y, M0))
        return A


class Collapse:
    """The mean divergence of samples (N, d) with class indices (N,), and its gradient by A (p, d).

    The mean distance within a class is twice its variance: only the sums over all samples need pairs.
    """

    def __init__(self, X, y):
        X, sizes = X - X.mean(axis=0), np.bincount(y)[y]
        self.X, self.counted = X.astype(np.float32), (sizes > 1).astype(np.float32)
        rows = X - group_means(X, y)[y]
        self.within = 2 * rows.T @ (rows * (sizes / np.maximum(sizes - 1, 1))[:, None]) / len(X)
        self.entropy = np.log(np.maximum(sizes - 1, 1)).mean()

    def __call__(self, A):
        gradient = np.empty(A.shape, np.float32)
        others = cpu_kernels().log_partition(self.X, A.astype(np.float32), self.counted, KEPT_BYTES, gradient)
        pull = A @ self.within
        return float((pull * A).sum() + others - self.entropy), gradient + 2 * pull
