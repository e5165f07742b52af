"""Soft neighbours, over all pairs or over lists of the nearest: their expected error (Eq. 4 of the paper), its log."""

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from ..kernels import Launch, Trials, can_follow, can_sweep, kernels_for
from .base import ENERGIES, Array, Energy

MANY_FEATURES = 500
LOG_FLOOR = 1e-6  # added to probabilities: the cost of a sample is at most 14


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
        self.n_samples = functions.n_samples
        self.last: tuple[Array, Any] | None = None

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


class ClassNeighbors(Energy):
    """An energy of the probability p_i that soft neighbours classify sample i correctly."""

    _log_floor = 0.0  # where the log is taken: added to the chance

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        X, y = np.asarray(X), np.asarray(y)
        order = np.argsort(y, kind="stable")  # kernels take samples class by class
        bounds = np.searchsorted(y[order], np.append(np.unique(y), np.inf))
        stack = X[None] if X.ndim == 2 else X
        n_listed = list_length(self.n_neighbors, len(order))
        weights, kernels, floor = checked_weights(sample_weight, stack), kernels_for(device), self._log_floor
        data = kernels.prepare(stack[:, order], bounds, device, None if weights is None else weights[:, order])
        functions = Functions(
            partial(kernels.nca_energy, data, log_floor=floor),
            partial(kernels.nca_energy_and_gradient, data, log_floor=floor),
            partial(kernels.neighbor_lists, data),
            partial(kernels.nca_element_sweep, data) if floor == 0 and can_sweep(device) else None,
            len(order),
            {
                diagonal: partial(kernels.nca_trajectory, data, log_floor=floor)
                for diagonal in (False, True)
                if can_follow(device, X.shape[-1], n_listed, diagonal)
            },
        )
        return BoundNeighbors(functions, n_listed)


class NCAEnergy(ClassNeighbors):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2). E lies in [0,
    1] and is invariant under rotations of the learned space. Costs O(N^2 p) time; on the CPU at most 32 MB beyond O(N
    p).

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many nearest neighbours under A count; None: all others. A gradient then costs O(N n_neighbors p). A
        Hamiltonian trajectory keeps the lists of its start, so that exp(-E / T) is sampled approximately.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> NCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.162])
    """


class LogNCAEnergy(ClassNeighbors):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i the probability that NCA classifies sample i correctly.

    Its gradient does not vanish for samples far from their class: better for distant starts and overlapping classes.

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
    >>> LogNCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.204])
    """

    _log_floor = LOG_FLOOR


ENERGIES |= {"nca": NCAEnergy, "log-nca": LogNCAEnergy}
