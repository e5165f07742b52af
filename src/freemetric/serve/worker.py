"""What runs in a process of its own: one piece of work, which tells what it does through a pipe, in JSON."""

import json
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..process_watchdog import end_with_owner
from ..report.encode import rounded
from ..report.evaluation_page import write_evaluation
from ..tabular.evaluation import evaluate
from ..tabular.limits import failed, limit_memory
from ..tabular.protocol import Settings
from ..tabular.table import InputError
from ..tabular.tasks import CLASSIFY, REGRESS
from .describing import describe
from .fitting import QUICK, fit
from .live import Tell
from .requests import Choices
from .upload import Upload

COMPARISON = "comparison.html"


def compare(tell: Tell, upload: Upload, choices: Choices, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Compare methods on a table, and write the page about it; the scores as JSON values."""
    parameters = {"free-energy": QUICK} if settings["quick"] else None
    protocol = Settings(settings["folds"], settings["repeats"], settings["seed"], parameters, task=choices.task)
    os.environ["JOBLIB_TEMP_FOLDER"] = folder  # so that copies of the table for other processes go with the rest
    with upload.in_its_words(), upload.noted() as notes:
        found = evaluate(
            {upload.name: upload.table(choices.reading)},
            choices.target,
            settings["methods"],
            protocol,
            n_jobs=settings["jobs"] or max(1, (os.cpu_count() or 1) // 2),  # processes, which need memory
            on_fit=lambda split, done, total: tell(
                {"type": "split", "method": split.method, "error": rounded(split.error), "done": done, "total": total}
            ),
            **choices.kinds,
        )
        write_evaluation(found, Path(folder) / COMPARISON)
    rows = [_row(row) for row in found.rows()]
    said = {"task": REGRESS if found.is_of_numbers else CLASSIFY, "rows": rows, "protocol": found.protocol()}
    return {**said, "notes": [*notes, *map(upload.in_words, found.notes())]}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    scores = {name: rounded(score["mean"], 4) for name, score in row["scores"].items()}
    kept = {name: row[name] for name in ("method", "failure")}
    return {**kept, **{name: rounded(row[name], 4) for name in ("error", "uncertainty", "seconds")}, "scores": scores}


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
    upload, choices = Upload(request["path"], request["name"]), Choices.from_json(request["choices"])
    if kind == "describe":
        return describe(upload, choices)
    work = {"fit": fit, "compare": compare}[kind]
    return work(tell, upload, choices, request["folder"], request["settings"])
