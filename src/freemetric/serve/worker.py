"""What runs in a process of its own: one piece of work, which tells what it does through a pipe, in JSON."""

import json
import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from ..tabular.limits import failed, limit_memory
from ..tabular.table import InputError
from .comparing import compare
from .describing import describe
from .fitting import fit
from .upload import Upload
from .wishes import Wishes


def run(pipe: Connection, megabytes: float | None, kind: str, request: dict[str, Any]) -> None:
    """Do a piece of work of that kind; the last message is of type "done" or "failed"."""
    _stand_alone(pipe)

    def tell(event):
        pipe.send_bytes(json.dumps(event, allow_nan=False).encode())

    try:
        if megabytes is not None:
            limit_memory(megabytes)
        tell({"type": "done", "result": _done(tell, kind, request)})
    except InputError as problem:
        tell({"type": "failed", "text": str(problem)})
    except Exception as problem:
        tell({"type": "failed", "text": failed(problem, megabytes).failure})


def _stand_alone(pipe):
    """Have a group of processes, so that all of it can be ended, and end with whoever asked for the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=_end_with_asker, args=(pipe,), daemon=True).start()


def _end_with_asker(pipe):
    with suppress(EOFError, OSError):
        pipe.recv_bytes()  # nothing ever comes
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGTERM)  # which cannot be put off where there are no groups


def _done(tell, kind, request):
    upload, wishes = Upload(request["path"], request["name"]), Wishes.from_json(request["wishes"])
    if kind == "describe":
        return describe(upload, wishes)
    work = {"fit": fit, "compare": compare}[kind]
    return work(tell, upload, wishes, request["folder"], request["settings"])
