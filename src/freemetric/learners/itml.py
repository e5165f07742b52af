"""ITML: the metric closest to a prior that keeps similar pairs near and dissimilar pairs far."""

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.spatial.distance import pdist

from ..kernels import cpu_kernels
from .base import generator
from .fitting import Lowest, tell
from .linear_algebra import map_of
from .parameters import Positive, estimator
from .side_information import COPY, check_pairs, differ, draw_pairs
from .training_rows import canonical_order
from .tuple_learners import PairLearner, PriorLearner

MOST_DISTANCES = 100_000  # looked at for the bounds
PERCENTILES = (5, 95)
ROUNDING = 1e-13  # of the terms that the objective sums


@estimator
class ITML(PriorLearner, PairLearner):
    r"""Information-theoretic metric learning: stay close to a prior metric, respect pairs as far as they agree.

    .. math::

        \min_{M, \xi}\; D(M, M_0) + \gamma \sum_c D(\xi_c, \xi^0_c) \quad \text{such that} \quad
        v_c^T M v_c \le \xi_c \text{ (similar)}, \quad v_c^T M v_c \ge \xi_c \text{ (dissimilar)},

    where v_c is the difference of the two samples of pair c, D is the LogDet divergence tr(M M_0^-1) -
    log det(M M_0^-1) - d (for numbers: r - log r - 1 of the ratio r), and the slacks start at xi^0 = u for similar and
    l for dissimilar pairs. The dual is climbed one multiplier at a time, by Bregman projections in a new random order
    every cycle; each is a rank-one change of M. At the solution, with s_c = 1 for similar and -1 for dissimilar pairs,

    .. math::

        M^{-1} = M_0^{-1} + \sum_c s_c \lambda_c v_c v_c^T, \qquad
        1 / \xi_c = 1 / \xi^0_c - s_c \lambda_c / \gamma, \qquad \lambda_c \ge 0.

    The problem is convex: the solution does not depend on the order of the pairs. A cycle over n pairs costs O(n d^2),
    and the number of cycles grows with gamma. Zero differences are left out.

    Parameters
    ----------
    {leading}
    gamma : float, default=1.0
        Weight of the pairs against the prior; large values enforce the bounds.
    {n_constraints} {prior}
    bounds : (float, float) or None, default=None
        Squared distances u, the most for similar pairs, and l, the least for dissimilar ones. None takes the 5th and
        the 95th percentile of the squared distances between samples under the prior, copies left aside.
    {max_iter} {tol_of_gap} {warm_start} {verbose} {random_state}

    Attributes
    ----------
    {map_of_M} {objective} {gap} {pairs}
    dual_ : ndarray of shape (n_pairs,)
        The multipliers lambda, 0 where a pair has no influence. M follows from them by the formula above.
    bounds_ : tuple of two floats
        u and l.
    {n_iter} {classes} {features}

    Notes
    -----
    A projection moves the multiplier by gamma / (gamma + 1) (1 / xi - 1 / v^T M v), the exact minimiser. Algorithm 1
    of the reference prints (1 / v^T M v - gamma / xi) / 2 with the other sign, which is the same only for gamma = 1.

    References
    ----------
    J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon, Information-theoretic metric learning, ICML 2007.

    Examples
    --------
    {gap_on_wine} {pairs_on_wine}
    """

    n_components: int | None = None
    _: KW_ONLY
    gamma: Positive = 1.0
    n_constraints: int | None = None
    prior: Any = "identity"
    bounds: Annotated[Any, tuple, list, np.ndarray, None] = None
    max_iter: int = 1000
    tol: float = 1e-4
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        rng = generator(self.random_state)
        if y is None:
            pairs, similar = check_pairs(pairs, pair_labels, len(X))
        elif self.warm_start and self._knows_pairs_of(y):
            pairs, similar = self._previous_pairs(), self.pair_labels_ == 1
        else:
            pairs, similar = draw_pairs(rng, X, y, self._n_pairs(y))
        root = cholesky(self._prior(X, all_rows), lower=True)
        Z = X @ root  # where the prior is the identity
        u, l = self._bounds(rng, Z)
        V, targets, signs = Z[pairs[:, 0]] - Z[pairs[:, 1]], np.where(similar, u, l), np.where(similar, 1.0, -1.0)
        kept = differ(V)
        dual = self._multipliers(pairs, signs) * kept
        search = _Projections(rng, V[kept], signs[kept], targets[kept], float(self.gamma), dual[kept])
        self._run(search, "cycle")
        M, dual[kept] = search.best.item
        self.pairs_, self.pair_labels_ = self._as_given(pairs), signs.astype(int)
        self.dual_, self.bounds_ = dual, (u, l)
        self.objective_, self.gap_, self.n_iter_ = search.best.value, search.gap, search.n_iter
        return map_of(root @ M @ root.T, self.n_components)

    def _bounds(self, rng, Z):
        if self.bounds is None:
            squared = _some_squared_distances(rng, Z)
            return tuple(np.percentile(squared, PERCENTILES).tolist()) if len(squared) else (1.0, 1.0)
        bounds = np.asarray(self.bounds, dtype=np.float64)
        if bounds.shape != (2,) or not (np.isfinite(bounds) & (bounds > 0)).all():
            raise ValueError(f"bounds must be two positive squared distances, u and l; got {self.bounds!r}.")
        return tuple(bounds.tolist())

    def _knows_pairs_of(self, y):
        """Whether the last fit's pairs can serve again: as many, of labelled samples, and alike."""
        pairs = self._previous_pairs()
        if pairs is None or len(pairs) != self._n_pairs(y) // 2 * 2 or not ((pairs >= 0) & (pairs < len(y))).all():
            return False
        return np.array_equal(y[pairs[:, 0]] == y[pairs[:, 1]], self.pair_labels_ == 1)

    def _previous_pairs(self):
        """The last fit's, by rows that are learned from now, -1 where they are not; None where there was no fit."""
        pairs = getattr(self, "pairs_", None)
        if pairs is None or self._rows is None:
            return pairs
        places = np.full(max(pairs.max(), self._rows[-1]) + 1, -1)
        places[self._rows] = np.arange(len(self._rows))
        return places[pairs]

    def _multipliers(self, pairs, signs):
        """Where the multipliers begin: the last fit's, if it had the same pairs, else 0."""
        previous = self._previous_pairs() if self.warm_start else None
        same = previous is not None and np.array_equal(previous, pairs) and np.array_equal(self.pair_labels_, signs)
        return self.dual_.copy() if same else np.zeros(len(pairs))


