"""DML-eig: push the nearest dissimilar pair away, as an eigenvalue problem."""

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.optimize import minimize_scalar
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import logsumexp

from ..sklearn_compat import generator
from .constraints import COUNT, COUNT_OR_NONE, POSITIVE, SEARCH
from .descent import BestSoFar, lbfgs, logger
from .linear_algebra import map_of, shrunk
from .side_information import PairLearner, are_different, class_neighbors

DENSE = 256  # features up to which the gradient is formed; Lanczos beyond
FIRST_RANK = 64  # directions the search begins with
POLISHING = 50  # L-BFGS iterations after a Frank-Wolfe step
NEGLIGIBLE = 1e-7  # of the longest row of the factor
ROUNDING = 1e-13  # of the objective or mu


class DMLeig(PairLearner):
    r"""Distance metric learning by eigenvalue optimisation: no dissimilar pair near.

    .. math::

        \max_{M \succeq 0}\; -\mu \log \sum_{(i, j) \in D} e^{-d_M(i, j) / \mu} \quad
        \text{such that} \quad \operatorname{mean}_{(i, j) \in S} d_M(i, j) = 1, \qquad
        d_M(i, j) = (x_i - x_j)^T M (x_i - x_j),

    a minimum over the dissimilar pairs D, smoothed by mu. From labels, S holds the
    nearest samples of the own class and D those of other classes. With X_S = K K^T the
    mean of the similar outer products the problem is convex over W = K^T M K >= 0 of
    trace one. Frank-Wolfe steps go towards the leading eigenvector of the gradient;
    after each, L-BFGS polishes a factor of W. The largest eigenvalue bounds the gap.
    The scale of M is a convention.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of largest eigenvalue of M to keep; None keeps all.
    n_neighbors : int, default=10
        Nearest samples of the own class and of the others that make a sample's pairs.
    n_constraints : int or None, default=20000
        Most dissimilar pairs, drawn at random among more; None takes all.
    smoothing : float, default=1.0
        mu. Small values obey the single worst pair, large ones the average.
    regularization : float, default=0.1
        Ridge on X_S relative to its mean eigenvalue.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=0.001
        Stop when the gap is at most this share of the largest eigenvalue.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    objective_ : float
        The objective at the solution.
    gap_ : float
        Upper bound on the distance of the objective from its optimum.
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
    .. [1] Y. Ying, P. Li, Distance metric learning with eigenvalue optimization, JMLR
           13, 2012.
    .. [2] S. Laue, A hybrid algorithm for convex semidefinite optimization, ICML 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLeig
    >>> DMLeig(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _needs_dissimilar = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "n_neighbors": COUNT,
        "n_constraints": COUNT_OR_NONE,
        "smoothing": POSITIVE,
        "regularization": POSITIVE,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=10,
        n_constraints=20000,
        smoothing=1.0,
        regularization=0.1,
        max_iter=100,
        tol=0.001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_constraints = n_constraints
        self.smoothing = smoothing
        self.regularization = regularization
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, pairs=None, pair_labels=None):
        similar, dissimilar = self._constraints(X, y, pairs, pair_labels)
        U = X[similar[:, 0]] - X[similar[:, 1]]
        V = X[dissimilar[:, 0]] - X[dissimilar[:, 1]]
        C = shrunk(U.T @ U / max(len(U), 1), self.regularization)
        K = cholesky(C, lower=True)
        V = solve_triangular(K, V[are_different(V)].T, lower=True).T
        search = _SmallestDistance(np.ascontiguousarray(V), self.smoothing)
        n_iter = self._run(search, "steps")
        A = solve_triangular(K, search.best.item.T, lower=True, trans=1).T
        return {
            "components_": map_of(A.T @ A, self.n_components),
            "objective_": search.highest,
            "gap_": search.gap,
            "n_iter_": n_iter,
        }

    def _constraints(self, X, y, pairs, pair_labels):
        """Index pairs (n, 2) that are similar, and those that are not."""
        if y is None:
            pairs, same = self._checked_pairs(X, pairs, pair_labels)
            similar = pairs[same]
            dissimilar = pairs[~same]
        else:
            own, other = class_neighbors(X, y, self.n_neighbors, self.n_neighbors)
            similar = _unordered(own)
            dissimilar = _unordered(other)
        most = self.n_constraints
        if most is not None and len(dissimilar) > most:
            rng = generator(self.random_state)
            chosen = rng.choice(len(dissimilar), most, replace=False)
            dissimilar = dissimilar[chosen]
        return similar, dissimilar


class _SmallestDistance:
    """The smoothed smallest of the squared lengths |L v|^2, and its maximisation.

    Over factors L with |L| = 1, that is W = L^T L of trace one. ``best`` holds L.
    """

    def __init__(self, V, smoothing) -> None:
        self.V = V
        self.mu = smoothing
        self.best = BestSoFar(item=_first_factor(V))
        self.highest = -np.inf
        self.gap = np.inf
        self.n_iter = 0

    def run(self, max_iter, tol):
        """Whether the gap is small after at most ``max_iter`` Frank-Wolfe steps."""
        if not len(self.V):  # all dissimilar pairs are copies: every metric is as good
            self.highest = 0.0
            self.gap = 0.0
            return True
        while True:
            self.highest, weights, Z = self.evaluate(self.best.item)
            squared = (Z * Z).sum(axis=1)
            value, q = self.leading_eigenvector(weights)
            self.gap = max(float(value - weights @ squared), 0.0)
            message = "step %d: objective %.6g, gap %.2e"
            logger.info(message, self.n_iter, self.highest, self.gap)
            rounding = ROUNDING * max(abs(self.highest), self.mu)
            if self.gap <= max(tol * value, rounding):
                return True
            if self.n_iter == max_iter or not self.step(squared, q):
                return False

    def step(self, squared, q):
        """Towards q q^T, then polish; False if that no longer raises the objective."""
        along = (self.V @ q) ** 2

        def cost(share):
            return logsumexp(-((1 - share) * squared + share * along) / self.mu)

        options = {"xatol": 1e-9}
        share = minimize_scalar(
            cost, bounds=(0, 1), method="bounded", options=options
        ).x
        L = np.vstack([np.sqrt(1 - share) * self.best.item, np.sqrt(share) * q])
        L = self.polish(L)
        self.n_iter += 1
        if self.evaluate(L)[0] <= self.highest:
            return False
        self.best.item = L
        return True

    def evaluate(self, L):
        """Smoothed minimum, weights of the pairs (its derivative), differences."""
        Z = self.V @ L.T
        exponents = np.einsum("nr,nr->n", Z, Z) / -self.mu
        total = logsumexp(exponents)
        return float(-self.mu * total), np.exp(exponents - total), Z

    def leading_eigenvector(self, weights):
        """Largest eigenvalue and its vector of the gradient, sum of weight v v^T."""
        V = self.V
        d = V.shape[1]
        if d <= DENSE:
            last = [d - 1, d - 1]
            values, vectors = eigh((V.T * weights) @ V, subset_by_index=last)
            return values[0], vectors[:, 0]

        def product(v):
            return V.T @ (weights * (V @ v.ravel()))

        gradient = LinearOperator((d, d), matvec=product, dtype=np.float64)
        values, vectors = eigsh(gradient, k=1, which="LA", v0=product(np.ones(d)))
        return values[0], vectors[:, 0]

    def polish(self, L):
        """Maximise over the factor at unit length by L-BFGS."""

        def objective(flat):
            length = np.linalg.norm(flat)
            unit = flat.reshape(L.shape) / length
            value, weights, Z = self.evaluate(unit)
            gradient = 2 * (Z * weights[:, None]).T @ self.V
            tangent = gradient - (gradient * unit).sum() * unit
            return -value, -(tangent / length).ravel()

        flat = lbfgs(objective, L, POLISHING, ftol=1e-12, gtol=1e-10).x
        # the same L^T L / |L|^2 by orthogonal rows, negligible ones left out
        _, lengths, rows = np.linalg.svd(flat.reshape(L.shape), full_matrices=False)
        kept = lengths > NEGLIGIBLE * lengths[0]
        L = lengths[kept, None] * rows[kept]
        return L / np.linalg.norm(L)


def _first_factor(V):
    """A factor of trace one: equal weight on the directions in which V is longest."""
    d = V.shape[1]
    if d <= FIRST_RANK:
        L = np.eye(d)
    else:
        L = eigh(V.T @ V, subset_by_index=[d - FIRST_RANK, d - 1])[1].T
    return L / np.linalg.norm(L)


def _unordered(neighbors):
    """Pairs (n, 2) of every row with its neighbours, each once; -1 is no neighbour."""
    rows = np.repeat(np.arange(len(neighbors)), neighbors.shape[1])
    pairs = np.column_stack([rows, neighbors.ravel()])
    return np.unique(np.sort(pairs[pairs[:, 1] >= 0], axis=1), axis=0)
