"""ITML: the metric closest to a prior that keeps similar pairs near and dissimilar pairs far."""

from typing import Annotated, Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.spatial.distance import pdist

from ..kernels import cpu_kernels
from .base import generator
from .fitting import Lowest, tell
from .linear_algebra import map_of
from .parameters import Positive, estimator, parameter
from .side_information import COPY, PairLearner, PriorLearner, check_pairs, differ, draw_pairs
from .training_rows import canonical_order

MOST_DISTANCES = 100_000  # sampled for the bounds
PERCENTILES = (5, 95)
ROUNDING = 1e-13  # of the terms that the objective sums


@estimator
class ITML(PriorLearner, PairLearner):
    r"""Information-theoretic metric learning: stay close to a prior metric, respect pairs as far as they agree.

    .. math::

        \min_{M, \xi}\; D(M, M_0) + \gamma \sum_c D(\xi_c, \xi^0_c) \quad \text{such that} \quad
        v_c^T M v_c \le \xi_c \text{ (similar)}, \quad v_c^T M v_c \ge \xi_c \text{ (dissimilar)},

    where v_c is the difference of the two samples of pair c, D is the LogDet divergence tr(M M_0^-1) -
    log det(M M_0^-1) - d (of ratios r: r - log r - 1), and the slacks start at xi^0 = u for similar, l for dissimilar
    pairs. Bregman projections, rank-one changes of M, maximise the dual one multiplier at a time, in a new random order
    every cycle. At the solution, with s_c = 1 for similar and -1 for dissimilar pairs,

    .. math::

        M^{-1} = M_0^{-1} + \sum_c s_c \lambda_c v_c v_c^T, \qquad
        1 / \xi_c = 1 / \xi^0_c - s_c \lambda_c / \gamma, \qquad \lambda_c \ge 0.

    The problem is convex. The number of cycles grows with gamma. Zero differences are left out.

    Attributes
    ----------
    {map_of_M} {objective} {gap} {pairs}
    dual_ : ndarray of shape (n_pairs,)
        The multipliers lambda; 0 for pairs without influence.
    bounds_ : tuple of two floats
        u and l.
    {n_iter} {classes} {features}

    Notes
    -----
    A projection moves the multiplier by gamma / (gamma + 1) (1 / xi - 1 / v^T M v), the exact minimiser. The step of
    Algorithm 1 of the reference agrees with it only for gamma = 1.

    References
    ----------
    J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon, Information-theoretic metric learning, ICML 2007.

    {gap_on_wine} {pairs_on_wine}
    """

    n_components: int | None = parameter(None, "{leading}")
    gamma: Positive = parameter(1.0, "Weight of the pairs against the prior; large values enforce the bounds.")
    n_constraints: int | None = None
    prior: Any = "identity"
    bounds: Annotated[Any, tuple, list, np.ndarray, None] = parameter(
        None,
        "Squared distances u, the most for similar pairs, and l, the least for dissimilar ones. None: the 5th and "
        "95th percentile of the squared distances between distinct samples under the prior.",
        "(float, float) or None",
    )
    max_iter: int = 1000
    tol: float = parameter(1e-4, "{tol_of_gap}")
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        rng, last = generator(self.random_state), self._last_pairs(y)
        if y is None:
            pairs, similar = check_pairs(pairs, pair_labels, len(X))
        else:
            pairs, similar = last or draw_pairs(rng, X, y, self._n_pairs(y))
        root = cholesky(self._prior(X, all_rows), lower=True)
        Z = X @ root  # where the prior is the identity
        u, l = self._bounds(rng, Z)
        V, targets, signs = Z[pairs[:, 0]] - Z[pairs[:, 1]], np.where(similar, u, l), np.where(similar, 1.0, -1.0)
        given, kept, dual = self._as_given(pairs), differ(V), np.zeros(len(pairs))
        if self.warm_start and hasattr(self, "pairs_") and np.array_equal(self.pairs_, given):
            dual = np.where(kept & (self.pair_labels_ == signs).all(), vars(self)["dual_"], 0.0)
        search = _Projections(rng, V[kept], signs[kept], targets[kept], float(self.gamma), dual[kept])
        self._run(search, "cycle")
        M, dual[kept] = search.best.item
        self.pairs_, self.pair_labels_, self.dual_, self.bounds_ = given, signs.astype(int), dual, (u, l)
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

    def _last_pairs(self, y):
        """The last fit's pairs as rows of y, and which are similar, for a warm start with labels where they suit."""
        pairs = getattr(self, "pairs_", None) if self.warm_start else None
        if pairs is None or y is None or len(pairs) != self._n_pairs(y) // 2 * 2:
            return None
        pairs = pairs if self._rows is None else np.searchsorted(self._rows, pairs)
        if pairs.max() >= len(y) or not np.array_equal(self._as_given(pairs), self.pairs_):
            return None
        similar = y[pairs[:, 0]] == y[pairs[:, 1]]
        return (pairs, similar) if np.array_equal(similar, self.pair_labels_ == 1) else None


