"""A process that works for another one ends with it, however that one ends."""

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
LOOK = 1.0  # seconds between looks at one's parent


def end_with_parent() -> None:
    """To be called once by a process of ``multiprocessing``: when its parent is gone, it is killed.

    Linux does it, whatever the process computes. A thread waits for it, too: for systems that do not, and because a
    process that a server has forked is the server's child; a compiled function that keeps the interpreter to itself
    holds that thread up.
    """
    parent = multiprocessing.parent_process()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, KILL)  # where it is refused the thread is left
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def answered(inbox: Connection, seconds: float | None) -> bool:
    """Whether something comes in so many seconds; a worker whose parent goes meanwhile is killed: nobody waits for it.

    joblib's workers say that they have a parent but not how to wait for its end, so it is looked at.
    """
    parent, is_worker = os.getppid(), multiprocessing.parent_process() is not None
    end = float("inf") if seconds is None else time.monotonic() + seconds
    while not inbox.poll(max(0.0, min(LOOK, end - time.monotonic()))):
        if is_worker and os.getppid() != parent:
            os.kill(os.getpid(), KILL)
        if time.monotonic() >= end:
            return False
    return True


def _end_after(parent):
    parent.join()
    os.kill(os.getpid(), KILL)
