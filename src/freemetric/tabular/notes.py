"""What is kept beside a model of a table, as a file may say it."""

from typing import Any

from ..files.checks import is_number
from .number_marks import marks_of

KINDS = {"classes": list, "some_rows": list, "left_out": dict, "parameters": dict, "versions": dict, "numbers": dict}


def check_notes(notes: dict[str, Any], n_features: int) -> None:
    """ValueError unless the notes are such as ``TableModel.fit`` writes."""
    for name, kind in KINDS.items():
        if type(notes.get(name, kind())) is not kind:
            raise ValueError(f"notes of another type: {name}")
    if not all(type(label) is str for label in notes.get("classes", ())):
        raise ValueError("classes that are no texts")
    if not all(type(row) is int for row in notes.get("some_rows", ())):
        raise ValueError("rows that are no numbers")
    if not all(type(reason) is str for reason in notes.get("left_out", {}).values()):
        raise ValueError("reasons that are no texts")
    _check_numbers(notes.get("numbers", {}))
    shares = notes.get("weights")
    if shares is not None and not (type(shares) is list and len(shares) == n_features and all(map(is_number, shares))):
        raise ValueError("weights of other features")


def _check_numbers(about):
    """Of a model of numbers: their ends and mean, and how they were written."""
    if about and not all(is_number(about.get(name)) for name in ("lowest", "highest", "mean")):
        raise ValueError("ends that are no numbers")
    marks = about.get("decimal", "."), about.get("thousands", "")
    if not all(type(mark) is str for mark in marks):
        raise ValueError("marks that are no texts")
    marks_of(*marks)
