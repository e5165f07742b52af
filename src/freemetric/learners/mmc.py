"""MMC: the largest mean distance of dissimilar pairs at a fixed distance of similar ones."""

from typing import Any

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from .descent import BoundedDescent
from .linear_algebra import covariance, map_by_contrast
from .parameters import Flag, PositiveOrAuto, estimator, parameter
from .side_information import PairLearner, differ


@estimator
class MMC(PairLearner):
    r"""Mahalanobis metric for clustering: the largest mean distance of dissimilar pairs.

    .. math::

        \max_{M \succeq 0}\; F(M) = \operatorname{mean}_{(i, j) \in D} d_M(i, j) \quad \text{such that} \quad
        \operatorname{mean}_{(i, j) \in S} d_M(i, j)^2 = 1, \qquad d_M(i, j)^2 = (x_i - x_j)^T M (x_i - x_j),

    for similar pairs S and dissimilar pairs D. The distances in F are not squared; with squares the best M would have
    rank one. With C = K K^T the mean of v v^T over the similar differences v and W = K^T M K the problem is to maximise
    a concave F over matrices W >= 0 of trace one, by L-BFGS over a factor L of W = L^T L. With G the gradient by W and
    lambda(G) its largest eigenvalue,

    .. math:: \max F - F(M) \le \lambda(G) - \operatorname{tr}(G W),

    which bounds the gap. The scale of M is a convention; the units of the features do not matter.

    {map_of_M} {objective} {gap} {pairs} {n_iter} {classes} {features}

    References
    ----------
    E. P. Xing, A. Y. Ng, M. I. Jordan, S. Russell, Distance metric learning with application to clustering with
    side-information, NIPS 2002.

    {gap_on_wine} {pairs_on_wine}
    """

    n_components: int | None = parameter(None, "{contrasts}")
    diagonal: Flag = parameter(False, "Restrict M to a diagonal matrix, weights of the features.")
    n_constraints: int | None = None
    regularization: PositiveOrAuto = parameter("auto", "{ridge}")
    max_iter: int = 1000
    tol: float = parameter(1e-3, "{tol_of_gap}")
    verbose: bool = False
    random_state: Any = None

    _needs_dissimilar = True

    def _learn(self, X, y, pairs=None, pair_labels=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        differences = X[pairs[:, 0]] - X[pairs[:, 1]]
        U, V = differences[similar], differences[~similar]
        C = covariance(U, self.regularization) if len(U) else np.eye(U.shape[1])
        K = np.diag(np.sqrt(np.diag(C))) if self.diagonal else cholesky(C, lower=True)
        search = _MeanDistance(solve_triangular(K, V[differ(V)].T, lower=True).T, self.diagonal)
        self._run(search, "iteration")
        self.objective_, self.gap_ = search.value, search.gap
        A = solve_triangular(K, search.factor().T, lower=True, trans=1).T
        return map_by_contrast(A.T @ A, U, V, self.n_components)


class _MeanDistance(BoundedDescent):
    """The mean of |L v| over factors L with |L| = 1, a matrix (d, d) or its diagonal (d,), and its maximisation."""

    def __init__(self, V, diagonal):
        start = np.ones(V.shape[1]) if diagonal else np.eye(V.shape[1])
        super().__init__("MMC", start / np.linalg.norm(start))
        self.V, self.shape = np.ascontiguousarray(V), start.shape
        self.best.item, self.best.value = self.start, 0.0

    @property
    def value(self):
        return -self.best.value

    def factor(self):
        return np.diag(self.best.item) if len(self.shape) == 1 else self.best.item

    def run(self, max_iter, tol, verbose):
        if len(self.V):
            return super().run(max_iter, tol, verbose)
        self.gap = 0.0  # no dissimilar pairs, or copies: every metric is as good
        return True

    def report(self, flat=None):
        self.gap = self.farthest() - self.value / 2
        super().report()

    def __call__(self, flat):
        """-F of L at unit length, and its gradient."""
        length = np.linalg.norm(flat)
        L = flat.reshape(self.shape) / length
        Z, distances = self.images(L)
        Z /= (len(Z) * distances)[:, None]
        gradient = (Z * self.V).sum(axis=0) if L.ndim == 1 else Z.T @ self.V
        value = float(distances.mean())
        self.best.offer(-value, L)
        return -value, -((gradient - value * L) / length).ravel()

    def images(self, L):
        """Differences in the space of L, and their lengths; never 0, where a length has no gradient."""
        Z = self.V * L if L.ndim == 1 else self.V @ L.T
        return Z, np.maximum(np.sqrt(np.einsum("ni,ni->n", Z, Z)), np.finfo(float).tiny)

    def farthest(self):
        """The largest eigenvalue of the gradient by W; its largest element where W is diagonal."""
        V, weights = self.V, 0.5 / (len(self.V) * self.images(self.best.item)[1])
        if len(self.shape) == 1:
            return float((weights @ V**2).max())
        d = V.shape[1]
        return float(eigh((V.T * weights) @ V, eigvals_only=True, subset_by_index=[d - 1, d - 1])[0])
