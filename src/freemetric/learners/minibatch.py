"""Stochastic descent over maps of very many samples, by mini-batches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..energies import Energy, MiniBatch
from ..kernels import one_blas_thread
from ..mc import Streams
from ..sklearn_compat import generator
from .descent import Array, BestSoFar, initial_map, logger

SUBSET = 4096  # samples on which maps are compared
STEPS = 25  # between two evaluations on the subset
FIRST_STEP = 0.1  # of the root mean square of the map's elements
SHORTEST_STEP = 1 / 64  # of the first one: the descent has converged
MEAN_MEMORY = 0.9  # of gradients
SQUARE_MEMORY = 0.99
PATIENCE = 2  # evaluations without a better map, after which steps are halved


def batch_search(
    model: Any,
    data: tuple[NDArray, NDArray, NDArray | None, float],
    n: int,
    energy: Energy,
    size_energy: Energy,
) -> "StochasticDescent":
    """The search of a model by batches of n samples.

    ``data`` are X, y, weights and the unit of X. The search begins at the size of the
    map that has the lowest ``size_energy``.
    """
    X, y, weights, unit = data
    rng = generator(model.random_state)
    seed = int(rng.integers(2**32))
    device = getattr(model, "device", "cpu")
    is_regression = getattr(model, "_is_regression", False)

    def bound(energy):
        batches = MiniBatch(energy, n, sample_size=SUBSET, random_state=seed)
        return batches.bind(X, y, sample_weight=weights, device=device, unit=unit)

    batches = bound(energy)
    samples = X[batches.sample] / unit
    start = initial_map(
        model.init,
        rng,
        samples,
        y[batches.sample],
        model.n_components,
        is_regression,
        unit,
    )
    with one_blas_thread():
        start = well_scaled(start, bound(size_energy))
    return StochasticDescent(batches, rng, start)


def well_scaled(A: NDArray, value: Callable[[NDArray], NDArray]) -> NDArray:
    """A map (p, d) times the power of two of the lowest value."""
    maps = 2.0 ** np.arange(-10, 11)[:, None, None] * A
    return maps[int(np.argmin([value(scaled[None])[0] for scaled in maps]))]


@dataclass(frozen=True)
class Momentum:
    """Means of gradients on the way, by which the next step is made.

    Parameters
    ----------
    mean : ndarray of shape (p, d)
        Of gradients; the last ones weigh most.
    square : float, default=0.0
        Of their mean square.
    n_steps : int, default=0
        Gradients so far.
    """

    mean: Array
    square: float = 0.0
    n_steps: int = 0

    def after(self, gradient: Array) -> "Momentum":
        """The means with one more gradient."""
        a, b = MEAN_MEMORY, SQUARE_MEMORY
        mean = a * self.mean + (1 - a) * gradient
        square = b * self.square + (1 - b) * float(np.mean(gradient**2))
        return Momentum(mean, square, self.n_steps + 1)

    @property
    def direction(self) -> Array:
        """The mean gradient, in units of the root of the mean square."""
        size = np.sqrt(self.square / (1 - SQUARE_MEMORY**self.n_steps))
        size = size if size > 0 else 1.0
        return self.mean / (1 - MEAN_MEMORY**self.n_steps) / size


class StochasticDescent:
    """Adam with steps that are halved when they stop helping (Kingma and Ba 2015).

    The objective is a function of stacks (1, p, d) of maps. Its ``draw(rng)`` is that
    of a new batch, with ``value_and_grad``. Every ``STEPS`` steps the objective is
    evaluated at the mean of the maps on the way, which is less noisy.
    """

    def __init__(self, objective: Any, rng: np.random.Generator, start: Array) -> None:
        self.objective = objective
        self.rng = rng
        self.start = start
        self.best = BestSoFar()
        self.n_iter = 0
        self.momentum = Momentum(np.zeros(start.shape))

    def run(self, max_iter: int, tol: float) -> bool:
        """Whether it converged within so many evaluations on the subset."""
        streams = Streams.of(self.rng, 1)
        A = self.start
        self.best.offer(self.objective(A[None])[0], A)
        step = FIRST_STEP * np.sqrt(np.mean(A**2))
        shortest = SHORTEST_STEP * step
        waited = 0
        while step > shortest:
            if self.n_iter == max_iter:
                return False
            before = self.best.value
            A, mean = self._walk(streams, A, step)
            self.best.offer(self.objective(mean[None])[0], mean)
            self.n_iter += 1
            value = self.best.value
            logger.info("evaluation %d: objective %.6g", self.n_iter, value)
            waited = 0 if self.best.value < before - tol else waited + 1
            if waited == PATIENCE:
                waited = 0
                step /= 2
                A = self.best.item.copy()
        return True

    def _walk(self, streams, A, step):
        """The map after ``STEPS`` steps, and the mean of the maps on the way."""
        mean = np.zeros_like(A)
        for _ in range(STEPS):
            gradient = self.objective.draw(streams).value_and_grad(A[None])[1][0]
            self.momentum = self.momentum.after(gradient)
            A = A - step * self.momentum.direction
            mean += A / STEPS
        return A, mean
