"""Work in a process of its own, which ends when it hangs or wants all the memory."""

import multiprocessing
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

LONGEST = 500  # letters about a failure


@dataclass(frozen=True)
class Limits:
    """What one fit may take; None: anything."""

    seconds: float | None = None
    megabytes: float | None = None

    def __bool__(self):
        return self.seconds is not None or self.megabytes is not None


class Outcome(NamedTuple):
    """What the work gave, or in one line why it gave nothing; whether that was a limit."""

    value: Any = None
    failure: str | None = None
    over_limit: bool = False


def limited(work: Callable, *args, limits: Limits, preload: Sequence[str] = ()) -> Outcome:
    """Run ``work(*args)`` in a process of its own.

    Parameters
    ----------
    work : callable
        A function of a module; its arguments and its value must be picklable.
    *args : objects
        Its arguments.
    limits : Limits
        Time and memory of the process.
    preload : sequence of str, default=()
        Modules, beside our learners, that are imported once for all processes; the first call decides.

    Returns
    -------
    Outcome
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["freemetric.bench.warm", *preload])
    inbox, outbox = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(outbox, limits.megabytes, work, args))
    child.start()
    outbox.close()
    try:
        if inbox.poll(limits.seconds):
            return inbox.recv()
        return Outcome(failure=f"stopped after {limits.seconds:g} s, the limit of one fit", over_limit=True)
    except EOFError:  # it could say nothing any more
        child.join()
        return Outcome(failure=f"the process died with code {child.exitcode}")
    finally:
        child.kill()
        child.join()
        inbox.close()


def _child(outbox, megabytes, work, args):
    try:
        if megabytes is not None:
            _limit_memory(megabytes)
        outcome = Outcome(work(*args))
    except Exception as problem:
        outcome = _failed(problem, megabytes)
    outbox.send(outcome)


def _failed(problem, megabytes):
    text = described(problem)
    # out of memory has two faces: an array, or a library that can no longer be loaded
    if megabytes is not None and (isinstance(problem, MemoryError) or "failed to map segment" in text):
        return Outcome(failure=f"needs more than the limit of {megabytes:.0f} MB", over_limit=True)
    return Outcome(failure=text)


def described(problem: Exception) -> str:
    """An exception in one line."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())}"[:LONGEST]


def _limit_memory(megabytes):
    """On top of what the interpreter and its libraries have mapped already."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + int(megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
