"""SDML: a sparse metric near a prior, from pairs of samples."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, eigh, inv

from ..exceptions import warn_of_data
from .constraints import (
    COUNT_OR_NONE,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_AUTO,
    PRIOR,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Array, BestSoFar, logger
from .linear_algebra import map_by_contrast
from .side_information import PairLearner, prior_matrix
from .validation import labelled_rows, unit_of

FARTHEST = 10.0  # factor by which pairs change the prior with balance="auto"
LEAST = 1e-3  # of the prior, left of every eigenvalue
SHORTEST = 2.0**-30  # step relative to Newton's
ENOUGH = 1e-3  # of the predicted decrease
ROUNDING = 1e-13  # of the terms that the objective sums
EXACT = 1e-4  # of the squared length of the residual
MOST = 50  # conjugate gradients


class SDML(PairLearner):
    r"""Sparse determinant metric learning: a graphical lasso on a prior and pairs.

    .. math::

        \min_{M \succ 0}\; F(M) = \operatorname{tr}(S M) - \log\det M
        + \lambda \sum_{i \ne j} |M_{ij}|, \qquad
        S = M_0^{-1} + \beta \sum_c s_c v_c v_c^T,

    where v_c is the difference of the two samples of pair c, s_c = 1 for similar and -1
    for dissimilar pairs, and M_0 a prior metric. Without the penalty M is the inverse
    of S. The penalty sets elements of M to zero, so that few pairs suffice for many
    features. Newton's method minimises F (second reference).

    F has a minimum only where S is positive definite, or nearly. A ``balance`` too
    large for that is lowered, with a warning; ``balance_`` is the value used. Features
    are in units of their largest range, or of their common standard deviation.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, those in which dissimilar pairs differ most against similar
        ones; None keeps all.
    balance : float or "auto", default="auto"
        beta, the weight of a pair against the prior. "auto": the largest that changes
        the prior at most tenfold in any direction.
    sparsity : float, default=0.01
        lambda, the penalty on elements off the diagonal. 0: M = S^-1.
    n_constraints : int or None, default=None
        Pairs drawn from the labels, half of them similar. None: 20 n_classes^2, between
        1000 and 10,000.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=0.0001
        Stop when F is at most this times the number of features above its minimum.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    precision_ : ndarray of shape (n_features, n_features)
        M, with its zeros.
    objective_ : float
        The objective at the solution.
    gap_ : float
        Upper bound on the distance of the objective from its optimum.
    balance_ : float
        beta.
    pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang, An efficient sparse
           metric learning in high-dimensional space via l1-penalized log-determinant
           regularization, ICML 2009.
    .. [2] F. Oztoprak, J. Nocedal, S. Rennie, P. A. Olsen, Newton-like methods for
           sparse inverse covariance estimation, NIPS 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import SDML
    >>> bool((SDML(sparsity=0.1, random_state=0).fit(X, y).precision_ == 0).any())
    True

    >>> pairs = [[0, 1], [0, 100]]  # instead of labels
    >>> model = SDML().fit(X, pairs=pairs, pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[pairs])
    >>> bool(near < far)
    True
    """

    _uses_unlabelled = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "balance": NOT_NEGATIVE_OR_AUTO,
        "sparsity": NOT_NEGATIVE,
        "n_constraints": TWO_OR_MORE_OR_NONE,
        "prior": PRIOR,
    }

    def __init__(
        self,
        n_components=None,
        *,
        balance="auto",
        sparsity=0.01,
        n_constraints=None,
        prior="identity",
        max_iter=500,
        tol=0.0001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.balance = balance
        self.sparsity = sparsity
        self.n_constraints = n_constraints
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, pairs=None, pair_labels=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        signs = np.where(similar, 1, -1)
        unit = unit_of(labelled_rows(X, y))
        M0 = prior_matrix(self.prior, X, unit)
        X = X / unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        P = (V.T * signs) @ V
        balance = self._balance(P, M0)
        search = SparseInverse(inv(M0) + balance * P, float(self.sparsity))
        n_iter = self._run(search)
        far = X - X.mean(axis=0) if similar.all() else V[~similar]
        A = map_by_contrast(search.matrix, V[similar], far, self.n_components)
        return {
            "components_": A / unit,
            "precision_": search.matrix / unit**2,
            "objective_": search.objective,
            "gap_": search.gap,
            "balance_": balance,
            "pairs_": pairs,
            "pair_labels_": signs,
            "n_iter_": n_iter,
        }

    def _balance(self, P, M0):
        """Weight of a pair, lowered where nothing of the prior would be left."""
        root = cholesky(M0, lower=True)
        lowest, highest = eigh(root.T @ P @ root, eigvals_only=True)[[0, -1]]
        if self.balance == "auto":
            most = []
            if lowest < 0:
                most.append((1 - 1 / FARTHEST) / -lowest)
            if highest > 0:
                most.append((FARTHEST - 1) / highest)
            return float(min(most, default=0.0))
        if 1 + self.balance * lowest >= LEAST:
            return float(self.balance)
        lowered = (1 - LEAST) / -lowest
        what = f"balance={self.balance:.3g} gives dissimilar pairs too much weight"
        warn_of_data(f"{what} against the prior; {lowered:.3g} is used.")
        return lowered


class Point(NamedTuple):
    """A positive definite matrix, its inverse, and the objective there."""

    M: NDArray[np.float64]
    inverse: NDArray[np.float64]
    value: float  # tr(S M) - log det M and the penalty


class SparseInverse:
    """min over M > 0 of tr(S M) - log det M + sum_{i != j} penalty |M_ij|.

    Newton's method on the elements that are free to move (Oztoprak et al. 2012); one
    that would change its sign becomes zero. Units make the diagonal of S one. Every W
    within ``penalty`` of S bounds the minimum from below, by log det W + d: the clipped
    inverse of M, or what it would be if the nonzero elements of M were right.
    """

    def __init__(self, S: NDArray, penalty: float) -> None:
        self.units = np.sqrt(np.diag(S))
        each = np.outer(self.units, self.units)
        self.S = S / each
        self.penalty = penalty / each
        np.fill_diagonal(self.penalty, 0.0)
        self.highest = -np.inf
        self.n_iter = 0
        self.best = BestSoFar()

    @property
    def gap(self) -> float:
        """Bound on the distance of the best value from the minimum."""
        return max(self.best.value - self.highest, 0.0)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The best M, in the units of the original S."""
        return self.best.item / np.outer(self.units, self.units)

    @property
    def objective(self) -> float:
        """Its value, in the same units."""
        return self.best.value + 2 * float(np.log(self.units).sum())

    def run(self, max_iter: int, tol: float) -> bool:
        """Whether the gap is at most tol times the number of features."""
        identity = np.eye(len(self.S))
        points = [self.point(identity)]  # the solution of a large penalty
        with suppress(LinAlgError):  # that without one
            root = cholesky(self.S, lower=True)
            points.append(self.point(cho_solve((root, True), identity)))
        at = min(filter(None, points), key=lambda point: point.value, default=None)
        enough = len(self.S) * max(tol, ROUNDING)
        while at is not None and self.look(at) > enough:
            if self.n_iter == max_iter:
                return False
            at = self.advance(at)
            self.n_iter += 1
            message = "iteration %d: objective %.6g, gap %.2e"
            logger.info(message, self.n_iter, self.objective, self.gap)
        return at is not None

    def look(self, at: Point) -> float:
        """The gap, after an update of the best primal and dual objectives."""
        self.best.offer(at.value, at.M)
        forces = np.clip(at.inverse - self.S, -self.penalty, self.penalty)
        signed = np.where(at.M == 0, forces, np.sign(at.M) * self.penalty)
        for Z in (forces, signed):
            with suppress(LinAlgError):  # no point of the dual problem
                root = cholesky(self.S + Z)
                dual = 2 * float(np.log(np.diag(root)).sum()) + len(Z)
                self.highest = max(self.highest, dual)
        return self.gap

    def advance(self, at: Point) -> Point | None:
        """A step along Newton's direction; None where no step leads down."""
        gradient = self.S - at.inverse
        free = (at.M != 0) | (np.abs(gradient) > self.penalty)
        signs = np.where(at.M != 0, np.sign(at.M), -np.sign(gradient))
        slope = np.where(free, gradient + signs * self.penalty, 0.0)
        D = newton_direction(at.M, at.inverse, slope, free)
        step = 1.0
        while step > SHORTEST:
            M = at.M + step * D
            M[(self.penalty > 0) & (M * signs < 0)] = 0.0  # beyond zero it is steeper
            following = self.point(M)
            promised = (slope * (M - at.M)).sum()
            enough = at.value + min(ENOUGH * promised, 0.0)
            if following is not None and following.value < enough:
                return following
            step /= 2
        return None

    def point(self, M: NDArray) -> Point | None:
        """None where M is not positive definite."""
        try:
            root = cholesky(M, lower=True)
        except LinAlgError:
            return None
        cost = (self.penalty * np.abs(M)).sum()
        value = (self.S * M).sum() - 2 * np.log(np.diag(root)).sum() + cost
        inverse = cho_solve((root, True), np.eye(len(M)))
        return Point(M, (inverse + inverse.T) / 2, float(value))


def newton_direction(
    M: Array, W: Array, slope: Array, free: NDArray[np.bool_]
) -> Array:
    """The D that nearly minimises tr(slope D) + tr(W D W D) / 2, with W = M^-1.

    D (d, d) is zero where not ``free``. By conjugate gradients, preconditioned by the
    solution without zeros, D = -M slope M.
    """
    D = np.zeros_like(M)
    residual = np.where(free, -slope, 0.0)
    along = better = np.where(free, M @ residual @ M, 0.0)
    length = (residual * better).sum()
    enough = EXACT * length
    for _ in range(MOST):
        if not length > enough:
            break
        bent = np.where(free, W @ along @ W, 0.0)
        step = length / (along * bent).sum()
        D = D + step * along
        residual = residual - step * bent
        better = np.where(free, M @ residual @ M, 0.0)
        before = length
        length = (residual * better).sum()
        along = better + length / before * along
    return (D + D.T) / 2
