"""A fit in a process of its own, and the rows that the page shows of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.decisions import score_name
from ..files.atomic import replacing
from ..report.collect import collect
from ..report.encode import clipped, rounded
from ..report.findings import Findings, TargetFindings
from ..report.page import write_findings
from ..report.panels import scores, story, targets
from ..tabular.feature_columns import by_column
from ..tabular.model import TableModel
from ..tabular.preprocessing import usable
from ..tabular.table import Table
from ..tabular.targets import Target
from ..tabular.tasks import CLASSIFY, REGRESS, TASKS, choice_of
from .describing import styled
from .live import Live, Tell
from .rows import CELLS, SPACE
from .upload import Upload
from .wishes import Wishes

MOST_ROWS, MOST_COLUMNS = 10_000, 400
FAR = 2.0  # times the root mean squared error


def write_rows(model: TableModel, table: Table, frame: Any, y: NDArray, folder: Path) -> None:
    """Write what ``Rows`` reads: what ``model.rows(table)`` gave, or a sample of it where there is much."""
    shown = np.arange(len(frame))
    if len(shown) > MOST_ROWS:
        shown = np.sort(np.random.default_rng(0).choice(len(frame), MOST_ROWS, replace=False))
    about = {
        "class": [clipped(label) for label in np.asarray(y)[shown].tolist()],
        "judged": [clipped(label) for label in _judged(model, frame, shown)],
        "fair": hasattr(model.pipeline[-1], "oob_decision_function_"),
    }
    _write(model, table, frame, shown, about, folder)


def write_number_rows(model: TableModel, table: Table, frame: Any, findings: Findings, folder: Path) -> None:
    """The same of a target of numbers, of which the report knows everything."""
    assert findings.targets is not None
    assert findings.rows is not None
    shown = findings.rows
    places = frame.index.to_numpy()[shown]
    about = {
        "class": _cells(table, model.schema.target, places),
        "numbers": targets(findings),
        "stories": [story(findings.targets, i) for i in range(len(shown))],
        "wrong": _far_off(findings.targets).tolist(),
        "fair": hasattr(model.pipeline[-1], "oob_prediction_"),
        "target": clipped(model.schema.target),
    }
    _write(model, table, frame, shown, about, folder)


def _far_off(known: TargetFindings) -> NDArray[np.intp]:
    """Rows outside of their interval; where there are none, those that are off by more than twice what is usual."""
    if np.isfinite(known.low).any():
        return np.flatnonzero(known.bounded & ~known.held)
    off = np.abs(known.truth - known.predicted)
    usual = np.sqrt(np.nanmean(off**2)) if known.judged.any() else 0.0
    return np.flatnonzero(off > FAR * usual)


def _write(model, table, frame, shown, about, folder):
    row = frame.index.to_numpy()[shown]  # in the table
    np.save(folder / SPACE, model.embedded(frame.iloc[shown]).astype(np.float32), allow_pickle=False)
    common = {
        "row": np.asarray(shown).tolist(),
        "line": None if table.lines is None else [int(table.lines[i]) for i in row],
        "columns": [{**column, "cells": _cells(table, column["name"], row)} for column in _columns(model, table)],
    }
    with replacing(folder / CELLS) as file:
        file.write(json.dumps({**common, **about}, allow_nan=False).encode())


def _judged(model, frame, shown) -> list:
    """Out of bag where the method has such votes; else by the model, which has learned from these rows."""
    last = model.pipeline[-1]
    if not hasattr(last, "oob_decision_function_"):
        return np.asarray(model.pipeline.predict(frame.iloc[shown])).tolist()
    votes = last.oob_decision_function_[shown]
    asked = np.isfinite(votes).all(axis=1)
    best = np.where(asked, np.where(asked[:, None], votes, 0).argmax(axis=1), 0)
    return [label if known else "" for label, known in zip(last.classes_[best].tolist(), asked.tolist(), strict=True)]


def _columns(model, table) -> Iterator[dict[str, Any]]:
    """Features, those that distances weigh most first; then what is left out."""
    shares = by_column(model.weights())
    used = {c.name: sum(shares.get(part, 0.0) for part in c.parts) for c in model.schema.columns}
    used = {name: share for name, share in used.items() if name not in model.left_out}
    others = [name for name in table.columns if name not in used and name != model.schema.target]
    names = [*sorted(used, key=lambda name: -used[name]), *others][:MOST_COLUMNS]
    return ({"name": name, "used": name in used, "weight": rounded(used.get(name, 0.0), 3)} for name in names)


def _cells(table, name, rows):
    return [None if text is None else clipped(text) for text in table.texts(name)[rows]]


QUICK = {"n_replicas": 24}  # a first look
MOST_NAMED = 10  # columns
QUARTERS, DIGITS = (0, 0.25, 0.5, 0.75, 1), 4
MODEL, REPORT = "model.fm", "report.html"


def fit(tell: Tell, upload: Upload, wishes: Wishes, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit, and write what the page shows and hands out; a summary as JSON values."""
    method, where = settings["method"], Path(folder)
    parameters = QUICK if settings["quick"] and method == "free-energy" else None
    with upload.in_its_words(), upload.noted() as notes:
        table = upload.table(wishes.reading)
        with upload.noted():  # what there is to note, the fit will say
            target = _target(table, wishes)
        tell({"type": "begin", **_predicted(target)})
        model = TableModel.fit(
            table,
            wishes.target,
            method,
            task=wishes.task,
            seed=settings["seed"],
            parameters=parameters,
            n_jobs=settings["jobs"] or -1,  # threads; the result is the same
            on_step=Live(tell, target.y if target.word == "number" else None),
            **cast(dict[str, Any], wishes.kinds),
        )
        tell({"type": "stage", "text": "writing the report"})
        model.save(where / MODEL, {**wishes.kinds, **wishes.reading})
        with upload.noted():  # what there is to note was noted by the fit
            X, y = model.rows(table)
        about: dict[str, Any] = {"feature_names": model.feature_names(), "columns": model.originals()}
        findings = collect(model.pipeline, X, y, most_rows=MOST_ROWS, **about)
        write_findings(findings, where / REPORT, f"{upload.name}: {wishes.target}")
        if findings.targets is None:
            write_rows(model, table, X, np.asarray(y), where)
        else:
            write_number_rows(model, table, X, findings, where)
    return {**summary(model), **number_summary(findings), "notes": notes}


