"""Where the names of the columns stand in a sheet: below a title, and perhaps in two rows with groups above."""

import warnings
from collections.abc import Sequence
from typing import Any

from ...exceptions import DataWarning
from ..table import InputError, quoted
from .cells import text_of_cell
from .names import completed

Row = tuple[Any, ...]
Grid = list[tuple[int, Row]]  # rows that are not empty, with their numbers


def with_names(place: str, grid: Grid) -> tuple[Sequence[str], Sequence[Row], list[int]]:
    """Names of the columns, and the rows below with their numbers."""
    width = max(width_of(row) for _, row in grid)
    lines, rows = [number for number, _ in grid], [_fitted(row, width) for _, row in grid]
    first = _first_that_names(place, rows)
    names: Sequence[str] = _texts(rows[first])
    rows, lines = rows[first + 1 :], lines[first + 1 :]
    if len(rows) > 1 and _is_grouped(names, rows):
        names, rows, lines = _joined(names, _texts(rows[0])), rows[1:], lines[1:]
        warnings.warn(f"{place}: two rows of names are joined, as in {quoted(_longest(names))}", DataWarning, 5)
    if not rows:
        raise InputError(f"{place}: a header and no rows")
    names, complete = completed(place, names, rows)
    return names, [tuple(row) for row in complete], lines


def _first_that_names(place: str, rows: Sequence[Row]) -> int:
    """The first row with several cells, if there is one; those above are a title."""
    first = next((i for i, row in enumerate(rows) if _filled(row) > 1), 0)
    if first:
        title = next(cell for cell in rows[0] if cell is not None)
        warnings.warn(f"{place}: rows above the names of the columns are left out, {quoted(title)}", DataWarning, 6)
    return first


def _is_grouped(names: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether the row below names what the row above does not, and is of words where all below it are none."""
    unnamed = [i for i, name in enumerate(names) if not name]
    if not any(i > 0 for i in unnamed):  # the first alone is an index
        return False
    below, rest = rows[0], rows[1:]
    is_words = all(cell is None or isinstance(cell, str) for cell in below)
    names_the_rest = all(below[i] is not None for i in unnamed if any(row[i] is not None for row in rest))
    unlike = any(below[i] is not None and not any(isinstance(row[i], str) for row in rest) for i in range(len(below)))
    return is_words and names_the_rest and unlike


def _joined(groups: Sequence[str], names: Sequence[str]) -> list[str]:
    """A name with its group in front, which reaches until the next one."""
    joined, group = [], ""
    for above, below in zip(groups, names, strict=True):
        group = above or group
        joined.append(f"{group} {below}".strip() if below else above)
        if not below:  # a name of its own, in two rows
            group = ""
    return joined


def _longest(names: Sequence[str]) -> str:
    return max(names, key=lambda name: (name.count(" "), len(name)))


def _texts(row: Row) -> list[str]:
    return [text_of_cell(cell) or "" for cell in row]


def width_of(row: Row) -> int:
    """How many cells there are up to the last that is not empty."""
    return next((i for i in range(len(row), 0, -1) if row[i - 1] is not None), 0)


def _fitted(row: Row, width: int) -> Row:
    return (*row[:width], *[None] * (width - len(row)))


def _filled(row: Row) -> int:
    return sum(cell is not None for cell in row)
