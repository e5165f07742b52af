"""What is understood of a table: columns, and which of them may be the target."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..display.style import class_color, class_marker
from ..exceptions import DataWarning
from ..report.encode import rounded
from ..tabular.column_kinds import number_meaning
from ..tabular.preprocessing import plan, usable
from ..tabular.schema import Column, Schema
from ..tabular.table import InputError, Table, as_text
from ..tabular.targets import check_classes, labels, numbers_of
from ..tabular.tasks import CLASSIFY, REGRESS, choice_of
from .upload import Upload
from .wishes import Wishes

USUAL = ("class", "target", "label", "labels", "species", "outcome", "diagnosis", "category", "y")
FEW = 30  # different values of a column that looks like classes


def guessed_target(table: Table) -> str:
    """What the format declares, a usual name, the last column if it is classes or numbers, the last of few values.

    Where there is nothing of that, it is the last column.
    """
    if table.target is not None:
        return table.target
    names = list(table.columns)
    by_name = [name for usual in USUAL for name in names if name.strip().lower() == usual]
    if by_name or _looks_like_classes(table, names[-1]) or _are_numbers(table, names[-1]):
        return (by_name or names[-1:])[0]
    few = [name for name in reversed(names) if _looks_like_classes(table, name)]
    return (few or names[-1:])[0]


def _looks_like_classes(table, name):
    cells = table.cells(name)
    if cells.dtype.kind == "f":
        numbers = cells[~np.isnan(cells)]
        return bool((numbers == np.round(numbers)).all()) and 2 <= len(np.unique(numbers)) <= FEW
    values = {cell for cell in cells if cell is not None}
    return 2 <= len(values) <= min(FEW, max(2, table.n_rows // 2)) and not _has_decimals(values)


def _has_decimals(values):
    try:
        return any(float(value) != round(float(value)) for value in values)
    except (ValueError, OverflowError):
        return False


def _are_numbers(table, name):
    """Whether a column holds different numbers that do not number the rows."""
    marks = number_meaning(table, name).reading
    if marks is None:
        return False
    numbers = table.maybe_numbers(name, marks)
    known = numbers[np.isfinite(numbers)]
    return len(np.unique(known)) > 1 and not (len(known) == len(numbers) and (np.diff(known) == 1).all())


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
        _, y, present, *_ = numbers_of(table, target)
        known["numbers"] = _summed_up(y)
        return present
    y, present = labels(table, target)
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
