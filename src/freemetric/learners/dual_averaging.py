"""The hinge of triplets, and its descent by regularised dual averaging over mini-batches.

The P_ai are the samples' positions along the bases; a triplet (a, p, n) says that a is nearer to p than to n. With
z_i = (P_ai - P_pi)^2 - (P_ai - P_ni)^2 its hinge is [1 + sum_i w_i z_i]_+. No array of triplets x bases is made.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.compiling import njit
from .base import tell
from .fitting import Lowest
from .linear_algebra import map_of

SUMS = {"reassoc", "contract", "nsz"}  # sums in any order; infinities and nan stay what they are
f32 = np.float32
STEPS = 1000  # between two evaluations of the exact objective
PATIENCE = 5  # evaluations over which tol is measured
BLOCK = 4096  # rows that are projected at a time
SEEN = 10_000  # triplets that tell how long differences are
TAIL = 3  # the average weighs iterate s by about s**TAIL: old iterates fade, noise still averages out


class DualAverage(NamedTuple):
    """Arrays (n_basis,) that a run updates in place."""

    start: np.ndarray  # float64; where the proximal term pulls
    gradients: np.ndarray  # float64; sum over the steps
    squares: np.ndarray  # float64; sum of the squared gradients
    weights: np.ndarray  # float32; the iterate
    average: np.ndarray  # float64; of the iterates

    @classmethod
    def at(cls, start: NDArray) -> "DualAverage":
        n = len(start)
        return cls(start.copy(), np.zeros(n), np.zeros(n), start.astype(f32), start.copy())


@njit(fastmath=SUMS, nogil=True, cache=True)
def margin(P, a, p, n, weights, z):
    """1 + sum_i w_i z_i; fills z."""
    total = f32(1)
    for i in range(z.shape[0]):
        near, far = P[a, i] - P[p, i], P[a, i] - P[n, i]
        z[i] = near * near - far * far
        total += weights[i] * z[i]
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def batch_gradient(P, triplets, batch, weights, z, g):
    """Fills g with the mean over the batch of the hinges' gradients."""
    g[:] = f32(0)
    share = f32(1) / f32(batch.shape[0])
    for m in batch:
        if margin(P, triplets[m, 0], triplets[m, 1], triplets[m, 2], weights, z) > f32(0):
            for i in range(z.shape[0]):
                g[i] += share * z[i]


@njit(fastmath=SUMS, nogil=True, cache=True)
def update(state, g, penalty, gamma, t):
    """w = argmin_{w >= 0} <sum of g, w> + t <penalty, w> + |w - start|_H^2 / (2 gamma), H = diag sqrt(sum of g^2)."""
    share = (1.0 + TAIL) / (t + TAIL)
    for i in range(g.shape[0]):
        state.gradients[i] += g[i]
        state.squares[i] += g[i] * g[i]
        H = 1e-12 + np.sqrt(state.squares[i])
        w = max(0.0, state.start[i] - gamma * (state.gradients[i] + t * penalty[i]) / H)
        state.weights[i] = w
        state.average[i] += share * (w - state.average[i])


@njit(nogil=True, cache=True)
def descend(P, triplets, batches, state, penalty, gamma, t):
    """Take one step per row of ``batches`` (numbers of triplets), the first being step number ``t + 1``."""
    z, g = np.empty(P.shape[1], f32), np.empty(P.shape[1], f32)
    for s in range(batches.shape[0]):
        batch_gradient(P, triplets, batches[s], state.weights, z, g)
        update(state, g, penalty, gamma, t + s + 1)


@njit(fastmath=SUMS, nogil=True, cache=True)
def squared_distance(Z, a, b):
    total = 0.0
    for i in range(Z.shape[1]):
        total += (Z[a, i] - Z[b, i]) ** 2
    return total


@njit(nogil=True, cache=True)
def mean_hinge(Z, triplets):
    """Mean of [1 + |z_a - z_p|^2 - |z_a - z_n|^2]_+ over the triplets, for mapped samples Z (N, p)."""
    total = 0.0
    for m in range(triplets.shape[0]):
        a, p, n = triplets[m]
        total += max(0.0, 1.0 + squared_distance(Z, a, p) - squared_distance(Z, a, n))
    return total / triplets.shape[0]


class Steps(NamedTuple):
    """How a run takes its steps."""

    rng: np.random.Generator
    batch_size: int  # triplets
    gamma: float  # length


class DualAveraging:
    """The run of dual averaging, in units of its own, and the best weights it was seen at.

    Base i is divided by the root of the impostors' mean squared distance s_i along it and its weight multiplied by s_i:
    the same F, but AdaGrad's steps, which do not know the features' scale, have the right size.
    """

    def __init__(
        self, X: NDArray, triplets: NDArray, basis: NDArray, start: NDArray, regularization: float, steps: Steps
    ) -> None:
        self.X, self.triplets, self.basis, self.regularization, self.steps = X, triplets, basis, regularization, steps
        self.spread = _spread(X, triplets, basis)
        self.P = _projections(X, basis / np.sqrt(self.spread)[:, None])
        self.state = DualAverage.at(start * self.spread)
        self.best, self.latest = Lowest(1.0), 1.0  # F(0) = 1
        self.trace: list[float] = []
        self.n_iter = 0
        if start.any() and len(triplets):
            self.look_at(start)

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within so many steps."""
        for done in range(0, max_iter, STEPS):
            self.advance(min(STEPS, max_iter - done))
            tell(verbose, "SCML iteration %d: objective %.6f", self.n_iter, self.best.value)
            if self.has_settled(tol):
                return True
        return False

    def advance(self, n_steps: int) -> None:
        """Take steps, then look where they led."""
        batches = self.steps.rng.integers(len(self.triplets), size=(n_steps, self.steps.batch_size))
        penalty = self.regularization / self.spread
        descend(self.P, self.triplets, batches, self.state, penalty, self.steps.gamma, self.n_iter)
        self.n_iter += n_steps
        iterate = self.state.weights / self.spread
        # the average has less noise, but would keep a little of every base that ever was used
        average = np.where(iterate > 0, self.state.average / self.spread, 0.0)
        self.latest = min(self.look_at(iterate), self.look_at(average))
        self.trace.append(self.best.value)

    def look_at(self, weights: NDArray) -> float:
        """F, exactly."""
        A = map_of((self.basis.T * weights) @ self.basis)
        value = mean_hinge(self.X @ A.T, self.triplets) + self.regularization * weights.sum()
        self.best.offer(value, weights)
        return value

    def has_settled(self, tol: float) -> bool:
        """Whether the last looks found little better and the last one is near the best."""
        before = self.trace[-1 - PATIENCE] if len(self.trace) > PATIENCE else np.inf
        return before - self.best.value < tol and self.latest - self.best.value <= tol

    def weights(self) -> NDArray:
        return np.zeros(len(self.basis)) if self.best.item is None else self.best.item


def _spread(X, triplets, basis):
    """Mean squared distance of impostors along every base, (n_basis,); never 0."""
    some = triplets[:: max(1, len(triplets) // SEEN)]
    D = X[some[:, 0]] - X[some[:, 2]]
    spread = np.einsum("id,de,ie->i", basis, D.T @ D / max(1, len(D)), basis, optimize=True)
    spread = np.maximum(spread, 1e-6 * spread.mean())
    return np.where(spread > 0, spread, 1.0)


def _projections(X, basis):
    P = np.empty((len(X), len(basis)), dtype=np.float32)
    for i in range(0, len(X), BLOCK):
        P[i : i + BLOCK] = X[i : i + BLOCK] @ basis.T
    return P
