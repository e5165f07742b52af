"""SDML: a sparse metric near a prior, from pairs of samples."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, eigh, inv

from ..exceptions import warn_of_data
from .fitting import Lowest, tell
from .linear_algebra import map_by_contrast
from .parameters import NotNegative, NotNegativeOrAuto, estimator, parameter
from .side_information import PairLearner, PriorLearner

FARTHEST = 10.0  # factor by which pairs change the prior with balance="auto"
LEAST = 1e-3  # of the prior, left of every eigenvalue
SHORTEST = 2.0**-30  # step relative to Newton's
ENOUGH = 1e-3  # of the predicted decrease
ROUNDING = 1e-13  # of the terms that the objective sums
EXACT = 1e-4  # of the squared length of the residual
MOST = 50  # conjugate gradients
Array = NDArray[np.float64]


@estimator
class SDML(PriorLearner, PairLearner):
    r"""Sparse determinant metric learning: a graphical lasso on a prior and pairs.

    .. math::

        \min_{M \succ 0}\; F(M) = \operatorname{tr}(S M) - \log\det M + \lambda \sum_{i \ne j} |M_{ij}|, \qquad
        S = M_0^{-1} + \beta \sum_c s_c v_c v_c^T,

    where v_c is the difference of the two samples of pair c, s_c = 1 for similar and -1 for dissimilar pairs, and M_0
    a prior metric. Without the penalty M is the inverse of S. The penalty sets elements of M to zero, so that few pairs
    suffice for many features. Newton's method minimises F (second reference).

    F has a minimum only where S is positive definite, or nearly. A ``balance`` too large for that is lowered, with a
    warning; ``balance_`` is the value used. Features are in units of their largest range, or of their common standard
    deviation.

    Attributes
    ----------
    {map_of_M}
    precision_ : ndarray of shape (n_features, n_features)
        M, with its zeros.
    {objective} {gap}
    balance_ : float
        beta.
    {pairs} {n_iter} {classes} {features}

    References
    ----------
    G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang, An efficient sparse metric learning in high-dimensional space
    via l1-penalized log-determinant regularization, ICML 2009.
    F. Oztoprak, J. Nocedal, S. Rennie, P. A. Olsen, Newton-like methods for sparse inverse covariance estimation,
    NIPS 2012.

    Examples
    --------
    {wine}
    >>> from freemetric import SDML
    >>> bool((SDML(sparsity=0.1, random_state=0).fit(X, y).precision_ == 0).any())
    True

    {pairs_on_wine}
    """

    n_components: int | None = parameter(None, "{contrasts}")
    balance: NotNegativeOrAuto = parameter(
        "auto",
        'beta, the weight of a pair against the prior. "auto": the largest that changes the prior at most tenfold in '
        "any direction.",
    )
    sparsity: NotNegative = parameter(0.01, "lambda, the penalty on elements off the diagonal. 0: M = S^-1.")
    n_constraints: int | None = None
    prior: Any = "identity"
    max_iter: int = 500
    tol: float = parameter(1e-4, "Stop when F is at most this times the number of features above its minimum.")
    verbose: bool = False
    random_state: Any = None

    _has_units = True
    _balance_is_called = "balance"  # metric_learn has another name

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        M0, X = self._prior(X, all_rows), X / self._unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        P = (V.T * self.pair_labels_) @ V
        balance = self._balance(P, M0)
        search = SparseInverse(inv(M0) + balance * P, float(self.sparsity))
        self._run(search, "step")
        self.balance_, self.objective_, self.gap_ = balance, search.objective, search.gap
        self.precision_ = search.matrix / self._unit**2
        far = X - X.mean(axis=0) if similar.all() else V[~similar]
        return map_by_contrast(search.matrix, V[similar], far, self.n_components)

    def _balance(self, P, M0):
        """Weight of a pair: as given, if something of the prior is left in every direction."""
        root = cholesky(M0, lower=True)
        lowest, highest = eigh(root.T @ P @ root, eigvals_only=True)[[0, -1]]
        if self.balance == "auto":
            most = [(1 - 1 / FARTHEST) / -lowest] if lowest < 0 else []
            most += [(FARTHEST - 1) / highest] if highest > 0 else []
            return float(min(most, default=0.0))
        if 1 + self.balance * lowest >= LEAST:
            return float(self.balance)
        lowered = (1 - LEAST) / -lowest
        name = self._balance_is_called
        what = f"{name}={self.balance:.3g} gives dissimilar pairs more weight than the prior can bear"
        how = f"{lowered:.3g}, the most it can, is used; {name}='auto' finds a good one"
        warn_of_data(f"{what}: {how}.")
        return lowered


class Point(NamedTuple):
    """A positive definite matrix, its inverse, and the objective there."""

    M: NDArray[np.float64]
    inverse: NDArray[np.float64]
    value: float  # tr(S M) - log det M and the penalty


class SparseInverse:
    """min over M > 0 of tr(S M) - log det M + sum_{i != j} penalty |M_ij|, for S with a positive diagonal.

    Newton's method on the elements that are free to move (Oztoprak et al. 2012); one that would change its sign becomes
    zero. Units make the diagonal of S one. Every W within ``penalty`` of S bounds the minimum from below, by
    log det W + d: the clipped inverse of M, or what it would be if the nonzero elements of M were right.
    """

    def __init__(self, S: NDArray, penalty: float) -> None:
        self.units = np.sqrt(np.diag(S))
        each = np.outer(self.units, self.units)
        self.S, self.penalty = S / each, penalty / each
        np.fill_diagonal(self.penalty, 0.0)
        self.highest, self.n_iter = -np.inf, 0
        self.best = Lowest()

    @property
    def gap(self) -> float:
        return max(self.best.value - self.highest, 0.0)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The best M, in the units of the given S."""
        return self.best.item / np.outer(self.units, self.units)

    @property
    def objective(self) -> float:
        """Its value, in the same units."""
        return self.best.value + 2 * float(np.log(self.units).sum())

    def run(self, max_iter: int, tol: float, verbose: bool = False) -> bool:
        """Whether the gap is at most tol times the number of features after ``max_iter`` steps."""
        identity = np.eye(len(self.S))
        points = [self.point(identity)]  # the solution of a large penalty
        with suppress(LinAlgError):  # that without one
            points.append(self.point(cho_solve((cholesky(self.S, lower=True), True), identity)))
        at = min(filter(None, points), key=lambda point: point.value, default=None)
        enough = len(self.S) * max(tol, ROUNDING)
        while at is not None and self.look(at) > enough:
            if self.n_iter == max_iter:
                return False
            at = self.advance(at)
            self.n_iter += 1
            tell(verbose, "SDML iteration %d: objective %.6g, gap %.2e", self.n_iter, self.objective, self.gap)
        return at is not None

    def look(self, at: Point) -> float:
        """The gap, after an update of the best primal and dual objectives."""
        self.best.offer(at.value, at.M)
        forces = np.clip(at.inverse - self.S, -self.penalty, self.penalty)
        for Z in (forces, np.where(at.M == 0, forces, np.sign(at.M) * self.penalty)):
            with suppress(LinAlgError):  # no point of the dual problem
                self.highest = max(self.highest, 2 * float(np.log(np.diag(cholesky(self.S + Z))).sum()) + len(Z))
        return self.gap

    def advance(self, at: Point) -> Point | None:
        """A step along Newton's direction, whole if that leads down far enough; None where no step leads down."""
        gradient = self.S - at.inverse
        free = (at.M != 0) | (np.abs(gradient) > self.penalty)
        signs = np.where(at.M != 0, np.sign(at.M), -np.sign(gradient))
        slope = np.where(free, gradient + signs * self.penalty, 0.0)
        D, step = newton_direction(at.M, at.inverse, slope, free), 1.0
        while step > SHORTEST:
            M = at.M + step * D
            M[(self.penalty > 0) & (M * signs < 0)] = 0.0  # beyond zero the slope is another one
            following, promised = self.point(M), (slope * (M - at.M)).sum()
            if following is not None and following.value < at.value + min(ENOUGH * promised, 0.0):
                return following
            step /= 2
        return None

    def point(self, M: NDArray) -> Point | None:
        """None where M is not positive definite."""
        try:
            root = cholesky(M, lower=True)
        except LinAlgError:
            return None
        value = (self.S * M).sum() - 2 * np.log(np.diag(root)).sum() + (self.penalty * np.abs(M)).sum()
        inverse = cho_solve((root, True), np.eye(len(M)))
        return Point(M, (inverse + inverse.T) / 2, float(value))


def newton_direction(M: Array, W: Array, slope: Array, free: NDArray[np.bool_]) -> Array:
    """The D (d, d), zero where not ``free``, that nearly minimises tr(slope D) + tr(W D W D) / 2, with W = M^-1.

    By conjugate gradients, preconditioned by the solution without zeros, D = -M slope M.
    """
    D, residual = np.zeros_like(M), np.where(free, -slope, 0.0)
    along = better = np.where(free, M @ residual @ M, 0.0)
    length = (residual * better).sum()
    enough = EXACT * length
    for _ in range(MOST):
        if not length > enough:
            break
        bent = np.where(free, W @ along @ W, 0.0)
        step = length / (along * bent).sum()
        D, residual = D + step * along, residual - step * bent
        better = np.where(free, M @ residual @ M, 0.0)
        before, length = length, (residual * better).sum()
        along = better + length / before * along
    return (D + D.T) / 2
