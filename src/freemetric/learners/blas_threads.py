"""Matrix products in one thread, and the threads of before when nobody needs that any more."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import RLock
from typing import Any
from weakref import WeakSet

from threadpoolctl import ThreadpoolController

Limits = list[tuple[Any, int]]  # libraries and their numbers of threads


class Holder:
    """One that is inside of a with-block of ``BlasLimit.held``."""


class BlasLimit:
    """Keeps BLAS in one thread as long as any thread of this process is inside of ``held``.

    The number of BLAS threads belongs to the whole process. The first to enter notes it and sets it to one, the last
    to leave restores it. Threads that each restored what they had found would leave the limit of another behind.
    """

    def __init__(self) -> None:
        # weak, because an interrupt may keep a holder from leaving: it is then gone with its block
        self.inside: WeakSet[Holder] = WeakSet()
        self.found: Limits = []  # before the limit; empty while there is none
        self._start_afresh()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_afresh)

    def _start_afresh(self):
        """Nobody is inside of a forked child, and its lock is free, whatever threads of its parent were doing.

        What was found before the limit stays known: the first to leave in the child restores it.
        """
        self.lock = RLock()  # a block may be left by garbage collection in the thread that has the lock
        self.inside.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """A with-block in which matrix products run in one thread."""
        me, own = Holder(), _threads_of(library for library in _blas_libraries() if _is_per_thread(library))
        try:
            _set([(library, 1) for library, _ in own])
            with self.lock:
                is_first = not self.inside
                self.inside.add(me)
                if not self.found:  # else an interrupt came while they were restored
                    self.found = _threads_of(library for library in _blas_libraries() if not _is_per_thread(library))
                if is_first:
                    _set([(library, 1) for library, _ in self.found])
            yield
        finally:
            # an interrupt in here leaves it to the next that leaves
            with self.lock:
                self.inside.discard(me)
                if not self.inside:
                    _set(self.found)
                    self.found = []
            _set(own)


def one_blas_thread() -> AbstractContextManager:
    """Matrix products in one thread: replicas are what runs in parallel, and results do not depend on the machine."""
    return BLAS_LIMIT.held()


@cache
def _blas_libraries():
    """The BLAS libraries of this process; to look for them takes milliseconds, which every task would pay."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _is_per_thread(library):
    """Whether every thread has a limit of its own: OpenBLAS on OpenMP, in releases of threadpoolctl that know it."""
    return getattr(library, "threading_layer", None) == "openmp" and hasattr(library, "clear_controlling_thread")


def _threads_of(libraries) -> Limits:
    return [(library, library.num_threads) for library in libraries]


def _set(limits: Limits) -> None:
    for library, n_threads in limits:
        # Recent releases of threadpoolctl ignore all threads but the one that was first to set a limit. The last that
        # leaves may be another one, and a thread that was first may hold no limit any more.
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)
        library.set_num_threads(n_threads)
        if clear is not None:
            clear()


BLAS_LIMIT = BlasLimit()
