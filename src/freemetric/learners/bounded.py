"""Problems whose distance from the optimum is bounded while L-BFGS goes on: LSML of quadruplets and MMC of pairs."""

from dataclasses import KW_ONLY
from numbers import Real
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, eigh, inv, solve_triangular

from ..sklearn_compat import Interval, StrOptions
from .base import generator
from .descent import Array, Descent, lbfgs
from .fitting import tell
from .linear_algebra import covariance, map_by_contrast
from .parameters import CountOrNone, Flag, Positive, estimator
from .side_information import (
    PairLearner,
    PriorLearner,
    check_tuple_weights,
    check_tuples,
    differ,
    draw_pairs,
    usual_number_of_pairs,
)

ROUNDING = 1e-13  # of the terms that the objective of LSML sums
EDGE = 1e-6


class BoundedDescent(Descent):
    """L-BFGS until ``gap``, an upper bound on the distance from the optimum, is small.

    Subclasses are their own objective and update ``gap``.
    """

    def __init__(self, name: str, start: Array) -> None:
        super().__init__(name, None, start)
        self.gap, self.tol, self.rounding = np.inf, 0.0, 0.0

    @property
    def value(self) -> float:
        """The best objective so far."""
        return self.best.value

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether the gap is small, or nothing better could be found."""
        self.tol, self.verbose = tol, verbose
        lbfgs(self, self.start, max_iter, self.report)
        return self.has_settled() or self.n_iter < max_iter

    def report(self, flat: Array | None = None) -> None:
        self.n_iter += 1
        tell(self.verbose, "%s iteration %d: objective %.6g, gap %.2e", self.name, self.n_iter, self.value, self.gap)
        if self.has_settled():
            raise StopIteration

    def has_settled(self) -> bool:
        return self.gap <= max(self.tol * self.value, self.rounding)


@estimator
class LSML(PriorLearner):
    r"""Least squared-residual metric learning: relative comparisons of two pairs, as far as they agree.

    .. math::

        \min_{M \succ 0}\; F(M) = D(M, M_0) + \gamma \sum_q w_q \left[d_M(a_q, b_q) - d_M(c_q, d_q)\right]_+^2,

    where quadruplet q states that a and b are nearer to each other than c and d, d_M is the distance itself, not its
    square, and D the LogDet divergence tr(M M_0^-1) - log det(M M_0^-1) - n_features from a prior metric. F is convex
    and smooth; L-BFGS minimises it over A, M = A^T A. By convexity, with G the gradient of F by M,

    .. math:: F(M) - \min F \le \operatorname{tr} A G A^T - \log\det(I + A G A^T),

    which bounds the gap. From labels, a and b are drawn from one class, c and d from two. Distances are in units of the
    features' largest range, or of their common standard deviation.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, those in which c and d differ most against a and b; None keeps all.
    gamma : float, default=1.0
        Weight of all quadruplets against the prior.
    n_constraints : int or None, default=None
        Quadruplets drawn from the labels. None: 10 n_classes^2, between 500 and 5000.
    {prior} {max_iter} {tol_of_gap} {verbose} {random_state}

    Attributes
    ----------
    {map_of_M} {objective} {gap}
    quadruplets_ : ndarray of shape (n_quadruplets, 4)
        Rows of X that were compared.
    {n_iter} {classes} {features}

    References
    ----------
    E. Y. Liu, Z. Guo, X. Zhang, V. Jojic, W. Wang, Metric learning from relative comparisons by minimizing squared
    residual, ICDM 2012.

    Examples
    --------
    {gap_on_wine}
    >>> model = LSML().fit(X, quadruplets=[[0, 1, 0, 100], [0, 5, 61, 160]], weights=[1, 2])  # instead of labels
    >>> model.components_.shape
    (13, 13)
    """

    n_components: int | None = None
    _: KW_ONLY
    gamma: Positive = 1.0
    n_constraints: CountOrNone = None
    prior: Any = "identity"
    max_iter: int = 1000
    tol: float = 1e-4
    verbose: bool = False
    random_state: Any = None

    _has_units = True

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        quadruplets: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels or from quadruplets.

        ``quadruplets`` (n_quadruplets, 4) are indices into X: the first two samples are nearer to each other than the
        last two. ``weights`` (n_quadruplets,) are their weights; None: 1. Quadruplets replace y.
        """
        return self._fit(X, y, quadruplets=quadruplets, weights=weights)

    def _learn(self, X, y, quadruplets=None, weights=None, all_rows=None):
        if y is None:
            if quadruplets is None:
                raise ValueError("weights needs quadruplets: indices into X.")
            quadruplets = check_tuples(quadruplets, 4, len(X), "quadruplets")
        else:
            n = usual_number_of_pairs(y) if self.n_constraints is None else 2 * self.n_constraints
            pairs, similar = draw_pairs(generator(self.random_state), X, y, n)
            quadruplets = np.hstack([pairs[similar], pairs[~similar]])
        weights = self.gamma * check_tuple_weights(weights, len(quadruplets))
        M0, X = self._prior(X, all_rows), X / self._unit
        root = cholesky(M0, lower=True)
        Z = X @ root  # where the prior is the identity
        a, b, c, d = quadruplets.T
        search = _Residuals(Z[a] - Z[b], Z[c] - Z[d], weights)
        self._run(search)
        self.quadruplets_, self.objective_, self.gap_ = self._as_given(quadruplets), search.best.value, search.gap
        A = search.best.item @ root.T
        return map_by_contrast(A.T @ A, X[a] - X[b], X[c] - X[d], self.n_components)


