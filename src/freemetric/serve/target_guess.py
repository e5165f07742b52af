"""Which column of a table is likely to be predicted, where nobody has said so yet."""

import numpy as np

from ..tabular.column_kinds import marks_seen
from ..tabular.table import Table

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
    marks = marks_seen(table, name)[0].marks
    if marks is None:
        return False
    numbers = table.maybe_numbers(name, marks)
    known = numbers[np.isfinite(numbers)]
    return len(np.unique(known)) > 1 and not (len(known) == len(numbers) and (np.diff(known) == 1).all())
