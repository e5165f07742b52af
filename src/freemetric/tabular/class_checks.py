"""Whether a column of labels is one of classes."""

import warnings

import numpy as np

from ..exceptions import DataWarning
from ..printable import counted, verb
from .number_marks import meaning
from .table import InputError, Table, quoted

MANY_NUMBERS = 20  # different whole numbers that may well be classes, ...
OF_THE_ROWS = 0.1  # ... or as large a share of the rows


def hint(table: Table) -> str:
    """What to do about a quantity."""
    return f"{table.option('task', 'regress')} predicts a quantity"


def check_classes(table: Table, target: str, y: np.ndarray) -> None:
    """An error where most rows are alone in their class, a warning where the classes look like a quantity.

    Parameters
    ----------
    table : Table
        Where the labels come from.
    target : str
        Their column.
    y : ndarray of shape (n_labelled,)
        What ``labels`` gave.
    """
    values, counts = np.unique(y, return_counts=True)
    alone, where = int((counts == 1).sum()), f"{table.source}: column {quoted(target)}"
    numbers = y.dtype.kind == "i" or (len(values) > MANY_NUMBERS and _are_numbers(values.tolist()))
    if 2 * alone > len(y):
        which = hint(table) if numbers else f"is it the right {table.option('target', '')}?"
        rows = (
            "every row has a class of its own"
            if alone == len(y)
            else f"{alone} of {len(y)} rows {verb(alone, 'is', 'are')} alone in {verb(alone, 'its', 'theirs')}"
        )
        raise InputError(f"{where}: {counted(len(values), 'class', 'classes')}, and {rows}; {which}")
    if numbers and len(values) > max(MANY_NUMBERS, OF_THE_ROWS * len(y)):
        many = f"{len(values)} different numbers in {len(y)} rows are as many classes"
        warnings.warn(f"{where}: {many}; {hint(table)}", DataWarning, 4)


def _are_numbers(texts: list[str]) -> bool:
    found = meaning(texts)
    return found.marks is not None or found.doubtful is not None
