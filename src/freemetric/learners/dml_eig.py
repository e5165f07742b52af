"""DML-eig: push the nearest dissimilar pair away, as an eigenvalue problem."""

from typing import Any

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.optimize import minimize_scalar
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import logsumexp

from .base import generator
from .descent import lbfgs
from .fitting import Lowest, tell
from .linear_algebra import map_of, shrunk
from .parameters import CountOrNone, Positive, estimator, parameter
from .side_information import PairLearner, class_neighbors, differ

DENSE = 256  # features up to which the gradient is formed and solved; Lanczos beyond
FIRST_RANK = 64  # directions the search begins with
POLISHING = 50  # L-BFGS iterations after a Frank-Wolfe step
NEGLIGIBLE = 1e-7  # of the longest row of the factor
ROUNDING = 1e-13  # of the objective or mu


@estimator
class DMLeig(PairLearner):
    r"""Distance metric learning by eigenvalue optimisation: the largest smallest distance of dissimilar pairs.

    .. math::

        \max_{M \succeq 0}\; -\mu \log \sum_{(i, j) \in D} e^{-d_M(i, j) / \mu} \quad \text{such that} \quad
        \operatorname{mean}_{(i, j) \in S} d_M(i, j) = 1, \qquad d_M(i, j) = (x_i - x_j)^T M (x_i - x_j),

    a minimum over the dissimilar pairs D, smoothed by mu. From labels, S holds the nearest samples of the own class and
    D those of other classes. With X_S = K K^T the mean of the similar outer products the problem is convex over W = K^T
    M K >= 0 of trace one. Frank-Wolfe steps go towards the leading eigenvector of the gradient; after each, L-BFGS
    polishes a factor of W. The largest eigenvalue bounds the gap. The scale of M is a convention.

    {map_of_M} {objective} {gap} {n_iter} {classes} {features}

    References
    ----------
    Y. Ying, P. Li, Distance metric learning with eigenvalue optimization, JMLR 13, 2012.
    S. Laue, A hybrid algorithm for convex semidefinite optimization, ICML 2012.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "{leading}")
    n_neighbors: int = parameter(10, "Nearest samples of the own class and of the others that make a sample's pairs.")
    n_constraints: CountOrNone = parameter(20000, "Most dissimilar pairs, drawn at random among more; None takes all.")
    smoothing: Positive = parameter(1.0, "mu. Small values obey the single worst pair, large ones the average.")
    regularization: Positive = parameter(0.1, "Ridge on X_S relative to its mean eigenvalue.")
    max_iter: int = 100
    tol: float = parameter(1e-3, "Stop when the gap is at most this share of the largest eigenvalue.")
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    _needs_dissimilar = True

    def _learn(self, X, y, pairs=None, pair_labels=None):
        similar, dissimilar = self._constraints(X, y, pairs, pair_labels)
        U, V = X[similar[:, 0]] - X[similar[:, 1]], X[dissimilar[:, 0]] - X[dissimilar[:, 1]]
        K = cholesky(shrunk(U.T @ U / max(len(U), 1), self.regularization), lower=True)
        V = solve_triangular(K, V[differ(V)].T, lower=True).T
        search = _SmallestDistance(np.ascontiguousarray(V), self.smoothing)
        search.best.item = self._start(V, K)  # every step is better than the one before
        self._run(search, "step")
        self.objective_, self.gap_ = search.highest, search.gap
        A = solve_triangular(K, search.best.item.T, lower=True, trans=1).T
        return map_of(A.T @ A, self.n_components)

    def _constraints(self, X, y, pairs, pair_labels):
        """Index pairs (n, 2) that are similar, and those that are not."""
        if y is None:
            pairs, same = self._given_pairs(X, pairs, pair_labels)
            similar, dissimilar = pairs[same], pairs[~same]
        else:
            similar, dissimilar = map(_unordered, class_neighbors(X, y, self.n_neighbors, self.n_neighbors))
        if self.n_constraints is not None and len(dissimilar) > self.n_constraints:
            rng = generator(self.random_state)
            dissimilar = dissimilar[rng.choice(len(dissimilar), self.n_constraints, replace=False)]
        return similar, dissimilar

    def _start(self, V, K):
        """A factor L of trace one: the last fit's, or equal weight on the directions in which D differs most."""
        A, d = getattr(self, "components_", None) if self.warm_start else None, len(K)
        L = np.eye(d) if d <= FIRST_RANK else eigh(V.T @ V, subset_by_index=[d - FIRST_RANK, d - 1])[1].T
        L = L if A is None or A.shape[1] != d else A @ K
        return L / np.linalg.norm(L)


