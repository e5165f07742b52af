"""Bound energies of soft neighbours, over all pairs or over lists of the nearest; the same for classes and numbers."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import Trials
from .base import Array

MANY_FEATURES = 500


class Functions(NamedTuple):
    """What kernels do with data that they were given."""

    energy: Callable[..., Array]  # of A, lists, diagonal
    energy_and_gradient: Callable[..., tuple[Array, Array]]  # likewise
    neighbor_lists: Callable[..., Any]  # of A, size, diagonal, last
    element_sweep: Callable[..., tuple[Array, Array, NDArray]] | None  # of A and trials, where there is one
    n_patterns: int


def bound(functions: Functions, n_neighbors: int | None) -> Any:
    """The energy over all pairs, or over lists where some others are not on them."""
    if lists_matter(n_neighbors, functions.n_patterns):
        return BoundOnLists(functions, n_neighbors)
    return BoundOnPairs(functions) if functions.element_sweep is None else BoundWithSweeps(functions)


def lists_matter(n_neighbors: int | None, n_patterns: int) -> bool:
    """Whether some others are not on a pattern's list; ValueError where there can be no such list."""
    if n_neighbors is None:
        return False
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors of an energy is None or a positive integer; got {n_neighbors!r}.")
    return n_neighbors < n_patterns - 1


def checked_weights(sample_weight: ArrayLike | None, X: NDArray) -> NDArray | None:
    """Weights (B, N) of data sets X (B, N, d), or None."""
    if sample_weight is None:
        return None
    weights = np.broadcast_to(sample_weight, X.shape[:2])
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError("Weights in an energy must be positive; leave patterns of no weight out.")
    return weights


class BoundOnPairs:
    def __init__(self, functions: Functions, diagonal: bool = False) -> None:
        self.functions = functions
        self.diagonal = diagonal

    @property
    def n_patterns(self) -> int:
        return self.functions.n_patterns

    def __call__(self, A: Array) -> Array:
        return self.functions.energy(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self.functions.energy_and_gradient(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def of_weights(self) -> "BoundOnPairs":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return BoundOnPairs(self.functions, diagonal=True)

    def _lists_for(self, A):
        """None, for all pairs. Kernels make matrices of weights then: of very many features all others are listed."""
        N, d = self.n_patterns, A.shape[2]
        are_many = self.diagonal and d > MANY_FEATURES and d >= N
        return self.functions.neighbor_lists(A, N - 1, True, None) if are_many else None


class BoundWithSweeps(BoundOnPairs):
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        return self.functions.element_sweep(A, Trials(rows, columns, deltas, allowed), ridge)  # type: ignore[misc]


class BoundOnLists:
    """Only the nearest neighbours count: those of the map itself, or of the one that ``near`` was called with."""

    def __init__(
        self, functions: Functions, n_neighbors: int | None, diagonal: bool = False, lists: Any = None
    ) -> None:
        self.functions = functions
        self.n_neighbors = n_neighbors
        self.diagonal = diagonal
        self.lists = lists
        self.last: tuple[Array, Any] | None = None

    @property
    def n_patterns(self) -> int:
        return self.functions.n_patterns

    def __call__(self, A: Array) -> Array:
        return self.functions.energy(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self.functions.energy_and_gradient(A, lists=self._lists_for(A), diagonal=self.diagonal)

    def near(self, A: Array) -> "BoundOnLists":
        """The same with the lists of A for all maps that follow."""
        return BoundOnLists(self.functions, self.n_neighbors, self.diagonal, self._lists_of(A))

    def of_weights(self) -> "BoundOnLists":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return BoundOnLists(self.functions, self.n_neighbors, diagonal=True)

    def _lists_for(self, A):
        return self._lists_of(A) if self.lists is None else self.lists

    def _lists_of(self, A):
        """Lists of A; those of the last call for maps that are the same, as they are after a rejected move."""
        if self.last is None or not np.array_equal(self.last[0], A):
            lists = self.functions.neighbor_lists(A, self.n_neighbors, self.diagonal, self.last)
            self.last = A.copy(), lists
        return self.last[1]
