"""The process of a job: a description, a fit, a comparison or predictions, which sends JSON events through a pipe.

A fit that runs sends energies, spaces, and the candidates of the search so far.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.stats import rankdata

from ..display.embedding import main_axes
from ..ensemble.settings import recipe_of
from ..ensemble.tasks.decisions import score_name
from ..files.atomic import replacing
from ..metrics import FORMS
from ..process_watchdog import end_with_owner
from ..report.collect import collect
from ..report.document import clipped, evenly, rounded
from ..report.evaluation_page import write_evaluation
from ..report.findings import Findings
from ..report.page import write_findings
from ..report.panels import classes, scores, story, targets
from ..tabular.evaluation import evaluate
from ..tabular.limits import failed, limit_memory
from ..tabular.model import TableModel
from ..tabular.preprocessing import by_column, usable
from ..tabular.protocol import Settings
from ..tabular.table import InputError, Table
from ..tabular.tasks import CLASSIFY, REGRESS, TASKS, choice_of
from .describing import LONGEST, describe, predict
from .folders import CELLS, MODEL, SPACE
from .requests import Choices, Upload

MOST_ROWS, MOST_COLUMNS = 10_000, 400
FAR = 2.0  # times the root mean squared error
QUICK = {"n_replicas": 24}  # a first look
MOST_NAMED = 10  # columns
QUARTERS, DIGITS = (0, 0.25, 0.5, 0.75, 1), 4
REPORT, COMPARISON = "report.html", "comparison.html"
BETWEEN_STEPS, BETWEEN_SPACES = 0.25, 1.0  # seconds
MOST_POINTS, MOST_FRAMES, MOST_STEPS, MOST_FOUND = 400, 6, 40, 12

Send = Callable[[dict[str, Any]], None]


def run(pipe: Connection, megabytes: float | None, kind: str, request: dict[str, Any]) -> None:
    """Do a job of that kind; its last event has the type "done" or "failed"."""
    end_with_owner(pipe, whole_group=True)  # a group, so that a job can be cancelled with all that it has started
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its jobs itself

    def send(event):
        pipe.send_bytes(json.dumps(event, allow_nan=False).encode())

    try:
        if megabytes is not None:
            limit_memory(megabytes)
        send({"type": "done", "result": _done(send, kind, request)})
    except InputError as problem:
        send({"type": "failed", "text": str(problem)})
    except Exception as problem:
        send({"type": "failed", "text": failed(problem, megabytes).failure})


def _done(send, kind, request):
    upload, choices = Upload(request["path"], request["name"]), Choices.from_json(request["choices"])
    if kind == "describe":
        return describe(upload, choices)
    folder = Path(request["folder"])
    if kind == "predict":
        return predict(upload, Path(request["model"]), folder)
    return {"fit": fit, "compare": compare}[kind](send, upload, choices, folder, request["settings"])


def write_rows(model: TableModel, table: Table, frame: Any, findings: Findings, folder: Path) -> None:
    """Write the files of ``FittedRows``: the rows of the findings, which are among those of ``frame``."""
    rows = frame.index.to_numpy()[findings.rows]  # in the table

    def cells(name):
        return [None if text is None else clipped(text) for text in table.texts(name)[rows]]

    about = {
        "row": np.asarray(findings.rows).tolist(),
        "line": None if table.lines is None else [int(table.lines[i]) for i in rows],
        "columns": [{**column, "cells": cells(column["name"])} for column in _columns(model, table)],
        "out_of_bag": findings.prediction_kind == "out-of-bag",
    }
    if findings.targets is None:
        names, y, predicted = np.array([*findings.class_names, ""], dtype=object), findings.y, findings.predicted
        assert predicted is not None  # of a fitted model of classes
        wrong = np.flatnonzero((predicted >= 0) & (predicted != y))
        about |= {"class": names[y].tolist(), "predicted": names[predicted].tolist(), "wrong": wrong.tolist()}
    else:
        about |= {
            "class": cells(model.schema.target),
            "targets": targets(findings),
            "stories": [story(findings.targets, i) for i in range(len(rows))],
            "wrong": _far_off(findings.targets).tolist(),
            "target": clipped(model.schema.target),
        }
    np.save(folder / SPACE, np.asarray(findings.Z, dtype=np.float32), allow_pickle=False)
    with replacing(folder / CELLS) as file:
        file.write(json.dumps(about, allow_nan=False).encode())


def _far_off(known):
    """Rows outside of their interval; without intervals, rows with an error above twice the RMSE."""
    if np.isfinite(known.low).any():
        return np.flatnonzero(known.bounded & ~known.held)
    off = np.abs(known.truth - known.predicted)
    usual = np.sqrt(np.nanmean(off**2)) if known.scored.any() else 0.0
    return np.flatnonzero(off > FAR * usual)


def _columns(model, table) -> Iterator[dict[str, Any]]:
    """Features, the heaviest in the distances first; then columns that are left out."""
    shares = by_column(model.weights())
    used = {c.name: sum(shares.get(part, 0.0) for part in c.parts) for c in model.schema.columns}
    used = {name: share for name, share in used.items() if name not in model.left_out}
    others = [name for name in table.columns if name not in used and name != model.schema.target]
    names = [*sorted(used, key=lambda name: -used[name]), *others][:MOST_COLUMNS]
    return ({"name": name, "used": name in used, "weight": rounded(used.get(name, 0.0), 3)} for name in names)


def fit(send: Send, upload: Upload, choices: Choices, folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit, write the model, the report and the rows; return a summary as JSON values."""
    method = settings["method"]
    parameters = QUICK if settings["quick"] and method == "free-energy" else None
    with upload.noted() as notes:
        table = upload.table(choices.reading)
        with upload.noted():  # The fit repeats these warnings.
            schema, _ = usable(table, choices.target, **choices.kinds)
            target = TASKS[choice_of(table, schema.target, choices.task).task].target(table, schema.target)
        # For the live picture: the classes, or the quartiles of the targets.
        if target.word == "class":
            begin = {"classes": classes([str(label)[:LONGEST] for label in np.unique(target.y)])}
        else:
            quarters = np.quantile(target.y, QUARTERS, method="inverted_cdf")
            begin = {"classes": [], "quarters": rounded(quarters, DIGITS)}
        send({"type": "begin", **begin})
        model = TableModel.fit(
            table,
            choices.target,
            method,
            task=choices.task,
            seed=settings["seed"],
            parameters=parameters,
            n_jobs=settings["jobs"] or -1,  # threads; the result is the same
            on_step=Live(send, target.y if target.word == "number" else None),
            **cast(dict[str, Any], choices.kinds),
        )
        send({"type": "stage", "text": "writing the report"})
        model.save(folder / MODEL, {**choices.kinds, **choices.reading, "header": table.options.header})
        with upload.noted():  # The fit has given these warnings.
            X, y = model.rows(table)
        about: dict[str, Any] = {"feature_names": model.feature_names(), "columns": model.originals()}
        findings = collect(model.pipeline, X, y, most_rows=MOST_ROWS, **about)
        write_findings(findings, folder / REPORT, f"{upload.name}: {choices.target}")
        write_rows(model, table, X, findings, folder)
    return {**summary(model), **errors(findings), "notes": notes}


