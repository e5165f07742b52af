"""What the page shows of a table: its columns, which of them may be the target, and predictions for a new one."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import DataWarning
from ..report.document import cell, rounded
from ..report.panels import classes
from ..tabular.model import TableModel
from ..tabular.notation import PLAIN
from ..tabular.predictions import Wanted, beside, predictions, scores_of
from ..tabular.preprocessing import plan, usable
from ..tabular.schema import Column, Schema, number_meaning
from ..tabular.table import InputError, Table, as_text
from ..tabular.tasks import CLASSIFY, REGRESS, check_classes, choice_of, labels, numbers_of
from ..tabular.writing import write
from .requests import Choices, Upload

USUAL = ("class", "target", "label", "labels", "species", "outcome", "diagnosis", "category", "y")
FEW = 30  # different values of a column that looks like classes
MOST_COLUMNS, MOST_CLASSES, MOST_EXAMPLES, MOST_BARS = 400, 200, 4, 30
DIGITS = 10
LONGEST = 60  # letters of an example
KINDS = {"numeric": "numbers", "nominal": "names", "date": "dates"}


def guessed_target(table: Table) -> str:
    """The format's target, a usual name, the last column of classes or numbers, or else the last column."""
    if table.target is not None:
        return table.target
    names = list(table.columns)
    by_name = [name for usual in USUAL for name in names if name.strip().lower() == usual]
    if by_name:
        return by_name[0]
    few = (name for name in reversed(names) if _looks_like_classes(table, name))
    return names[-1] if _are_numbers(table, names[-1]) else next(few, names[-1])


