"""Descent along the gradients of mini-batches, judged by one subset that stays the same."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..mc import Streams
from .base import tell
from .fitting import Lowest
from .training_rows import NUMBERS

MOST_WHOLE = 10_000  # samples: there batches begin to be faster than all pairs (docs/guide/noisy_energies.md)
BATCH = 2048
SUBSET = 4096  # samples that judge the maps: their energy and gradient take about 65 ms
STEPS = 25  # between two evaluations on the subset
FIRST_STEP = 0.1  # of the root mean square of the map's elements
SHORTEST_STEP = 1 / 64  # of the first one: the descent has converged
MEMORY = (0.9, 0.99)  # of the mean and the square of gradients
PATIENCE = 2  # evaluations without a better map, after which steps are halved


class MiniBatched:
    """A metric learner with the parameter ``batch_size``; very many samples may stay in single precision."""

    _dtypes = NUMBERS
    _unit: float
    batch_size: Any
    n_components: Any
    warm_start: Any

    def _rows_per_batch(self, n_samples: int) -> int | None:
        """Samples of a batch; None where all of them are looked at together."""
        if self.batch_size is None:
            return None if n_samples <= MOST_WHOLE else BATCH
        return None if n_samples <= self.batch_size else self.batch_size

    def _previous_map(self, n_features: int) -> NDArray | None:
        """The last fit's map, if it is to go on from there and the map fits the data; else None."""
        previous = getattr(self, "components_", None) if self.warm_start else None
        if previous is None or previous.shape[1] != n_features or self.n_components not in (None, len(previous)):
            return None
        return previous * self._unit


class NoisyObjective(Protocol):
    """A function of stacks (1, p, d) of maps, with ``draw(rng)``, whose ``value_and_grad`` is that of a new batch."""

    def __call__(self, A: NDArray) -> NDArray: ...

    def draw(self, rng: Streams) -> Any: ...


class StochasticDescent:
    """Adam with steps that are halved where they no longer help (Kingma and Ba 2015).

    Every ``STEPS`` steps the mean of the maps on the way, which is less noisy than any of them, is tried on the
    objective's own subset. The lowest is kept in ``best``.
    """

    def __init__(self, name: str, objective: NoisyObjective, rng: np.random.Generator, start: NDArray) -> None:
        self.name, self.objective, self.rng, self.start = name, objective, rng, start
        self.best, self.n_iter = Lowest(), 0

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within so many evaluations on the subset."""
        streams, A = Streams.of(self.rng, 1), self.start
        self.best.offer(self.objective(A[None])[0], A)
        first = step = FIRST_STEP * np.sqrt(np.mean(A**2))
        moments, waited = Moments(A.shape), 0
        while step > SHORTEST_STEP * first:
            if self.n_iter == max_iter:
                return False
            A, mean = self._walk(streams, A, step, moments)
            before = self.best.value
            self.best.offer(self.objective(mean[None])[0], mean)
            self.n_iter += 1
            tell(verbose, "%s iteration %d: objective %.6f", self.name, self.n_iter, self.best.value)
            waited = 0 if self.best.value < before - tol else waited + 1
            if waited == PATIENCE:
                waited, step, A = 0, step / 2, self.best.item.copy()
        return True

    def _walk(self, streams, A, step, moments):
        """Where so many steps lead, and the mean of the maps on the way."""
        mean = np.zeros_like(A)
        for _ in range(STEPS):
            _, gradient = self.objective.draw(streams).value_and_grad(A[None])
            A = A - step * moments.direction(gradient[0])
            mean += A / STEPS
        return A, mean


class Moments:
    """Running means of gradients and of their squares."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.mean, self.square, self.n = np.zeros(shape), 0.0, 0

    def direction(self, gradient: NDArray) -> NDArray:
        """The mean gradient in units of its size, element by element."""
        self.n += 1
        a, b = MEMORY
        self.mean = a * self.mean + (1 - a) * gradient
        self.square = b * self.square + (1 - b) * np.mean(gradient**2)
        size = np.sqrt(self.square / (1 - b**self.n))
        return self.mean / (1 - a**self.n) / (size if size > 0 else 1.0)


def well_scaled(A: NDArray, value: Callable[[NDArray], NDArray]) -> NDArray:
    """A map (p, d) times the power of two of the lowest value."""
    maps = 2.0 ** np.arange(-10, 11)[:, None, None] * A
    return maps[int(np.argmin([value(scaled[None])[0] for scaled in maps]))]
