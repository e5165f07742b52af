"""What was understood of a table: the kind of every column, examples, what is left out and why."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..display.style import class_color, class_marker
from ..exceptions import DataWarning
from ..report.encode import rounded
from ..tabular.preprocessing import plan, usable
from ..tabular.schema import Column, Schema
from ..tabular.table import InputError, Table, as_text
from ..tabular.targets import check_classes, labels, numbers_of
from ..tabular.tasks import CLASSIFY, REGRESS, choice_of
from .target_guess import guessed_target
from .upload import Upload
from .wishes import Wishes

MOST_COLUMNS, MOST_CLASSES, MOST_EXAMPLES, MOST_BARS = 400, 200, 4, 30
DIGITS = 10
LONGEST = 60  # letters of an example
KINDS = {"numeric": "numbers", "nominal": "names", "date": "dates"}


def describe(upload: Upload, wishes: Wishes) -> dict[str, Any]:
    """All that the page shows of a table, as JSON values; ``problem`` says in a line why it cannot be learned from."""
    with upload.noted() as notes:
        table = upload.table(wishes.reading)
        target = wishes.target if wishes.target in table.columns else guessed_target(table)
        understood = _understood(upload, table, target, wishes)
    shown = list(table.columns)[:MOST_COLUMNS]
    return {
        "name": upload.name,
        "n_rows": table.n_rows,
        "n_columns": len(table.columns),
        "names": shown if target in shown else [*shown, target],
        "target": target,
        "guessed": target != wishes.target and target != table.target,
        "columns": [_column(table, name, understood) for name in shown if name != target],
        "task": understood["task"],
        "classes": understood["classes"][:MOST_CLASSES],
        "n_classes": len(understood["classes"]),
        "numbers": understood["numbers"],
        "problem": understood["problem"],
        "notes": notes,
        "wishes": replace(wishes, target=target).as_json(),
    }


def _understood(upload, table, target, wishes) -> dict[str, Any]:
    """Columns by name, reasons, what is predicted; a problem where there is one."""
    known: dict[str, Any] = {"columns": {}, "left_out": {}, "task": wishes.task or CLASSIFY, "problem": None}
    known |= {"classes": [], "numbers": None}
    kinds = {use: [name for name in names if name in table.columns] for use, names in wishes.kinds.items()}
    try:
        every = Schema.infer(table, target, **{use: kinds[use] for use in ("drop", "numeric", "nominal")})
        known["columns"] = {column.name: column for column in every.columns}
        schema, known["left_out"] = usable(table, target, **kinds)
        present = _predicted(table, target, wishes.task, known)
        known["left_out"] |= plan(schema.frame(table)[present], schema).left_out
    except InputError as problem:
        known["problem"] = upload.in_words(str(problem))
    known["left_out"] |= {name: "you leave it out" for name in kinds["drop"]}
    return known


def _predicted(table, target, task, known):
    """Which rows have something to predict; what that is, becomes known."""
    choice = choice_of(table, target, task)
    known["task"] = choice.task
    if choice.why:
        warnings.warn(choice.why, DataWarning, 2)
    if choice.task == REGRESS:
        _, y, present, _ = numbers_of(table, target)
        known["numbers"] = _summed_up(y)
        return present
    y, present = labels(table, target, decimals=True)
    known["classes"] = _counted(y)
    check_classes(table, target, y)
    return present


def _summed_up(y):
    """Of numbers their ends and middle, and how many there are in equal parts of the range."""
    bars, _ = np.histogram(y, min(MOST_BARS, len(y)))
    middle = {"lowest": y.min(), "median": np.median(y), "mean": y.mean(), "highest": y.max()}
    told = {name: rounded(float(value), DIGITS) for name, value in middle.items()}
    return {**told, "n": len(y), "n_values": len(np.unique(y)), "bars": bars.tolist()}


def _counted(y):
    values, counts = np.unique(y, return_counts=True)
    named = styled([str(value) for value in values])
    return [{**known, "n": int(n)} for known, n in zip(named, counts, strict=True)]


def styled(names: Sequence[str]) -> list[dict[str, Any]]:
    """Classes with the colours and markers that the report gives them."""
    return [
        {"name": name[:LONGEST], "color": class_color(c), "marker": class_marker(c)} for c, name in enumerate(names)
    ]


def _column(table: Table, name: str, understood: Mapping[str, Any]) -> dict[str, Any]:
    values, missing = _values(table, name)
    column = understood["columns"].get(name)
    return {
        "name": name,
        "kind": "" if column is None else _kind(column),
        "missing": missing,
        "n_values": len(values),
        "examples": [str(value)[:LONGEST] for value in values[:MOST_EXAMPLES]],
        "left_out": understood["left_out"].get(name, ""),
    }


def _values(table, name):
    """Different values in their order, a few of them as texts, and how many cells have none."""
    cells = table.cells(name)
    if cells.dtype.kind != "f":
        values = dict.fromkeys(cells)
        values.pop(None, None)
        return list(values), int(sum(cell is None for cell in cells))
    known = cells[~np.isnan(cells)]
    first = np.sort(np.unique(known, return_index=True)[1])
    return [as_text(x) for x in known[first[:MOST_EXAMPLES]]] + [""] * len(first[MOST_EXAMPLES:]), len(cells) - len(
        known
    )


def _kind(column: Column) -> str:
    marks = (
        f" with {column.marks}" if column.kind == "numeric" and (column.decimal, column.thousands) != (".", "") else ""
    )
    return KINDS[column.kind] + marks + (f" ({column.order})" if column.order else "")
