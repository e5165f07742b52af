"""The large-margin loss of some anchors among the patterns of a mini-batch, by whole matrices: batches are small."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..energies.minibatch import Batches

PER_ANCHOR = 8  # patterns of a batch for each of its anchors
Array = NDArray[np.float64]


class BatchMargin:
    """LMNN's mean f of some batches, and of batches drawn anew, as functions of stacks (1, p, d) of maps.

    The first are ``samples``, rows (m, n). All batches have n patterns: f grows with the impostors among them.
    """

    def __init__(self, batches: Batches, samples: NDArray[np.intp], n_neighbors: int, regularization: float) -> None:
        self.batches, self.batch_size = batches, samples.shape[1]
        self.n_neighbors, self.regularization = n_neighbors, regularization
        self.fixed = [self._of(rows) for rows in samples]

    def __call__(self, A: Array) -> Array:
        return np.mean([some.value_and_grad(A)[0] for some in self.fixed], axis=0)

    def draw(self, rng: Any) -> "SomeAnchors":
        return self._of(self.batches.for_replicas(rng, self.batch_size)[0])

    def _of(self, rows):
        X, y = self.batches.X[rows], self.batches.y[rows]
        return SomeAnchors(X, y, self.n_neighbors, self.regularization, PER_ANCHOR)


class SomeAnchors:
    """f(A) = 1/n sum_i sum_{j in T(i)} ( r D_ij + (1 - r) sum_{l: y_l != y_i} max(0, 1 + D_ij - D_il) ).

    The n anchors i are every ``per_anchor``-th pattern; their targets T(i) and their impostors l are among all of them.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Patterns of a batch.
    y : ndarray of shape (m,)
        Their classes.
    n_neighbors : int
        Targets of every anchor, the nearest of its class by Euclid's distance.
    regularization : float
        r.
    per_anchor : int, default=1
        m / n.
    """

    def __init__(self, X: NDArray, y: NDArray, n_neighbors: int, regularization: float, per_anchor: int = 1) -> None:
        self.X, self.regularization = X - X.mean(axis=0, dtype=np.float64), regularization
        self.anchors = np.arange(0, len(X), per_anchor)
        self.is_other = y[self.anchors, None] != y
        D = squared_distances(self.X[self.anchors], self.X)
        D[self.is_other] = np.inf
        D[np.arange(len(D)), self.anchors] = np.inf
        k = min(n_neighbors, len(X) - 1)
        self.targets = np.argpartition(D, k - 1, axis=1)[:, :k]
        self.has_target = np.isfinite(np.take_along_axis(D, self.targets, axis=1))

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        """f (1,) and its gradient (1, p, d) at a stack (1, p, d)."""
        r, n = self.regularization, len(self.anchors)
        Z = self.X @ A[0].T
        D = squared_distances(Z[self.anchors], Z)
        to_others = np.where(self.is_other, D, np.inf)
        W, loss = np.zeros(D.shape), 0.0  # W = n df/dD
        for target, there in zip(self.targets.T, self.has_target.T, strict=True):
            pair = np.flatnonzero(there), target[there]
            excess = 1 + D[pair][:, None] - to_others[there]
            active = excess > 0
            loss += r * D[pair].sum() + (1 - r) * excess[active].sum()
            W[there] -= (1 - r) * active
            W[pair] += r + (1 - r) * active.sum(axis=1)
        dZ = W.sum(axis=0)[:, None] * Z - W.T @ Z[self.anchors]
        dZ[self.anchors] += W.sum(axis=1)[:, None] * Z[self.anchors] - W @ Z
        return np.array([loss / n]), (2 / n * dZ.T @ self.X)[None]


def squared_distances(U: Array, V: Array) -> Array:
    """|u_i - v_j|^2, of shape (len(U), len(V)); never negative."""
    D = (U**2).sum(axis=1)[:, None] + (V**2).sum(axis=1) - 2 * U @ V.T
    return np.maximum(D, 0.0, out=D)
