"""Workers of joblib's loky end with the process that they work for; by themselves they would wait for minutes."""

import multiprocessing
import os
import signal
import threading
import time

LOOK = 1.0  # seconds between looks at one's parent
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
WATCHED: set[int] = set()  # the parent, once it is looked at


def end_with_parent() -> None:
    """To be called by a task: where it is carried by a worker of loky, that one is killed when its parent is gone."""
    if multiprocessing.current_process().name.startswith("LokyProcess") and not WATCHED:
        WATCHED.add(os.getppid())
        threading.Thread(target=_end_after, args=(os.getppid(),), daemon=True).start()


def _end_after(parent):
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), KILL)
