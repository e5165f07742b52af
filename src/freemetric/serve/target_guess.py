"""Which column of a table is likely to be the class, where nobody has said so yet."""

import numpy as np

from ..tabular.table import Table

USUAL = ("class", "target", "label", "labels", "species", "outcome", "diagnosis", "category", "y")
FEW = 30  # different values of a column that looks like classes


def guessed_target(table: Table) -> str:
    """The column that the format declares, one with a usual name, else the last that has few values, else the last."""
    if table.target is not None:
        return table.target
    names = list(table.columns)
    by_name = [name for usual in USUAL for name in names if name.strip().lower() == usual]
    few = [name for name in reversed(names) if _looks_like_classes(table, name)]
    return (by_name + few + names[::-1])[0]


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
