"""Bound energies of soft neighbours, over all pairs or over lists of the nearest; classification and regression."""

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from ..kernels import Launch, Trials
from .base import Array

MANY_FEATURES = 500


class Functions(NamedTuple):
    """Kernel functions of prepared data."""

    energy: Callable[..., Array]  # of A, lists, diagonal
    energy_and_gradient: Callable[..., tuple[Array, Array]]  # likewise
    neighbor_lists: Callable[..., Any]  # of A, size, diagonal, last
    element_sweep: Callable[..., tuple[Array, Array, NDArray]] | None  # of A and trials, where there is one
    n_samples: int
    trajectories: Mapping[bool, Callable[..., tuple[Array, ...]]] = {}  # by ``diagonal``, where a device follows them


def list_length(n_neighbors: int | None, n_samples: int) -> int | None:
    """``n_neighbors``, or None where all other samples count; ValueError where it is not a positive integer."""
    if n_neighbors is None:
        return None
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors of an energy is None or a positive integer; got {n_neighbors!r}.")
    return n_neighbors if n_neighbors < n_samples - 1 else None


def checked_weights(sample_weight: ArrayLike | None, X: NDArray) -> NDArray | None:
    """Weights (B, N) of data sets X (B, N, d), or None."""
    if sample_weight is None:
        return None
    weights = np.broadcast_to(sample_weight, X.shape[:2])
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError("Weights in an energy must be positive; leave samples of no weight out.")
    return weights


class BoundNeighbors:
    """The energy of all pairs, or of the ``n_neighbors`` nearest under the map itself, or under the map of ``near``."""

    def __init__(
        self, functions: Functions, n_neighbors: int | None = None, diagonal: bool = False, lists: Any = None
    ) -> None:
        self.functions, self.n_neighbors, self.diagonal, self.lists = functions, n_neighbors, diagonal, lists
        self.last: tuple[Array, Any] | None = None

    @property
    def n_samples(self) -> int:
        return self.functions.n_samples

    def __call__(self, A: Array) -> Array:
        return self.functions.energy(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self.functions.energy_and_gradient(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def of_weights(self) -> "BoundNeighbors":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return BoundNeighbors(self.functions, self.n_neighbors, diagonal=True)

    @available_if(lambda self: self.n_neighbors is not None)
    def near(self, A: Array) -> "BoundNeighbors":
        """The same with the lists of A for all maps that follow."""
        return BoundNeighbors(self.functions, self.n_neighbors, self.diagonal, self._lists_of(A))

    @available_if(lambda self: self.functions.element_sweep and self.n_neighbors is None and not self.diagonal)
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        return self.functions.element_sweep(A, Trials(rows, columns, deltas, allowed), ridge)  # type: ignore[misc]

    @available_if(lambda self: self.lists is not None and self.diagonal in self.functions.trajectories)
    def trajectory(
        self, A: Array, gradient: Array, velocity: Array, time_step: Array, n_leapfrog: int, ridge: float = 0.0
    ) -> tuple[Array, ...]:
        launch = Launch(A, gradient, velocity, time_step, n_leapfrog)
        follow = self.functions.trajectories[self.diagonal]
        return follow(launch, lists=self.lists, diagonal=self.diagonal, ridge=ridge)

    def _lists_for(self, A):
        if self.lists is not None:
            return self.lists
        if self.n_neighbors is not None:
            return self._lists_of(A)
        # All pairs need no lists, but make matrices of weights: of very many features all others are listed.
        N, d = self.n_samples, A.shape[2]
        are_many = self.diagonal and d > MANY_FEATURES and d >= N
        return self.functions.neighbor_lists(A, N - 1, True, None) if are_many else None

    def _lists_of(self, A):
        """Lists of A; those of the last call where A is the same, as after a rejected move."""
        if self.last is None or not np.array_equal(self.last[0], A):
            lists = self.functions.neighbor_lists(A, self.n_neighbors, self.diagonal, self.last)
            self.last = A.copy(), lists
        return self.last[1]
