"""Work in a process of its own, with limits of time and memory."""

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from ..process_watchdog import end_with_owner, may_start_processes
from .table import InputError

try:
    import resource
except ImportError:  # a module of Unix
    resource = None  # type: ignore[assignment]

LONGEST = 500  # letters about a failure
OUT_OF_MEMORY = ("failed to map segment", "can't start new thread")  # of a library, and of a thread
MAPPED = Path("/proc/self/statm")  # begins with the pages that a process has mapped
WARM = f"{__package__}.warm"  # our learners, imported and compiled


@dataclass(frozen=True)
class Limits:
    """Limits of one fit; None is no limit."""

    seconds: float | None = None
    megabytes: float | None = None

    def __post_init__(self):
        if self.megabytes is not None and (resource is None or not MAPPED.exists()):
            raise InputError(f"limits of memory need Python's module resource and {MAPPED}, which this system lacks")

    def __bool__(self) -> bool:
        return self.seconds is not None or self.megabytes is not None


class Outcome(NamedTuple):
    """The result of the work, or in one line why it failed, and whether that was a limit."""

    value: Any = None
    failure: str | None = None
    over_limit: bool = False


def limited(work: Callable, *args: Any, limits: Limits, preload: Sequence[str] = (WARM,)) -> Outcome:
    """Run ``work(*args)``, a picklable function and arguments, in a process of its own, which ends with this one.

    A process that may not have children, such as a worker of ``multiprocessing.Pool``, does the work itself without
    limits, and raises InputError with limits. ``preload`` are modules that are imported once for all processes, where
    the system can fork; the first call decides.
    """
    if not may_start_processes():
        if limits:
            raise InputError(
                "limits of time and memory need a process of their own, which a daemonic worker (of "
                "multiprocessing.Pool or Dask) may not start; use concurrent.futures.ProcessPoolExecutor or no limits"
            )
        return attempted(work, *args)
    context = process_context(preload)
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(theirs, limits.megabytes, work, args))
    child.start()
    theirs.close()
    try:
        if ours.poll(limits.seconds):
            return ours.recv()
        return Outcome(failure=f"stopped after {limits.seconds:g} s, the limit of one fit", over_limit=True)
    except EOFError:  # it died without a result
        child.join()
        return Outcome(failure=f"the process died with code {child.exitcode}")
    finally:
        child.kill()
        child.join()
        ours.close()


def attempted(work: Callable, *args: Any) -> Outcome:
    try:
        return Outcome(work(*args))
    except Exception as problem:
        return failed(problem, None)


def process_context(preload: Sequence[str] = (WARM,)) -> Any:
    """Forks of a server with preloaded modules, or new processes where there is no such server."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    return context


def _child(pipe: Connection, megabytes: float | None, work: Callable, args: tuple) -> None:
    end_with_owner(pipe)
    try:
        if megabytes is not None:
            limit_memory(megabytes)
        outcome = Outcome(work(*args))
    except (Exception, KeyboardInterrupt) as problem:
        outcome = failed(problem, megabytes)
    pipe.send(outcome)


def failed(problem: BaseException, megabytes: float | None) -> Outcome:
    text = described(problem)
    out_of_memory = isinstance(problem, MemoryError) or any(words in text for words in OUT_OF_MEMORY)
    if megabytes is not None and out_of_memory:
        return Outcome(failure=f"needs more than the limit of {megabytes:.0f} MB", over_limit=True)
    return Outcome(failure=text)


def described(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())}"[:LONGEST]


def limit_memory(megabytes: float) -> None:
    """Limit the memory on top of what the interpreter and its libraries have mapped."""
    pages = int(MAPPED.read_text().split()[0])
    most = pages * resource.getpagesize() + int(megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
