"""The hinge of triplets, and its descent by regularised dual averaging over mini-batches.

The P_ai are the samples' positions along the bases; a triplet (a, p, n) says that a is nearer to p than to n. With
z_i = (P_ai - P_pi)^2 - (P_ai - P_ni)^2 its hinge is [1 + sum_i w_i z_i]_+. No array of triplets x bases is made.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import cpu_kernels
from .fitting import Lowest, tell
from .linear_algebra import map_of

STEPS = 1000  # between two evaluations of the exact objective
PATIENCE = 5  # evaluations over which tol is measured
BLOCK = 4096  # rows that are projected at a time
SEEN = 10_000  # triplets that tell how long differences are


class DualAveraging:
    """The run of dual averaging, in units of its own, and the best weights it was seen at.

    Base i is divided by the root of the impostors' mean squared distance s_i along it and its weight multiplied by s_i:
    the same F, but AdaGrad's steps, which do not know the features' scale, have the right size. ``learner`` is SCML.
    """

    def __init__(
        self, learner: Any, rng: np.random.Generator, X: NDArray, triplets: NDArray, basis: NDArray, start: NDArray
    ) -> None:
        self.X, self.triplets, self.basis, self.rng = X, triplets, basis, rng
        self.regularization, self.batch_size = learner.regularization, learner.batch_size
        self.spread = _spread(X, triplets, basis)
        self.P = _projections(X, basis / np.sqrt(self.spread)[:, None])
        self.kernels = cpu_kernels()
        self.state = self.kernels.DualAverage.at(start * self.spread, self.regularization / self.spread, learner.gamma)
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
        batches = self.rng.integers(len(self.triplets), size=(n_steps, self.batch_size))
        self.kernels.descend(self.P, self.triplets, batches, self.state, self.n_iter)
        self.n_iter += n_steps
        iterate = self.state.weights / self.spread
        # the average has less noise, but would keep a little of every base that ever was used
        average = np.where(iterate > 0, self.state.average / self.spread, 0.0)
        self.latest = min(self.look_at(iterate), self.look_at(average))
        self.trace.append(self.best.value)

    def look_at(self, weights: NDArray) -> float:
        """F, exactly."""
        A = map_of((self.basis.T * weights) @ self.basis)
        value = self.kernels.mean_hinge(self.X @ A.T, self.triplets) + self.regularization * weights.sum()
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