def _looks_like_classes(table, name):
    values, _ = _values_of(table, name)
    most = FEW if table.cells(name).dtype.kind == "f" else min(FEW, max(2, table.n_rows // 2))
    if not 2 <= len(values) <= most:
        return False
    try:
        return all(float(value) == round(float(value)) for value in values)
    except (ValueError, OverflowError):  # names, or infinity
        return True


def _are_numbers(table, name):
    """Whether a column holds different numbers that do not number the rows."""
    marks = number_meaning(table, name).reading
    if marks is None:
        return False
    numbers = table.maybe_numbers(name, marks)
    known = numbers[np.isfinite(numbers)]
    return len(np.unique(known)) > 1 and not (len(known) == len(numbers) and (np.diff(known) == 1).all())


def describe(upload: Upload, choices: Choices) -> dict[str, Any]:
    """The description of a table as JSON values; ``problem`` says why no model can be fitted."""
    with upload.noted() as notes:
        table = upload.table(choices.reading)
        target = choices.target if choices.target in table.columns else guessed_target(table)
        understood = _understood(upload, table, target, choices)
    shown, known, left_out = list(table.columns)[:MOST_COLUMNS], understood["columns"], understood["left_out"]
    return {
        "name": upload.name,
        "n_rows": table.n_rows,
        "n_columns": len(table.columns),
        "names": shown if target in shown else [*shown, target],
        "target": target,
        "guessed": target != choices.target and target != table.target,
        "columns": [
            {**described_column(table, name, known.get(name)), "left_out": left_out.get(name, "")}
            for name in shown
            if name != target
        ],
        "task": understood["task"],
        "classes": understood["classes"][:MOST_CLASSES],
        "n_classes": len(understood["classes"]),
        "targets": understood["targets"],
        "problem": understood["problem"],
        "notes": notes,
        "choices": replace(choices, target=target).as_json(),
    }


def _understood(upload, table, target, choices) -> dict[str, Any]:
    """Columns by name, reasons to leave some out, the target; a problem where there is one."""
    known: dict[str, Any] = {"columns": {}, "left_out": {}, "task": choices.task or CLASSIFY, "problem": None}
    known |= {"classes": [], "targets": None}
    kinds = {use: [name for name in names if name in table.columns] for use, names in choices.kinds.items()}
    try:
        every = Schema.infer(table, target, **{use: kinds[use] for use in ("drop", "numeric", "nominal")})
        known["columns"] = {column.name: column for column in every.columns}
        schema, known["left_out"] = usable(table, target, **kinds)
        present = _predicted(table, target, choices.task, known)
        known["left_out"] |= plan(schema.frame(table)[present], schema).left_out
    except InputError as problem:
        known["problem"] = upload.in_words(str(problem))
    known["left_out"] |= {name: "you leave it out" for name in kinds["drop"]}
    return known


def _predicted(table, target, task, known):
    """Rows with a target; adds the task and a summary of the target to what is known."""
    choice = choice_of(table, target, task)
    known["task"] = choice.task
    if choice.why:
        warnings.warn(choice.why, DataWarning, 2)
    if choice.task == REGRESS:
        _, y, present, *_ = numbers_of(table, target)
        bars, _ = np.histogram(y, min(MOST_BARS, len(y)))
        middle = {"lowest": y.min(), "median": np.median(y), "mean": y.mean(), "highest": y.max()}
        known["targets"] = {name: rounded(float(value), DIGITS) for name, value in middle.items()}
        known["targets"] |= {"n": len(y), "n_values": len(np.unique(y)), "bars": bars.tolist()}
        return present
    y, present = labels(table, target)
    values, counts = np.unique(y, return_counts=True)
    named = classes([str(value)[:LONGEST] for value in values])
    known["classes"] = [{**one, "n": int(n)} for one, n in zip(named, counts, strict=True)]
    check_classes(table, target, y)
    return present


def described_column(table: Table, name: str, column: Column | None) -> dict[str, Any]:
    """What was understood of a column; its kind is empty where it is no feature."""
    values, missing = _values_of(table, name)
    kind = ""
    if column is not None:
        marks = f" with {column.marks}" if column.kind == "numeric" and column.marks != PLAIN else ""
        kind = KINDS[column.kind] + marks + (f" ({column.order})" if column.order else "")
    texts = [as_text(value) if isinstance(value, float) else str(value) for value in values[:MOST_EXAMPLES]]
    examples = [text[:LONGEST] for text in texts]
    return {"name": name, "kind": kind, "missing": missing, "n_values": len(values), "examples": examples}


def _values_of(table, name):
    """Different values in their order, and how many cells have none."""
    cells = table.cells(name)
    known = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else [cell for cell in cells if cell is not None]
    return list(dict.fromkeys(known)), len(cells) - len(known)


PREDICTIONS = "predictions.csv"
INTERVAL = 0.9
MOST_SHOWN = 20  # rows and columns of predictions on the page


def predict(upload: Upload, model_file: Path, folder: Path) -> dict[str, Any]:
    """Write predictions beside the columns of a new table; return what was understood of it as JSON values."""
    with upload.noted() as notes:
        model = TableModel.load(model_file)
        # The words for gaps and the header are as in the training table; all else is recognised in the file.
        words = model.notes.get("options", {}).get("missing")
        reading = {"missing": words if isinstance(words, str) else "", **({} if model.header else {"header": "no"})}
        table = model.aligned(upload.table(reading))
        last = model.pipeline[-1]
        wanted = Wanted(
            proba=not model.predicts_numbers and hasattr(last, "predict_proba"),
            interval=INTERVAL if hasattr(last, "predict_interval") else None,
            novelty=hasattr(last, "score_samples"),
        )
        made = predictions(model, table, wanted)
        written = beside(table, {name: cells.tolist() for name, cells in made.items()}, table.columns)
        write(folder / PREDICTIONS, written)
        scores = scores_of(model, table, made, wanted)

    def use_of(name):
        if name == model.schema.target:
            return "the target: predictions are scored by it"
        if name in model.left_out or name not in known:
            return f"ignored: {model.left_out.get(name, 'no column of the training table')}"
        return "used"

    known = {column.name: column for column in model.schema.columns}
    shown = list(written)[-len(made) :][:MOST_SHOWN]
    rows = [[cell(written[name][i]) for name in shown] for i in range(min(table.n_rows, MOST_SHOWN))]
    return {
        "name": upload.name,
        "target": model.schema.target,
        "n_rows": table.n_rows,
        "n_columns": len(table.columns),
        "columns": [
            {**described_column(table, name, known.get(name)), "use": use_of(name)}
            for name in list(table.columns)[:MOST_COLUMNS]
        ],
        "scores": {name: value for name, value in scores.items() if value is not None},
        "predictions": {"names": shown, "rows": rows},
        "notes": notes,
    }
