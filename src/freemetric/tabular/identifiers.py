"""Columns that tell rows apart and say nothing about others: keys, near-identifiers, free text."""

import re
import warnings
from collections.abc import Collection

import numpy as np

from ..exceptions import DataWarning
from .column import Column
from .preprocessing import MOST_CATEGORIES, in_words
from .schema import Schema
from .table import InputError, Table

MANY_OF_THE_ROWS = 0.5  # share of different values from which on they are nearly a name of the row
WORDS_OF_A_TEXT = 4
CALLED_A_KEY = re.compile(r"(?i:(?:.*[^a-z])?(?:id|key|index|idx|row|rowid|nr|no))|.*[a-z]I[dD]")  # and no "acid"

WITHOUT_NAME = re.compile(r"Unnamed: 0(\.\d+)*")  # as pandas and our readers call an index


def usable(
    table: Table, target: str | None = None, *, keep: Collection[str] = (), **kinds: Collection[str]
) -> tuple[Schema, dict[str, str]]:
    """The schema of a table without columns that identify its rows, and why those are left out.

    Parameters
    ----------
    table : Table
        The training rows.
    target : str or None, default=None
        Column of the class; None is what the format itself declares.
    keep : collection of str, default=()
        Columns that are features whatever they look like, as are those whose kind is given.
    **kinds : dict
        ``drop``, ``numeric`` and ``nominal`` of ``Schema.infer``.

    Returns
    -------
    schema : Schema
    left_out : dict of str
        Reasons by column.
    """
    for name in keep:
        table.check(name)
    schema = Schema.infer(table, target, **kinds)
    spared = {*keep, *kinds.get("numeric", ()), *kinds.get("nominal", ())}
    reasons = {column.name: why(table, column) for column in schema.columns if column.name not in spared}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    if not left_out:
        return schema, {}
    words = in_words(left_out)
    if len(left_out) == len(schema.columns):
        raise InputError(f"{table.source}: no column is of use; {words}; {table.option('keep')} keeps one")
    warnings.warn(f"{table.source}: left out: {words}; {table.option('keep')} keeps one", DataWarning, 3)
    columns = tuple(column for column in schema.columns if column.name not in left_out)
    return Schema(schema.target, columns), left_out


def why(table: Table, column: Column) -> str:
    """Why a column should not be a feature, empty if it may be one."""
    if WITHOUT_NAME.fullmatch(column.name):
        return "it is an index without a name"
    if column.kind == "numeric":
        return "it numbers the rows" if _numbers_the_rows(table.numbers(column.name, column.marks), column) else ""
    if column.kind == "date" or len(column.categories) <= MOST_CATEGORIES:
        return ""
    n_values, n_present = len(column.categories), table.n_rows - column.missing
    if np.mean([len(text.split()) for text in column.categories]) >= WORDS_OF_A_TEXT:
        return "it is free text"
    if n_values >= MANY_OF_THE_ROWS * n_present:
        return f"it has {n_values} different values in {n_present} rows"
    return ""


def _numbers_the_rows(numbers: np.ndarray, column: Column) -> bool:
    """Whether they are whole numbers without a gap, or different ones in a column that is called a key.

    In a short table both are asked for: they count the rows from 0 or 1, and the column is called a key.
    """
    if CALLED_A_KEY.fullmatch(column.name) and any(np.array_equal(numbers, _counted(numbers, i)) for i in (0, 1)):
        return True
    if len(numbers) <= MOST_CATEGORIES or column.missing or (numbers != np.round(numbers)).any():
        return False
    if len(np.unique(numbers)) < len(numbers):
        return False
    return bool(np.ptp(numbers) == len(numbers) - 1 or CALLED_A_KEY.fullmatch(column.name))


def _counted(numbers: np.ndarray, start: int) -> np.ndarray:
    return np.arange(start, start + len(numbers))