class _Projections:
    """Multipliers, their metric M, and the gap between primal and dual objective; the prior is the identity."""

    def __init__(self, rng, V, signs, targets, gamma, multipliers):
        self.rng = rng
        self.V, self.signs, self.targets, self.gamma, self.multipliers = V, signs, targets, gamma, multipliers
        self.best, self.highest, self.n_iter = Lowest(), -np.inf, 0

    @property
    def gap(self):
        return max(self.best.value - self.highest, 0.0)

    def run(self, max_iter, tol, verbose):
        """Whether the gap is small after at most ``max_iter`` cycles."""
        self.begin()
        rounding = ROUNDING * (len(self.M) + self.gamma * len(self.V))
        while self.gap > max(tol * self.best.value, rounding):
            if self.n_iter == max_iter:
                return False
            try:
                self.cycle(self.rng.permutation(len(self.V)))
            except LinAlgError:  # contradictory bounds and a large gamma: M overflows
                return False
            tell(verbose, "ITML cycle %d: objective %.6g, gap %.2e", self.n_iter, self.best.value, self.gap)
        return True

    def begin(self):
        """Halve multipliers, which another data set may have left, until they imply a metric."""
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
        """Recompute M and slacks from the multipliers, without rounding errors, and both objectives."""
        theta = self.signs * self.multipliers
        inverse_slacks = 1 / self.targets - theta / self.gamma
        if not (inverse_slacks > 0).all():
            raise LinAlgError("A multiplier exceeds what its slack allows.")
        identity = np.eye(self.V.shape[1])
        root = cholesky(identity + (self.V.T * theta) @ self.V, lower=True)
        M = cho_solve((root, True), identity)
        self.M, self.slacks = (M + M.T) / 2, 1 / inverse_slacks
        log_det = 2 * np.log(np.diag(root)).sum()  # of M^-1
        dual = log_det - self.gamma * np.log(self.slacks / self.targets).sum()
        ratios = np.einsum("ni,ni->n", self.V @ self.M, self.V) / self.targets
        ratios = np.where(self.signs > 0, np.maximum(ratios, 1), np.minimum(ratios, 1))
        divergence = np.trace(self.M) + log_det - len(self.M)
        primal = float(divergence + self.gamma * (ratios - np.log(ratios) - 1).sum())
        self.highest = max(self.highest, float(dual))
        self.best.offer(primal, (self.M, self.multipliers))


def _some_squared_distances(rng, Z):
    """Squared distances between all rows, or random ones of many rows, without those of copies."""
    N = len(Z)
    if N * (N - 1) // 2 <= MOST_DISTANCES:
        squared = pdist(Z, "sqeuclidean")
    else:
        Z = Z[canonical_order(Z, np.zeros(N), np.ones(N))]  # independent of the order of rows
        blocks = rng.integers(N, size=(100, 2, MOST_DISTANCES // 100))
        squared = np.concatenate([((Z[i] - Z[j]) ** 2).sum(axis=1) for i, j in blocks])
    return squared[squared > COPY * squared.max(initial=0.0)]
