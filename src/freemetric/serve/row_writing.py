"""The rows of a fit, written for the page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import replacing
from ..report.encode import clipped, rounded
from ..tabular.feature_shares import by_column
from ..tabular.model import TableModel
from ..tabular.table import Table
from .rows import CELLS, SPACE

MOST_ROWS, MOST_COLUMNS = 10_000, 400


def write_rows(model: TableModel, table: Table, frame: Any, y: NDArray, folder: Path) -> None:
    """Write what ``Rows`` reads: what ``model.rows(table)`` gave, or a sample of it where there is much."""
    shown = np.arange(len(frame))
    if len(shown) > MOST_ROWS:
        shown = np.sort(np.random.default_rng(0).choice(len(frame), MOST_ROWS, replace=False))
    row = frame.index.to_numpy()[shown]  # in the table
    np.save(folder / SPACE, model.embedded(frame.iloc[shown]).astype(np.float32), allow_pickle=False)
    about = {
        "row": shown.tolist(),
        "line": None if table.lines is None else [int(table.lines[i]) for i in row],
        "class": [clipped(label) for label in np.asarray(y)[shown].tolist()],
        "judged": [clipped(label) for label in _judged(model, frame, shown)],
        "fair": hasattr(model.pipeline[-1], "oob_decision_function_"),
        "columns": [{**column, "cells": _cells(table, column["name"], row)} for column in _columns(model, table)],
    }
    with replacing(folder / CELLS) as file:
        file.write(json.dumps(about, allow_nan=False).encode())


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
