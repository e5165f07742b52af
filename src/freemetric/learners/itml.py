"""ITML: the metric closest to a prior that keeps pairs near or far."""

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.spatial.distance import pdist

from ..kernels import cpu_kernels
from ..sklearn_compat import generator
from .constraints import COUNT_OR_NONE, POSITIVE, PRIOR, SEARCH, TWO_OR_MORE_OR_NONE
from .descent import BestSoFar, logger
from .linear_algebra import map_of
from .side_information import (
    COPY,
    PairLearner,
    are_different,
    check_pairs,
    draw_pairs,
    prior_matrix,
)
from .validation import canonical_order, labelled_rows

MOST_DISTANCES = 100_000  # sampled for the bounds
BLOCKS = 100  # in which they are sampled
PERCENTILES = (5, 95)
ROUNDING = 1e-13  # of the terms that the objective sums


class ITML(PairLearner):
    r"""Information-theoretic metric learning: pairs against a prior metric.

    .. math::

        \min_{M, \xi}\; D(M, M_0) + \gamma \sum_c D(\xi_c, \xi^0_c) \quad
        \text{such that} \quad v_c^T M v_c \le \xi_c \text{ (similar)}, \quad
        v_c^T M v_c \ge \xi_c \text{ (dissimilar)},

    where v_c is the difference of the two samples of pair c, D is the LogDet divergence
    tr(M M_0^-1) - log det(M M_0^-1) - d (of ratios r: r - log r - 1), and the slacks
    start at xi^0 = u for similar, l for dissimilar pairs. Bregman projections, rank-one
    changes of M, maximise the dual one multiplier at a time, in a new random order
    every cycle. At the solution, with s_c = 1 for similar and -1 for dissimilar pairs,

    .. math::

        M^{-1} = M_0^{-1} + \sum_c s_c \lambda_c v_c v_c^T, \qquad
        1 / \xi_c = 1 / \xi^0_c - s_c \lambda_c / \gamma, \qquad \lambda_c \ge 0.

    The problem is convex. The number of cycles grows with gamma. Zero differences are
    left out.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of largest eigenvalue of M to keep; None keeps all.
    gamma : float, default=1.0
        Weight of the pairs against the prior; large values enforce the bounds.
    n_constraints : int or None, default=None
        Pairs drawn from the labels, half of them similar. None: 20 n_classes^2, between
        1000 and 10,000.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.
    bounds : (float, float) or None, default=None
        Squared distances u, the most for similar pairs, and l, the least for dissimilar
        ones. None: the 5th and 95th percentile of the squared distances between
        distinct samples under the prior.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=0.0001
        Stop when the objective is at most this share of itself away from the optimum.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs and of their order.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    objective_ : float
        The objective at the solution.
    gap_ : float
        Upper bound on the distance of the objective from its optimum.
    pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.
    dual_ : ndarray of shape (n_pairs,)
        The multipliers lambda; 0 for pairs without influence.
    bounds_ : tuple of two floats
        u and l.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Notes
    -----
    A projection moves the multiplier by gamma / (gamma + 1) (1 / xi - 1 / v^T M v), the
    exact minimiser. The step of Algorithm 1 of the reference agrees with it only for
    gamma = 1.

    References
    ----------
    .. [1] J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon, Information-theoretic
           metric learning, ICML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import ITML
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = ITML(random_state=0).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * abs(model.objective_))
    True
    >>> pairs = [[0, 1], [0, 100]]  # instead of labels
    >>> model = ITML().fit(X, pairs=pairs, pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[pairs])
    >>> bool(near < far)
    True
    """

    _uses_unlabelled = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "gamma": POSITIVE,
        "n_constraints": TWO_OR_MORE_OR_NONE,
        "prior": PRIOR,
        "bounds": [tuple, list, np.ndarray, None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        gamma=1.0,
        n_constraints=None,
        prior="identity",
        bounds=None,
        max_iter=1000,
        tol=0.0001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_constraints = n_constraints
        self.prior = prior
        self.bounds = bounds
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, pairs=None, pair_labels=None):
        rng = generator(self.random_state)
        if y is None:
            pairs, similar = check_pairs(pairs, pair_labels, len(X))
        else:
            pairs, similar = draw_pairs(rng, X, y, self.n_constraints)
        root = cholesky(prior_matrix(self.prior, X), lower=True)
        Z = X @ root  # where the prior is the identity
        u, l = self._bounds(rng, labelled_rows(Z, y))
        V = Z[pairs[:, 0]] - Z[pairs[:, 1]]
        targets = np.where(similar, u, l)
        signs = np.where(similar, 1, -1)
        kept = are_different(V)
        search = _Projections(rng, V[kept], signs[kept], targets[kept], self.gamma)
        n_iter = self._run(search, "cycles")
        dual = np.zeros(len(pairs))
        dual[kept] = search.best_multipliers
        M = root @ search.best.item @ root.T
        return {
            "components_": map_of(M, self.n_components),
            "objective_": search.best.value,
            "gap_": search.gap,
            "pairs_": pairs,
            "pair_labels_": signs,
            "dual_": dual,
            "bounds_": (u, l),
            "n_iter_": n_iter,
        }

    def _bounds(self, rng, Z):
        """u and l, as they are given or by the distances in Z."""
        if self.bounds is None:
            squared = _squared_distances(rng, Z)
            if not len(squared):
                return 1.0, 1.0
            return tuple(np.percentile(squared, PERCENTILES).tolist())
        bounds = np.asarray(self.bounds, dtype=np.float64)
        if bounds.shape != (2,) or not (np.isfinite(bounds) & (bounds > 0)).all():
            expected = "two positive squared distances, u and l"
            raise ValueError(f"bounds must be {expected}; got {self.bounds!r}.")
        return tuple(bounds.tolist())


