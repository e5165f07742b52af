"""What runs in a process of its own: one piece of work, which tells what it does through a pipe, in JSON."""

import json
import signal
from multiprocessing.connection import Connection
from typing import Any

from ..process_watchdog import end_with_owner
from ..tabular.limits import failed, limit_memory
from ..tabular.table import InputError
from .comparing import compare
from .describing import describe
from .fitting import fit
from .upload import Upload
from .wishes import Wishes


def run(pipe: Connection, megabytes: float | None, kind: str, request: dict[str, Any]) -> None:
    """Do a piece of work of that kind; the last message is of type "done" or "failed"."""
    end_with_owner(pipe, whole_group=True)  # a group, so that a job can be cancelled with all that it has started
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its jobs itself

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


def _done(tell, kind, request):
    upload, wishes = Upload(request["path"], request["name"]), Wishes.from_json(request["wishes"])
    if kind == "describe":
        return describe(upload, wishes)
    work = {"fit": fit, "compare": compare}[kind]
    return work(tell, upload, wishes, request["folder"], request["settings"])
