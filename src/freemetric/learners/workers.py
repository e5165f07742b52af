"""Workers of joblib's loky end with the process that they work for; by themselves they would wait for minutes."""

import multiprocessing
import os
import signal
import threading
import time

LOOK = 1.0  # seconds between looks at one's parent
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
WATCHED: set[int] = set()  # the parent, once it is looked at


def end_with(owner: int) -> None:
    """To be called by a task of a process of that number: a worker of loky that carries it is killed when that is gone.

    The number comes with the task: whoever asks for its parent after it has died gets another one.
    """
    if multiprocessing.current_process().name.startswith("LokyProcess") and not WATCHED:
        WATCHED.add(owner)
        threading.Thread(target=_end_after, args=(owner,), daemon=True).start()


def _end_after(owner):
    while os.getppid() == owner:
        time.sleep(LOOK)
    os.kill(os.getpid(), KILL)
