"""What is known of rows that a model has predicted: how good the predictions are."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..magnitudes import mae, r2, rmse
from .labels import canonical, label_texts
from .number_marks import Marks
from .table import Table
from .targets import Target

if TYPE_CHECKING:
    from .model import TableModel


def known_truth(model: "TableModel", table: Table) -> Target | None:
    """The classes that the model knows, or numbers, of the rows that have one; None where there is no such column."""
    name = model.schema.target
    if name not in table.columns:
        return None
    if model.predicts_numbers:
        numbers = table.maybe_numbers(name, marks_of_target(model))
        present = np.isfinite(numbers)
        return Target("number", numbers[present], present, {})
    known = {canonical(str(label)): label for label in model.pipeline.classes_}
    texts = label_texts(table, name)
    present = np.array([text in known for text in texts])
    return Target("class", np.array([known[text] for text in texts[present]]), present, {})


def marks_of_target(model: "TableModel") -> Marks:
    """How the numbers of the training rows were written; a table whose cells are numbers needs none."""
    about = model.notes.get("numbers", {})
    return Marks(about.get("decimal", "."), about.get("thousands", ""))


def accuracy(model: "TableModel", table: Table, predicted: Iterable) -> float | None:
    """Share of the labelled rows that are predicted right; None where no row has a label."""
    if model.schema.target not in table.columns:
        return None
    truth = label_texts(table, model.schema.target)
    pairs = zip(map(str, predicted), truth, strict=True)
    right = [canonical(label) == text for label, text in pairs if text is not None]
    return float(np.mean(right)) if right else None


def number_errors(
    model: "TableModel", table: Table, predicted: ArrayLike, ends: tuple[ArrayLike, ArrayLike] | None = None
) -> dict[str, Any]:
    """How far predicted numbers are off.

    Parameters
    ----------
    model : TableModel
        Of numbers.
    table : Table
        The rows.
    predicted : array-like of shape (n_rows,)
        What it predicts.
    ends : pair of array-like of shape (n_rows,) or None, default=None
        Lower and upper ends of intervals.

    Returns
    -------
    dict
        ``known_rows``, the number of rows whose number is known, "r2" (None of fewer than two different ones), "mae",
        "rmse" and, with ``ends``, "coverage"; empty where no number is known.
    """
    truth = known_truth(model, table)
    if truth is None or not truth.present.any():
        return {}
    y, told = truth.y, np.asarray(predicted)[truth.present]
    found = {
        "known_rows": len(y),
        "r2": r2(y, told) if y.min() < y.max() else None,
        "mae": mae(y, told),
        "rmse": rmse(y, told),
    }
    if ends is not None:
        low, high = (np.asarray(end)[truth.present] for end in ends)
        found["coverage"] = float(np.mean((low <= y) & (y <= high)))
    return found