def _target(table: Table, wishes: Wishes) -> Target:
    """What is predicted, as the fit will see it."""
    schema, _ = usable(table, wishes.target, **wishes.kinds)
    task = choice_of(table, schema.target, wishes.task).task
    return TASKS[task].target(table, schema.target)


def _predicted(target):
    """For the live picture: the classes, or which numbers have which part of all others below them."""
    if target.word == "class":
        return {"classes": styled([str(label) for label in np.unique(target.y)])}
    return {"classes": [], "quarters": rounded(np.quantile(target.y, QUARTERS, method="inverted_cdf"), DIGITS)}


def summary(model: TableModel) -> dict[str, Any]:
    """What there is to say of a fitted model in a few words."""
    last, weights = model.pipeline[-1], by_column(model.weights())
    score = getattr(last, "oob_score_", np.nan)
    known = np.isfinite(score)
    return {
        "task": REGRESS if model.predicts_numbers else CLASSIFY,
        "method": model.notes["method"],
        "target": model.schema.target,
        "rows": model.notes["rows"],
        "columns": len([column for column in model.schema.columns if column.name not in model.left_out]),
        "score": float(score) if known else None,
        "score_name": f"out-of-bag {score_name(last.scoring, model.predicts_numbers)}" if known else "",
        "replicas": last.ensemble_.n_replicas if hasattr(last, "ensemble_") else None,
        "n_neighbors": getattr(last, "n_neighbors_", None),
        "weights": [[name, share] for name, share in list(weights.items())[:MOST_NAMED]],
        "importances": _importances(model),
    }


def number_summary(findings: Findings) -> dict[str, Any]:
    """Of predicted numbers, how far they are off, and what their intervals hold; empty of classes."""
    if findings.targets is None:
        return {}
    found = {name: rounded(float(value), DIGITS) for name, value in scores(findings.targets).items()}
    return {"errors": found, "alpha": findings.targets.alpha, "judged_by": findings.judged_by}


def _importances(model):
    """Columns to which the out-of-bag score owes most, what it owes to them, and the standard error of that."""
    found = model.importances()
    if found is None or not found.n_judges:
        return []
    first = np.argsort(-found.mean, kind="stable")[:MOST_NAMED]
    return [[str(found.names[i]), float(found.mean[i]), float(found.error[i])] for i in first]
