"""The rows of a fit, written for the page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import replacing
from ..report.encode import clipped, rounded
from ..report.findings import Findings, NumberFindings
from ..report.numbers import numbers, story
from ..tabular.feature_columns import by_column
from ..tabular.model import TableModel
from ..tabular.table import Table
from .rows import CELLS, SPACE

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
    assert findings.numbers is not None
    assert findings.rows is not None
    shown = findings.rows
    places = frame.index.to_numpy()[shown]
    about = {
        "class": _cells(table, model.schema.target, places),
        "numbers": numbers(findings),
        "stories": [story(findings.numbers, i) for i in range(len(shown))],
        "wrong": _far_off(findings.numbers).tolist(),
        "fair": hasattr(model.pipeline[-1], "oob_prediction_"),
        "target": clipped(model.schema.target),
    }
    _write(model, table, frame, shown, about, folder)


def _far_off(known: NumberFindings) -> NDArray[np.intp]:
    """Rows outside of their interval; where there are none, those that are off by more than twice what is usual."""
    if np.isfinite(known.low).any():
        return np.flatnonzero(known.judged & np.isfinite(known.low) & ~known.held)
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