class _SmallestDistance:
    """The smoothed smallest of the squared lengths |L v|^2 over factors L with |L| = 1, and its maximisation."""

    def __init__(self, V, smoothing):
        self.V, self.mu = V, smoothing
        self.best, self.highest, self.gap, self.n_iter = Lowest(), -np.inf, np.inf, 0

    def run(self, max_iter, tol, verbose):
        """Whether the gap is small after at most ``max_iter`` Frank-Wolfe steps."""
        if not len(self.V):  # all dissimilar pairs are copies: every metric is as good
            self.highest = self.gap = 0.0
            return True
        while True:
            self.highest, weights, Z = self.evaluate(self.best.item)
            squared = (Z * Z).sum(axis=1)
            value, q = self.leading_eigenvector(weights)
            self.gap = max(float(value - weights @ squared), 0.0)
            tell(verbose, "DMLeig step %d: objective %.6g, gap %.2e", self.n_iter, self.highest, self.gap)
            if self.gap <= max(tol * value, ROUNDING * max(abs(self.highest), self.mu)):
                return True
            if self.n_iter == max_iter or not self.step(squared, q):
                return False

    def step(self, squared, q):
        """Towards q q^T, then polish; False if that no longer raises the objective."""
        along = (self.V @ q) ** 2
        share = minimize_scalar(
            lambda a: logsumexp(-((1 - a) * squared + a * along) / self.mu),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-9},
        ).x
        L = self.polish(np.vstack([np.sqrt(1 - share) * self.best.item, np.sqrt(share) * q]))
        self.n_iter += 1
        if self.evaluate(L)[0] <= self.highest:
            return False
        self.best.item = L
        return True

    def evaluate(self, L):
        """Smoothed minimum, weights of the pairs (its derivative) and mapped differences."""
        Z = self.V @ L.T
        exponents = np.einsum("nr,nr->n", Z, Z) / -self.mu
        total = logsumexp(exponents)
        return float(-self.mu * total), np.exp(exponents - total), Z

    def leading_eigenvector(self, weights):
        """Largest eigenvalue and eigenvector of the gradient, sum of weight v v^T."""
        V, d = self.V, self.V.shape[1]
        if d <= DENSE:
            values, vectors = eigh((V.T * weights) @ V, subset_by_index=[d - 1, d - 1])
        else:
            gradient = LinearOperator((d, d), matvec=lambda v: V.T @ (weights * (V @ v.ravel())), dtype=np.float64)
            values, vectors = eigsh(gradient, k=1, which="LA", v0=V.T @ (weights * (V @ np.ones(d))))
        return values[0], vectors[:, 0]

    def polish(self, L):
        """Maximise over the factor at unit length by L-BFGS."""

        def objective(flat):
            length = np.linalg.norm(flat)
            unit = flat.reshape(L.shape) / length
            value, weights, Z = self.evaluate(unit)
            gradient = 2 * (Z * weights[:, None]).T @ self.V
            return -value, -((gradient - (gradient * unit).sum() * unit) / length).ravel()

        flat = lbfgs(objective, L, POLISHING, ftol=1e-12, gtol=1e-10).x
        # the same L^T L / |L|^2 by orthogonal rows, negligible ones left out
        _, lengths, rows = np.linalg.svd(flat.reshape(L.shape), full_matrices=False)
        kept = lengths > NEGLIGIBLE * lengths[0]
        L = lengths[kept, None] * rows[kept]
        return L / np.linalg.norm(L)


def _unordered(neighbors):
    """Pairs (n, 2) of every row with its neighbours, each once; -1 is no neighbour."""
    pairs = np.column_stack([np.repeat(np.arange(len(neighbors)), neighbors.shape[1]), neighbors.ravel()])
    return np.unique(np.sort(pairs[pairs[:, 1] >= 0], axis=1), axis=0)