class _Projections:
    """Multipliers, the metric M that follows from them, and how far both are from the solution; the prior is I."""

    def __init__(self, rng, V, signs, targets, gamma, multipliers):
        self.rng = rng
        self.V, self.signs, self.targets, self.gamma, self.multipliers = V, signs, targets, gamma, multipliers
        self.best, self.highest, self.n_iter = Lowest(), -np.inf, 0

    @property
    def gap(self):
        return max(self.best.value - self.highest, 0.0)

    def run(self, max_iter, tol, verbose):
        """Cycles until the gap is small; False if it is not."""
        self.begin()
        rounding = ROUNDING * (len(self.M) + self.gamma * len(self.V))
        while self.gap > max(tol * self.best.value, rounding):
            if self.n_iter == max_iter:
                return False
            try:
                self.cycle(self.rng.permutation(len(self.V)))
            except LinAlgError:  # bounds so contradictory, and gamma so large, that M left what float64 can hold
                return False
            tell(verbose, "ITML cycle %d: objective %.6g, gap %.2e", self.n_iter, self.best.value, self.gap)
        return True

    def begin(self):
        """Multipliers of another data set may imply no metric; some part of them does."""
        while True:
            try:
                return self.settle()
            except LinAlgError:
                self.multipliers *= 0.5

    def cycle(self, order):
        constraints = self.V, self.signs, self.multipliers, self.slacks
        cpu_kernels().logdet_cycle(self.M, constraints, self.gamma, order)
        self.n_iter += 1
        self.settle()

    def settle(self):
        """M and slacks afresh from the multipliers, rounding errors gone; then both objectives."""
        theta = self.signs * self.multipliers
        inverse_slacks = 1 / self.targets - theta / self.gamma
        if not (inverse_slacks > 0).all():
            raise LinAlgError("A multiplier exceeds what its slack allows.")
        identity = np.eye(self.V.shape[1])
        root = cholesky(identity + (self.V.T * theta) @ self.V, lower=True)
        M = cho_solve((root, True), identity)
        self.M, self.slacks = (M + M.T) / 2, 1 / inverse_slacks
        self.evaluate(2 * np.log(np.diag(root)).sum())

    def evaluate(self, log_det):
        """Primal and dual objective; ``log_det`` is that of M^-1."""
        dual = log_det - self.gamma * np.log(self.slacks / self.targets).sum()
        ratios = np.einsum("ni,ni->n", self.V @ self.M, self.V) / self.targets
        ratios = np.where(self.signs > 0, np.maximum(ratios, 1), np.minimum(ratios, 1))
        divergence = np.trace(self.M) + log_det - len(self.M)
        primal = float(divergence + self.gamma * (ratios - np.log(ratios) - 1).sum())
        self.highest = max(self.highest, float(dual))
        self.best.offer(primal, (self.M, self.multipliers))


def _some_squared_distances(rng, Z):
    """Squared distances between all rows, or between random ones where there are many; copies left aside."""
    N = len(Z)
    if N * (N - 1) // 2 <= MOST_DISTANCES:
        squared = pdist(Z, "sqeuclidean")
    else:
        Z = Z[canonical_order(Z, np.zeros(N), np.ones(N))]  # the same rows in whatever order they come
        blocks = rng.integers(N, size=(100, 2, MOST_DISTANCES // 100))
        squared = np.concatenate([((Z[i] - Z[j]) ** 2).sum(axis=1) for i, j in blocks])
    return squared[squared > COPY * squared.max(initial=0.0)]
