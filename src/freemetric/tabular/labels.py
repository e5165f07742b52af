"""Class labels: whole numbers, truth values or names."""

from collections.abc import Sequence

import numpy as np

from .class_checks import hint
from .number_marks import plain
from .table import InputError, Table, objects, quoted

LONGEST_NUMBER = 18  # digits that fit 64 bits


def label_texts(table: Table, target: str) -> np.ndarray:
    """Labels in one form for every file format, None where there is none: "1.0" is "1"."""
    return objects(None if text is None else canonical(text) for text in table.texts(target))


def labels(table: Table, target: str, *, decimals: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The labels, and which rows have one.

    Parameters
    ----------
    table : Table
        Rows to learn from.
    target : str
        Column of the class.
    decimals : bool, default=False
        Whether numbers with decimals are names of classes, too, and no error.

    Returns
    -------
    y : ndarray of shape (n_labelled,)
        int64 or bool where all labels are such, objects (texts) otherwise.
    present : ndarray of shape (n_rows,)
        Whether a row has a label.
    """
    texts = label_texts(table, target)
    if not decimals:
        _check_whole(table, target, texts)
    present = np.array([text is not None for text in texts])
    known = texts[present]
    classes = set(known)
    check_two(table.source, target, known)
    if classes <= {"True", "False"}:
        return known == "True", present
    if all(_is_whole(text) for text in classes):
        return known.astype(np.int64), present
    return known, present


def _check_whole(table, target, texts):
    for row, text in enumerate(texts):
        number = plain(text)
        if np.isfinite(number) and number != round(number):
            what = f"{quoted(text)} is no class; classes are names or whole numbers, and {hint(table)}"
            raise InputError(f"{table.place(row, target)}: {what}")


def check_two(source: str, target: str, known: Sequence) -> None:
    """An error where the labels are not at least two different ones."""
    if len(set(known)) < 2:
        only = f"every row has the class {quoted(known[0])}" if len(known) else "no row has a class"
        raise InputError(f"{source}: {only} in column {quoted(target)}; two classes are needed")


def canonical(text: str) -> str:
    """A label in its shortest form: "1.0" is "1"."""
    short = text.removesuffix(".0")
    return short if _is_whole(short) else text


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number as one would write it, without zeros or a plus in front."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER
    return plain and (digits == "0" or digits[0] != "0") and text != "-0"
