"""Columns with a role: the target, and weights of the rows."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from ..printable import counted, verb
from .notation import LIKE_A_NUMBER, NUMBERS, PLAIN, Meaning, meaning, most_fitting, odd_one
from .schema import as_numbers, doubt, number_meaning, recognised
from .table import InputError, Table, note, objects, quoted

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # a number that fits 64 bits, without zeros or a plus in front
MANY_NUMBERS = 20  # different whole numbers that may well be classes, ...
OF_THE_ROWS = 0.1  # ... or as large a share of the rows


class Target(NamedTuple):
    """Targets of the rows that have one, and the notes about them for a model."""

    word: str  # "class" or "number"
    y: np.ndarray  # (n_present,)
    present: np.ndarray  # (n_rows,) whether a row has one
    about: dict[str, Any]
    weights: np.ndarray | None = None  # (n_rows,)


def classes_of(table: Table, name: str) -> Target:
    """A column of classes."""
    return class_target(table, name, *labels(table, name))


def class_target(table: Table, name: str, y: np.ndarray, present: np.ndarray) -> Target:
    """Labels as a target; InputError where they are no classes."""
    check_classes(table, name, y)
    return Target("class", y, present, {"classes": [str(label) for label in np.unique(y)]})


def numbers_of(table: Table, name: str) -> Target:
    """The target of a regression; InputError where there are no two different numbers."""
    table.check(name)
    found = number_meaning(table, name)
    if found.doubtful is not None:
        raise InputError(f"{table.source}: column {quoted(name)}: {doubt(table, found)}")
    if found.reading is None:
        raise InputError(_no_number(table, name))
    if found.is_news:
        note(f"{table.source}: {recognised(table, found.reading, [name])}")
    numbers = table.numbers(name, found.reading)
    present = ~np.isnan(numbers)
    y = numbers[present]
    if not len(y) or y.min() == y.max():
        what = f"every row has the number {quoted(float(y[0]))}" if len(y) else "no row has a number"
        raise InputError(f"{table.source}: {what} in column {quoted(name)}; two different ones are needed")
    about: dict[str, Any] = {"lowest": float(y.min()), "highest": float(y.max()), "mean": float(y.mean())}
    about |= {name: getattr(found.reading, name) for name in ("decimal", "thousands", "unit")}
    return Target("number", y, present, {"numbers": about})


def _no_number(table, name):
    """Message about the first cell that is no number."""
    texts = table.texts(name).tolist()
    row = int(np.isinf(most_fitting(texts, NUMBERS).values(texts)).argmax())
    what = f"{table.place(row, name)}: {quoted(texts[row])} is no number to predict"
    if odd_one(texts, NUMBERS, LIKE_A_NUMBER) is None:
        return f"{what}; names are classes"
    return f"{what}, as most cells of the column are; {table.option('missing', texts[row][:20])} takes it for a gap"


def label_texts(table: Table, target: str) -> np.ndarray:
    """Labels in the same form for all file formats, None where there is none: "1.0" is "1"."""
    return objects(None if text is None else canonical(text) for text in table.texts(target))


def labels(table: Table, target: str) -> tuple[np.ndarray, np.ndarray]:
    """The labels (n_labelled,), int64, bool or texts, and which rows (n_rows,) have one."""
    texts = label_texts(table, target)
    present = np.array([text is not None for text in texts])
    known = texts[present]
    classes = set(known)
    check_two(table.source, target, known)
    if classes <= {"True", "False"}:
        return known == "True", present
    return (known.astype(np.int64) if all(map(WHOLE.fullmatch, classes)) else known), present


def check_two(source: str, target: str, known: Sequence) -> None:
    """InputError where there are fewer than two classes."""
    if len(set(known)) < 2:
        only = f"every row has the class {quoted(known[0])}" if len(known) else "no row has a class"
        raise InputError(f"{source}: {only} in column {quoted(target)}; two classes are needed")


def canonical(text: str) -> str:
    """A label in its shortest form: "1.0" is "1"."""
    short = text.removesuffix(".0")
    return short if WHOLE.fullmatch(short) else text


def check_classes(table: Table, target: str, y: np.ndarray) -> None:
    """InputError where most rows are alone in their class, a warning where the classes look like a quantity."""
    hint = f"{table.option('task', 'regress')} predicts a quantity"
    values, counts = np.unique(y, return_counts=True)
    alone, where = int((counts == 1).sum()), f"{table.source}: column {quoted(target)}"
    many_texts = len(values) > MANY_NUMBERS and y.dtype.kind in "OU"
    numbers = y.dtype.kind in "if" or (many_texts and meaning(values.tolist(), NUMBERS) != Meaning())
    if 2 * alone > len(y):
        which = hint if numbers else f"is it the right {table.option('target', '')}?"
        rows = f"{alone} of {len(y)} rows {verb(alone, 'is', 'are')} alone in {verb(alone, 'its', 'theirs')}"
        rows = "every row has a class of its own" if alone == len(y) else rows
        raise InputError(f"{where}: {counted(len(values), 'class', 'classes')}, and {rows}; {which}")
    if numbers and len(values) > max(MANY_NUMBERS, OF_THE_ROWS * len(y)):
        many = f"{len(values)} different numbers in {len(y)} rows are as many classes"
        note(f"{where}: {many}; {hint}")


def check_role(table: Table, name: str, target: str, role: str) -> None:
    """InputError where a column with a role is missing, or is the target."""
    if name == target:
        raise InputError(f"{table.source}: column {quoted(name)} is to be predicted and cannot be {role}, too")
    table.check(name)


def row_weights(table: Table, name: str, estimator: BaseEstimator, method: str) -> np.ndarray:
    """A column (n_rows,) of weights; InputError where it is not usable."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise InputError(f"method {method!r} cannot weigh rows; 'free-energy' can")
    weights = table.numbers(name, as_numbers(table, name, must=True).reading or PLAIN)
    wrong = np.flatnonzero(~(weights >= 0))
    if len(wrong):
        what = "has no weight" if np.isnan(weights[wrong[0]]) else f"{weights[wrong[0]]:g} is no weight"
        raise InputError(f"{table.place(int(wrong[0]), name)}: {what}; weights are numbers of at least 0")
    if not weights.any():
        raise InputError(f"{table.source}: every row has the weight 0 in column {quoted(name)}")
    return weights
