"""Processes that we start end with us, however we end. Processes of others are never touched.

The owner of a process keeps one end of a pipe and gives the other end to the process when it starts it. The operating
system closes the owner's end when the owner is gone, also after SIGKILL, and a thread of the process waits for that.
Names and parents of processes are never looked up: a fit may run in the worker of another library, which has an owner
of its own.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend.reduction import dumps
from joblib.parallel import BACKENDS, get_active_backend

Task = TypeVar("Task")
Result = TypeVar("Result")

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
THREAD_LIMITS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"),
)


def end_with_owner(lifeline: Connection, *, whole_group: bool = False) -> None:
    """Kill this process once the other end of the pipe ``lifeline``, which the owner alone holds, is closed.

    Only a process that we started may call this, as its first action. With ``whole_group`` it becomes the leader of a
    new process group where the system has such groups, and the group is killed.
    """
    if whole_group and hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=_end_after, args=(lifeline, whole_group), daemon=True).start()


def _end_after(lifeline, whole_group):
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    if whole_group and hasattr(os, "killpg"):
        os.killpg(0, KILL)
    os.kill(os.getpid(), KILL)


def may_start_processes() -> bool:
    """Whether this process may have children, which daemonic workers of pools and of Dask may not."""
    return not multiprocessing.current_process().daemon


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None) -> Iterator[Result]:
    """Yield ``work(task)`` for every task, in order, from parallel processes that end with this one.

    Another backend than joblib's default, which ``joblib.parallel_config`` or an outer loop of joblib has chosen,
    carries the tasks itself. Threads do where this process may not have children. ``work`` is a function of a module.
    All tasks are sent to each process once, so they may share large objects. ``n_jobs`` is as in joblib.
    """
    prefer = None if may_start_processes() else "threads"
    backend, _ = get_active_backend(prefer=prefer)
    if prefer or not isinstance(backend, BACKENDS["loky"]):
        yield from Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")(delayed(work)(task) for task in tasks)
        return
    n_workers = min(effective_n_jobs(n_jobs), len(tasks))
    if n_workers < 2:
        yield from map(work, tasks)
        return
    # joblib's own executor is shared by the whole process, so its workers may be busy with other work.
    threads = str(max(1, (os.cpu_count() or 1) // n_workers))
    theirs, ours = multiprocessing.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        n_workers,
        initializer=_begin,
        initargs=(theirs, bytes(dumps((work, tasks)))),
        env={name: os.environ.get(name, threads) for name in THREAD_LIMITS},
    )
    try:
        for future in [executor.submit(_number, number) for number in range(len(tasks))]:
            yield future.result()
    finally:  # also after an interrupt, which does not wait for the remaining fits
        executor.shutdown(kill_workers=True)
        ours.close()
        theirs.close()


ASSIGNED: list[Any] = []  # in a worker: the function and all of its tasks


def _begin(lifeline, assigned):
    end_with_owner(lifeline)
    ASSIGNED[:] = pickle.loads(assigned)  # this imports modules for seconds, so the process is watched before it


def _number(number):
    work, tasks = ASSIGNED
    return work(tasks[number])
