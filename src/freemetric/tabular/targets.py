"""What is to be predicted of the rows of a table: classes, or numbers."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..exceptions import DataWarning
from .class_checks import check_classes
from .column_kinds import doubt, marks_seen, recognised
from .labels import labels
from .number_marks import Marks, first_that_is_none, most_fitting
from .table import InputError, Table, quoted


class Target(NamedTuple):
    """Classes or numbers, ``word`` says which, of the rows that have one, and what a model keeps of them."""

    word: str
    y: np.ndarray  # (n_present,)
    present: np.ndarray  # (n_rows,) whether a row has one
    about: dict[str, Any]


def classes_of(table: Table, name: str) -> Target:
    """A column of classes, which may be numbers with decimals: somebody wants it so."""
    return class_target(table, name, *labels(table, name, decimals=True))


def class_target(table: Table, name: str, y: np.ndarray, present: np.ndarray) -> Target:
    """Labels as a target; an error where they are no classes."""
    check_classes(table, name, y)
    return Target("class", y, present, {"classes": [str(label) for label in np.unique(y)]})


def numbers_of(table: Table, name: str) -> Target:
    """A column of numbers, however they are written."""
    table.check(name)
    marks = _marks(table, name)
    numbers = table.numbers(name, marks)
    present = ~np.isnan(numbers)
    return number_target(table, name, numbers[present], present, marks)


def number_target(table: Table, name: str, y: np.ndarray, present: np.ndarray, marks: Marks | None = None) -> Target:
    """Numbers as a target; an error where there are no two different ones."""
    if not len(y) or y.min() == y.max():
        what = f"every row has the number {quoted(float(y[0]))}" if len(y) else "no row has a number"
        raise InputError(f"{table.source}: {what} in column {quoted(name)}; two different ones are needed")
    marks = marks or Marks()
    about: dict[str, Any] = {"lowest": float(y.min()), "highest": float(y.max()), "mean": float(y.mean())}
    about |= {"decimal": marks.decimal, "thousands": marks.thousands}
    return Target("number", y, present, {"numbers": about})


def _marks(table, name):
    found, is_news = marks_seen(table, name)
    if found.doubtful is not None:
        raise InputError(f"{table.source}: column {quoted(name)}: {doubt(table, found)}")
    if found.marks is None:
        raise InputError(_no_number(table, name))
    if is_news:
        warnings.warn(f"{table.source}: {recognised(table, found.marks, [name])}", DataWarning, 4)
    return found.marks


def _no_number(table, name):
    """Which cell is none, however the others are written, and what to do about it."""
    texts = table.texts(name).tolist()
    row = int(np.flatnonzero(np.isinf(most_fitting(texts).numbers(texts)))[0])
    what = f"{table.place(row, name)}: {quoted(texts[row])} is no number to predict"
    if first_that_is_none(texts) is None:
        return f"{what}; names are classes"
    return f"{what}, as most cells of the column are; {table.option('missing', texts[row][:20])} takes it for a gap"
