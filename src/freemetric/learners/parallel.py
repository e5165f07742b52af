"""Tasks through joblib, in threads, processes or clusters, and BLAS in one thread meanwhile."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any, TypeVar
from weakref import WeakSet

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task", bound=tuple)
Result = TypeVar("Result")

LOST = (BrokenExecutor, CancelledError)  # raised when a worker has died
MOST_LOSSES = 3  # in a row; more mean that the tasks kill their workers


def in_parallel(
    work: Callable[..., Result], tasks: Sequence[Task], n_jobs: int | None, shared: Sequence[str] = ()
) -> Iterator[Result]:
    """work(task, *shared) of every task, a named tuple, in their order, as they complete.

    In threads, unless ``joblib.parallel_config`` names another backend. ``shared`` fields hold the same large objects
    in many tasks; a cluster gets each of them once. Tasks that are lost with a worker are repeated.
    """
    done = losses = 0
    while done < len(tasks):
        try:
            for result in _run(work, tasks[done:], n_jobs, shared):
                yield result
                done, losses = done + 1, 0
        except LOST:
            losses += 1
            if losses > MOST_LOSSES:
                raise


def is_on_a_cluster() -> bool:
    """Whether joblib sends tasks to Dask."""
    return hasattr(get_active_backend()[0], "client")


def _run(work, tasks, n_jobs, shared) -> Iterable:
    if is_on_a_cluster():
        return _run_by_dask(get_active_backend()[0], work, tasks, shared)
    try:
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:  # a backend that hands over all results at once
        run = Parallel(n_jobs=n_jobs, prefer="threads")
    return run(delayed(work)(*_apart(task, shared)) for task in tasks)


def _run_by_dask(backend: Any, work: Callable, tasks: Sequence, shared: Sequence[str]) -> Iterator:
    """Results by the client of joblib's Dask backend.

    That backend scatters shared data, which are lost with their worker. Here they are results of tasks, which Dask
    repeats.
    """
    sent: dict[int, Any] = {}

    def send(value):
        if id(value) not in sent:
            sent[id(value)] = backend.client.submit(_itself, value, pure=False)
        return sent[id(value)]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")  # once: that is the purpose
        calls = [_apart(task, shared) for task in tasks]
        results = [backend.client.submit(work, call[0], *map(send, call[1:]), pure=False) for call in calls]
    try:
        with backend.retrieval_context():  # a task that waits for tasks makes room for them
            while results:
                yield results.pop(0).result()
    finally:
        backend.client.cancel(results)


def _apart(task: Any, shared: Sequence[str]) -> list:
    """A task without its shared fields, and those: joblib finds shared data among the arguments of a call."""
    return [task._replace(**dict.fromkeys(shared)), *(getattr(task, name) for name in shared)]


def _itself(value):
    return value


Limits = list[tuple[Any, int]]  # libraries and their numbers of threads


class Holder:
    """A with-block of ``BlasLimit.held``."""


class BlasLimit:
    """Keeps BLAS in one thread as long as any thread of this process is inside of ``held``.

    The number of BLAS threads belongs to the whole process: the first to enter notes it, the last to leave restores it.
    """

    def __init__(self) -> None:
        # weak, because an interrupt may keep a holder from leaving: it is then gone with its block
        self.inside: WeakSet[Holder] = WeakSet()
        self.found: Limits = []  # before the limit; empty while there is none
        self._start_afresh()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_afresh)

    def _start_afresh(self):
        """Nobody is inside of a forked child. What was found before the limit stays known."""
        self.lock = RLock()  # a block may be left by garbage collection in the thread that has the lock
        self.inside.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """A with-block in which matrix products run in one thread."""
        me, own = Holder(), _threads_now(per_thread=True)
        try:
            _set([(library, 1) for library, _ in own])
            with self.lock:
                is_first = not self.inside
                self.inside.add(me)
                if not self.found:  # else an interrupt came while they were restored
                    self.found = _threads_now(per_thread=False)
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


@cache
def _blas_libraries():
    """The BLAS libraries of this process; cached, because the search takes milliseconds."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _threads_now(per_thread: bool) -> Limits:
    """The limits of libraries where every thread has its own, or where all threads share one."""

    def is_per_thread(library):  # OpenBLAS on OpenMP, in releases of threadpoolctl that know it
        return getattr(library, "threading_layer", None) == "openmp" and hasattr(library, "clear_controlling_thread")

    return [(library, library.num_threads) for library in _blas_libraries() if is_per_thread(library) == per_thread]


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
one_blas_thread = BLAS_LIMIT.held  # replicas run in parallel, and results do not depend on the machine
