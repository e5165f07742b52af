"""Jobs: processes that can be followed and ended."""

import json
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .folders import Folder


class Bounds(NamedTuple):
    """Limits of one job; None: no limit."""

    seconds: float | None = None
    megabytes: float | None = None


def usual_bounds() -> Bounds:
    """No limit of time, and the memory of the machine, where it can be limited: a runaway then ends by itself."""
    if not Path("/proc/self/statm").exists():
        return Bounds()
    return Bounds(None, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20)


class ServerJob:
    """A process and its events so far; ``state`` is "running", "done", "failed" or "cancelled".

    What it makes is in ``folder``, which is there as long as the job.
    """

    def __init__(self, number: int, kind: str, request: dict[str, Any], bounds: Bounds, folder: Folder | None = None):
        self.number, self.kind, self.bounds, self.folder = number, kind, bounds, folder
        self.events: list[bytes] = []  # as the process wrote them: JSON
        self.state, self.last = "running", b""
        self.lock, self.ended = threading.Lock(), threading.Event()
        context, run = _context()
        self.pipe, theirs = context.Pipe()
        request = request if folder is None else {**request, "folder": str(folder.path)}
        self.process = context.Process(target=run, args=(theirs, bounds.megabytes, kind, request))
        self.process.start()
        theirs.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def cancel(self) -> None:
        """End it at once."""
        self._end("cancelled", b'{"type": "cancelled"}')

    def _listen(self):
        deadline = None if self.bounds.seconds is None else time.monotonic() + self.bounds.seconds
        try:
            while not self.ended.is_set():
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and (left <= 0 or not self.pipe.poll(left)):
                    return self._fail(f"stopped after {self.bounds.seconds:g} s, which is the limit")
                message = self.pipe.recv_bytes()
                ends = [state for state in ("done", "failed") if message.startswith(b'{"type": "%s"' % state.encode())]
                if ends:
                    return self._end(ends[0], message)
                self.events.append(message)
        except (EOFError, OSError):
            self.process.join(1)
            self._fail(f"the process died with code {self.process.exitcode}; perhaps it needed too much memory")

    def _fail(self, text):
        self._end("failed", json.dumps({"type": "failed", "text": text}).encode())

    def _end(self, state, message):
        """The first end counts."""
        with self.lock:
            if self.ended.is_set():
                return
            end_group(self.process)
            self.state, self.last = state, message
            self.events.append(message)
            self.ended.set()


def _context() -> tuple[Any, Any]:
    """The context of the processes, and the function that they run."""
    from ..tabular.limits import WARM, process_context  # takes seconds, during which the page is there already
    from .worker import run

    return process_context((WARM, run.__module__)), run


def warm_up() -> None:
    """Start the process that all others are forked from, which takes seconds."""
    with suppress(Exception):  # the first job says what is wrong
        process = _context()[0].Process()  # without a target it ends at once
        process.start()
        process.join()


def end_group(process: Any) -> None:
    """End a process and all that it has started, with the named semaphores that Linux keeps after a kill."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its group, once it has one
    process.kill()
    process.join()
    for semaphore in Path("/dev/shm").glob(f"sem.loky-{process.pid}-*"):
        semaphore.unlink(missing_ok=True)