class _Residuals(BoundedDescent):
    """Descent of F over A where the prior is the identity."""

    def __init__(self, near, far, weights):
        super().__init__("LSML", np.eye(near.shape[1]))
        self.differences, self.weights, self.d = np.vstack([near, far]), weights, near.shape[1]
        self.rounding = ROUNDING * (self.d + weights.sum())

    def run(self, max_iter, tol, verbose):
        self.tol = tol
        # the best multiple of the identity
        self((self.start / np.sqrt(1 + self.residuals(self.start)[0] / self.d)).ravel())
        self.start = self.best.item
        return self.has_settled() or super().run(max_iter, tol, verbose)

    def __call__(self, flat):
        A = flat.reshape(self.d, self.d)
        if not np.isfinite(np.linalg.slogdet(A)[1]):  # a step has ended on a singular matrix
            A = A + EDGE * np.eye(self.d)
        pull, forces = self.residuals(A)
        value = (A * A).sum() - 2 * np.linalg.slogdet(A)[1] - self.d + pull
        gradient = 2 * (A - inv(A).T + forces)
        if self.best.offer(value, A):
            H = gradient @ A.T / 2
            shares = 1 + np.linalg.eigvalsh((H + H.T) / 2)
            self.gap = float((shares - 1 - np.log(shares)).sum()) if shares[0] > 0 else np.inf
        return value, gradient.ravel()

    def residuals(self, A):
        """Penalty of the quadruplets that do not hold, and half of its gradient by A."""
        images = self.differences @ A.T
        lengths = np.sqrt(np.einsum("ni,ni->n", images, images))
        near, far = np.split(lengths, 2)
        missing = np.maximum(near - far, 0)
        price = self.weights * missing
        pull = np.divide(price, near, out=np.zeros_like(price), where=near > 0)
        push = np.divide(price, far, out=np.zeros_like(price), where=far > 0)
        images *= np.concatenate([pull, -push])[:, None]
        return price @ missing, images.T @ self.differences


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

    Parameters
    ----------
    {contrasts}
    diagonal : bool, default=False
        Restrict M to a diagonal matrix, weights of the features.
    {n_constraints} {ridge} {max_iter} {tol_of_gap} {verbose} {random_state}

    Attributes
    ----------
    {map_of_M} {objective} {gap} {pairs} {n_iter} {classes} {features}

    References
    ----------
    E. P. Xing, A. Y. Ng, M. I. Jordan, S. Russell, Distance metric learning with application to clustering with
    side-information, NIPS 2002.

    Examples
    --------
    {gap_on_wine} {pairs_on_wine}
    """

    n_components: int | None = None
    _: KW_ONLY
    diagonal: Flag = False
    n_constraints: int | None = None
    regularization: Annotated[Any, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})] = "auto"
    max_iter: int = 1000
    tol: float = 1e-3
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