def summary(model: TableModel) -> dict[str, Any]:
    """Facts about a fitted model."""
    last, weights, owed = model.pipeline[-1], by_column(model.weights()), model.importances()
    score = getattr(last, "oob_score_", np.nan)
    known = np.isfinite(score)
    importances: list[list] = []
    if owed is not None and owed.n_oob:
        first = np.argsort(-owed.mean, kind="stable")[:MOST_NAMED]
        importances = [[str(owed.names[i]), float(owed.mean[i]), float(owed.error[i])] for i in first]
    return {
        "task": REGRESS if model.predicts_numbers else CLASSIFY,
        "method": model.notes["method"],
        "target": model.schema.target,
        "rows": model.notes["rows"],
        "columns": len([column for column in model.schema.columns if column.name not in model.left_out]),
        "score": float(score) if known else None,
        "score_name": f"out-of-bag {score_name(recipe_of(last).scoring, model.predicts_numbers)}" if known else "",
        "replicas": last.ensemble_.n_replicas if hasattr(last, "ensemble_") else None,
        "n_neighbors": getattr(last, "n_neighbors_", None),
        "weights": [[name, share] for name, share in list(weights.items())[:MOST_NAMED]],
        "importances": importances,
    }


def errors(findings: Findings) -> dict[str, Any]:
    """Errors of a regression and coverage of its intervals; empty for classification."""
    if findings.targets is None:
        return {}
    found = {name: rounded(float(value), DIGITS) for name, value in scores(findings.targets).items()}
    about = {"source": findings.prediction_source, "kind": findings.prediction_kind}
    return {"errors": found, "alpha": findings.targets.alpha, **about}


