"""Devices: the backend of each, and the threads of the CPU.

A backend is a module with the functions of :class:`Backend`. ``reference`` defines in
plain numpy what they compute. In a fit BLAS has one thread, and no thread is left over
after a fork."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from .formulas import Loss, Similarity

BACKENDS = {
    "cpu": "numba.backend",
    "reference": "reference",
    "cuda": "torch.backend",
    "mps": "torch.backend",
}


class Trials(NamedTuple):
    """Trials of single elements, (R, n) each.

    A[r, row, column] changes by delta if the energy rises no more than allowed.
    """

    rows: NDArray
    columns: NDArray
    deltas: NDArray
    allowed: NDArray


class Backend(Protocol):
    """The functions of a backend.

    X (B, N, d) is a stack of data sets, and A (R, p, d) a stack of maps or, where
    ``diagonal``, (R, 1, d) of feature weights. B = R pairs map r with data set r; with
    B = 1 all maps have the same data. Sample weights (B, N) are positive, or None for
    equal ones; only their ratios matter."""

    def prepare(
        self,
        X: NDArray,
        y: NDArray,
        cost: Similarity | Loss,
        device: str,
        weights: NDArray | None = None,
    ) -> Any:
        """Data sets as the other functions want them."""

    def neighbor_lists(
        self, data: Any, A: NDArray, size: int, diagonal: bool = False, last: Any = None
    ) -> Any:
        """Lists of the ``size`` nearest others of every sample under every map.

        ``last`` are other lists of such maps: what they have in common is found faster.
        """

    def energy(
        self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False
    ) -> NDArray:
        """Energies (R,); of all pairs, or of those on the lists."""

    def energy_and_gradient(
        self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False
    ) -> tuple[NDArray, NDArray]:
        """Energies (R,) and their gradients, of the shape of A."""

    def can_sweep(self, data: Any) -> bool:
        """Whether there is an ``element_sweep`` for such data."""

    def element_sweep(
        self, data: Any, A: NDArray, trials: Trials, ridge: float = 0.0
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Make all trials of every replica, one after another.

        Returns the new A, energies (R,) plus ridge * |A|^2, and which trials were
        accepted (R, n)."""


def kernels_for(device: str) -> ModuleType:
    """Return the backend of a device: "cpu", "cuda", "cuda:1", "mps", or "reference"
    for plain numpy.
    """
    kind = device.split(":")[0] if isinstance(device, str) else device
    if kind not in BACKENDS:
        names = ", ".join(map(repr, BACKENDS))
        raise ValueError(f"Unknown device {device!r}; known devices: {names}.")
    return _backend(BACKENDS[kind])


def cpu_kernels() -> ModuleType:
    """Return the CPU's backend, with the inner loops that it alone has."""
    return _backend("numba.backend")


@cache
def _backend(name):  # compiled functions and torch are imported when they are needed
    if name.startswith("torch") and find_spec("torch") is None:
        raise ImportError("A GPU needs torch: pip install torch (extra 'gpu').")
    return import_module(f".{name}", __package__)


class _Limit:
    """How many threads of this process are inside of ``one_blas_thread``.

    The number of BLAS threads belongs to the process. The first to enter lowers it, and
    the last to leave restores it: fits in parallel threads would else leave it low.
    """

    def __init__(self):
        self.lock = Lock()
        self.n_inside = 0
        self.limiter = None

    def enter(self):
        with self.lock:
            if self.n_inside == 0:
                self.limiter = _libraries().limit(limits=1, user_api="blas")
            self.n_inside += 1

    def leave(self):
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.limiter.restore_original_limits()


@cache
def _libraries():
    """The libraries of this process; cached, because the search takes milliseconds."""
    return ThreadpoolController()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run matrix products of a block, or of a decorated function, in one thread."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def compute_alone():
    """Let OpenMP run one thread in a forked child.

    GNU's OpenMP, with which scikit-learn computes, keeps its threads between calls. A
    fork does not copy them, and a child would wait for its parent's forever.
    ``threadpoolctl.threadpool_limits`` gives it more.
    """
    if "threadpoolctl" in sys.modules:  # else nothing has computed
        sys.modules["threadpoolctl"].threadpool_limits(1, user_api="openmp")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=compute_alone)
