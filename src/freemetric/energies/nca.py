"""Stochastic nearest neighbours: their expected leave-one-out error (Eq. 4 of the paper) and their log likelihood."""

from numbers import Integral
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import can_sweep, kernels_for
from .base import Array, Energy, class_order

LOG_FLOOR = 1e-6  # of a chance: a pattern with no neighbour of its class in sight costs 14, not infinity


class NCAEnergy(Energy):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2): a pattern of
    weight two counts twice as itself and as a neighbour, and is left out whole.

    In [0, 1]; invariant under rotations of the learned space, E(QA) = E(A). Evaluated in O(N^2 p) time and,
    on the CPU, without an N x N array beyond 32 MB; an element trial costs O(N^2).

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many neighbours count, the nearest under A; None: all others. Then a gradient costs O(N n_neighbors p),
        and lists of the nearest cost O(N^2 p). As in molecular dynamics a trajectory keeps the lists of the map where
        it begins, and does not see what comes near on the way: exp(-E / T) is sampled approximately, the better the
        shorter trajectories are.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> energy = NCAEnergy().bind(X, y)
    >>> energy(np.eye(4)[None]).round(3)
    array([0.162])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        prepared = sorted_by_class(X, y, sample_weight, device)
        if lists_matter(self.n_neighbors, prepared[2]):
            return BoundListedNCA(*prepared, 0.0, self.n_neighbors)
        return BoundNCA(*prepared) if can_sweep(device) else BoundDifferentiableNCA(*prepared)


class LogNCAEnergy(Energy):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i NCA's chance that pattern i is classified correctly.

    A pattern far from its class costs more the farther it is, where NCA's own energy has long become flat: better for
    starting far away, and for classes that overlap. Costs the same; element trials are evaluated one by one.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005 (their g(A)).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import LogNCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> energy = LogNCAEnergy().bind(X, y)
    >>> energy(np.eye(4)[None]).round(3)
    array([0.204])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        prepared = sorted_by_class(X, y, sample_weight, device)
        if lists_matter(self.n_neighbors, prepared[2]):
            return BoundListedNCA(*prepared, LOG_FLOOR, self.n_neighbors)
        return BoundDifferentiableNCA(*prepared, LOG_FLOOR)


def sorted_by_class(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, device: str
) -> tuple[ModuleType, Any, int]:
    """The kernels of a device, the data as they want it, and the number of patterns."""
    order, bounds = class_order(np.asarray(y))
    X = np.asarray(X)
    stack = X[None] if X.ndim == 2 else X
    if sample_weight is not None:
        sample_weight = np.broadcast_to(sample_weight, stack.shape[:2])[:, order]
        if not ((sample_weight > 0) & np.isfinite(sample_weight)).all():
            raise ValueError("Weights in an energy must be positive; leave patterns of no weight out.")
    kernels = kernels_for(device)
    return kernels, kernels.prepare(stack[:, order], bounds, device, sample_weight), len(order)


def lists_matter(n_neighbors: int | None, n_patterns: int) -> bool:
    """Whether some others are not on a pattern's list; ValueError where there can be no such list."""
    if n_neighbors is None:
        return False
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors of an energy is None or a positive integer; got {n_neighbors!r}.")
    return n_neighbors < n_patterns - 1


class BoundDifferentiableNCA:
    def __init__(
        self, kernels: ModuleType, data: Any, n_patterns: int, log_floor: float = 0.0, diagonal: bool = False
    ) -> None:
        self.kernels = kernels
        self.data = data
        self.n_patterns = n_patterns
        self.log_floor = log_floor
        self.diagonal = diagonal

    def __call__(self, A: Array) -> Array:
        return self.kernels.nca_energy(self.data, A, self.log_floor, None, self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self.kernels.nca_energy_and_gradient(self.data, A, self.log_floor, None, self.diagonal)

    def of_weights(self) -> "BoundDifferentiableNCA":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return BoundDifferentiableNCA(self.kernels, self.data, self.n_patterns, self.log_floor, diagonal=True)


class BoundListedNCA:
    """Only the nearest neighbours count: those of the map itself, or of the one that ``near`` was called with."""

    def __init__(
        self,
        kernels: ModuleType,
        data: Any,
        n_patterns: int,
        log_floor: float,
        n_neighbors: int,
        diagonal: bool = False,
        lists: Any = None,
    ) -> None:
        self.kernels = kernels
        self.data = data
        self.n_patterns = n_patterns
        self.log_floor = log_floor
        self.n_neighbors = n_neighbors
        self.diagonal = diagonal
        self.lists = lists
        self.last: tuple[Array, Any] | None = None

    def __call__(self, A: Array) -> Array:
        return self.kernels.nca_energy(self.data, A, self.log_floor, self._lists_for(A), self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self.kernels.nca_energy_and_gradient(self.data, A, self.log_floor, self._lists_for(A), self.diagonal)

    def near(self, A: Array) -> "BoundListedNCA":
        """The same with the lists of A for all maps that follow."""
        return self._with(diagonal=self.diagonal, lists=self._lists_of(A))

    def of_weights(self) -> "BoundListedNCA":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return self._with(diagonal=True, lists=None)

    def _with(self, diagonal, lists):
        return BoundListedNCA(
            self.kernels, self.data, self.n_patterns, self.log_floor, self.n_neighbors, diagonal, lists
        )

    def _lists_for(self, A):
        return self._lists_of(A) if self.lists is None else self.lists

    def _lists_of(self, A):
        """Lists of A; those of the last call for maps that are the same, as they are after a rejected move."""
        if self.last is None or not np.array_equal(self.last[0], A):
            lists = self.kernels.neighbor_lists(self.data, A, self.n_neighbors, self.diagonal, self.last)
            self.last = A.copy(), lists
        return self.last[1]


class BoundNCA(BoundDifferentiableNCA):
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        return self.kernels.nca_element_sweep(self.data, A, rows, columns, deltas, allowed, ridge)