def compare(send: Send, upload: Upload, choices: Choices, folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Compare methods on a table and write a page about it; return the scores as JSON values."""
    parameters = {"free-energy": QUICK} if settings["quick"] else None
    protocol = Settings(settings["folds"], settings["repeats"], settings["seed"], parameters, task=choices.task)
    with upload.noted() as notes:
        found = evaluate(
            {upload.name: upload.table(choices.reading)},
            choices.target,
            settings["methods"],
            protocol,
            n_jobs=settings["jobs"] or max(1, (os.cpu_count() or 1) // 2),  # processes, which need memory
            on_fit=lambda split, done, total: send(
                {"type": "split", "method": split.method, "error": rounded(split.error), "done": done, "total": total}
            ),
            **choices.kinds,
        )
        write_evaluation(found, folder / COMPARISON)
    return {
        "task": REGRESS if found.is_of_numbers else CLASSIFY,
        "rows": [
            {name: row[name] for name in ("method", "failure")}
            | {name: rounded(row[name], 4) for name in ("error", "uncertainty", "seconds")}
            | {"scores": {name: rounded(score["mean"], 4) for name, score in row["scores"].items()}}
            for row in found.rows()
        ],
        "protocol": found.protocol(),
        "notes": [*notes, *map(upload.in_words, found.notes())],
    }


class Live:
    """An ``on_step`` of ``TableModel.fit`` that sends events, not more often than the page can draw.

    ``targets`` (n_rows,) are those of a regression; None for classification.
    """

    def __init__(self, send: Send, targets: NDArray | None = None):
        self.send, self.seen = send, {"step": -np.inf, "space": -np.inf}
        self.ranks = None if targets is None else rankdata(targets) / len(targets)
        self.axes: NDArray | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._is_time("step", BETWEEN_STEPS) or done == total:
            self.send({"type": "step", "done": done, "total": total})

    def on_replicas(self, task: Any, replicas: Any) -> None:
        """Replicas were sampled: their energies, and the space of the first of them."""
        if not task.candidate.learns:
            return
        energies = replicas.trace["energy"]  # (n_steps, R)
        shown, median = evenly(len(energies), MOST_STEPS), np.nanmedian(energies, axis=1)
        walk = {"at": (shown + 1).tolist(), "energy": rounded(median[shown], 4), "replicas": energies.shape[1]}
        self.send({"type": "walk", **about(task.candidate), **walk})
        if self._is_time("space", BETWEEN_SPACES):
            self.send({"type": "space", **about(task.candidate), **self._space(task, replicas)})

    def on_round(self, population: Any) -> None:
        """A round is over, and the candidates have scores."""
        if not len(population.oob_samples):
            return
        scores = population.scores()
        found = []
        for i in np.argsort(scores.min(axis=1), kind="stable")[:MOST_FOUND]:  # the best first
            result, k = population.results[i], int(scores[i].argmin()) + 1
            best = {"replicas": len(result.maps), "k": k, "score": rounded(float(scores[i].min()), 4)}
            found.append({**about(result.candidate), **best})
        self.send({"type": "round", "found": found, "score": population.task.score_words})

    def _is_time(self, what, seconds):
        now = time.monotonic()
        if now - self.seen[what] < seconds:
            return False
        self.seen[what] = now
        return True

    def _space(self, task, replicas):
        """The rows on two axes, as the walk goes on; turned so that it looks like the one before."""
        training_set, form = task.training_set, FORMS[task.candidate.form]
        some, kept = evenly(len(task.seen), MOST_POINTS), list(replicas.snapshots.get("map", ()))
        maps = [*(kept[i] for i in evenly(len(kept), MOST_FRAMES - 1)), replicas.maps[0]]  # along its walk, and its end
        on_axes = seen_alike([form.map(task.seen[some], A) for A in maps], self.axes)
        self.axes, rows = on_axes[-1], training_set.places.rows[some]
        if self.ranks is None:
            return {"frames": rounded(on_axes, 3), "class": training_set.y[rows].tolist()}
        return {"frames": rounded(on_axes, 3), "rank": rounded(self.ranks[training_set.rows[rows]], 3)}


def about(candidate: Any) -> dict[str, Any]:
    """Kind and temperature of a candidate."""
    return {"kind": f"{candidate.view}, {candidate.form}", "temperature": rounded(float(candidate.temperature), 3)}


def seen_alike(spaces: list[NDArray], before: NDArray | None) -> NDArray:
    """Spaces (n, p) on the two main axes of the last, each of unit size, turned towards what was seen before."""
    last = spaces[-1] - spaces[-1].mean(axis=0)
    directions = np.linalg.lstsq(last, main_axes(last, 2)[0], rcond=None)[0]
    flat = np.array([(Z - Z.mean(axis=0)) @ directions for Z in spaces])
    size = np.sqrt((flat**2).sum(axis=2).mean(axis=1))
    flat /= np.where(size > 0, size, 1)[:, None, None]
    if flat.shape[2] < 2:
        flat = np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2)
    if before is not None and before.shape == flat[-1].shape:
        flat = flat @ orthogonal_procrustes(flat[-1], before)[0]
    return flat