class _Projections:
    """Multipliers, their metric M, and both objectives; the prior is the identity."""

    def __init__(self, rng, V, signs, targets, gamma) -> None:
        self.rng = rng
        self.V = V
        self.signs = signs.astype(np.float64)
        self.targets = targets
        self.gamma = float(gamma)
        self.multipliers = np.zeros(len(V))
        self.best = BestSoFar()
        self.best_multipliers = self.multipliers
        self.highest = -np.inf
        self.n_iter = 0

    @property
    def gap(self):
        """The primal less the dual objective."""
        return max(self.best.value - self.highest, 0.0)

    def run(self, max_iter, tol):
        """Whether the gap is small after at most ``max_iter`` cycles."""
        self.settle()
        rounding = ROUNDING * (len(self.M) + self.gamma * len(self.V))
        while self.gap > max(tol * self.best.value, rounding):
            if self.n_iter == max_iter:
                return False
            try:
                self.cycle()
            except LinAlgError:  # contradictory bounds, a large gamma: M overflows
                return False
            message = "cycle %d: objective %.6g, gap %.2e"
            logger.info(message, self.n_iter, self.best.value, self.gap)
        return True

    def cycle(self):
        """Project on every constraint once, in random order."""
        order = self.rng.permutation(len(self.V))
        constraints = self.V, self.signs, self.multipliers, self.slacks
        cpu_kernels().logdet_cycle(self.M, constraints, self.gamma, order)
        self.n_iter += 1
        self.settle()

    def settle(self):
        """Recompute M and slacks from the multipliers, without rounding errors."""
        theta = self.signs * self.multipliers
        inverse_slacks = 1 / self.targets - theta / self.gamma
        if not (inverse_slacks > 0).all():
            raise LinAlgError("A multiplier exceeds what its slack allows.")
        identity = np.eye(self.V.shape[1])
        root = cholesky(identity + (self.V.T * theta) @ self.V, lower=True)
        M = cho_solve((root, True), identity)
        self.M = (M + M.T) / 2
        self.slacks = 1 / inverse_slacks
        log_det = 2 * np.log(np.diag(root)).sum()  # of M^-1
        slack = np.log(self.slacks / self.targets).sum()
        self.highest = max(self.highest, float(log_det - self.gamma * slack))
        if self.best.offer(self.primal(log_det), self.M):
            self.best_multipliers = self.multipliers.copy()

    def primal(self, log_det):
        """The objective at M with the best slacks."""
        ratios = np.einsum("ni,ni->n", self.V @ self.M, self.V) / self.targets
        lower = np.minimum(ratios, 1)
        ratios = np.where(self.signs > 0, np.maximum(ratios, 1), lower)
        divergence = np.trace(self.M) + log_det - len(self.M)
        cost = (ratios - np.log(ratios) - 1).sum()
        return float(divergence + self.gamma * cost)


def _squared_distances(rng, Z):
    """Squared distances of all pairs, or of random ones, without those of copies."""
    N = len(Z)
    if N * (N - 1) // 2 <= MOST_DISTANCES:
        squared = pdist(Z, "sqeuclidean")
    else:
        Z = Z[canonical_order(Z)]
        blocks = rng.integers(N, size=(BLOCKS, 2, MOST_DISTANCES // BLOCKS))
        parts = [((Z[i] - Z[j]) ** 2).sum(axis=1) for i, j in blocks]
        squared = np.concatenate(parts)
    return squared[squared > COPY * squared.max(initial=0.0)]
