"""Tables as Excel files, where openpyxl is installed."""

import io
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ...printable import counted
from ..table import InputError

MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 2**20, 2**14, 2**15 - 1  # of a sheet


def check_excel(path: str | os.PathLike) -> None:
    """One line, before the work, where openpyxl is missing."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        other = "or choose .csv, .tsv, .jsonl or .parquet"
        raise InputError(f"{path}: .xlsx needs openpyxl: pip install 'freemetric[excel]', {other}") from None


def as_excel(columns: Mapping[str, Iterable]) -> bytes:
    """A workbook of one sheet; texts stay texts, even where they look like formulas."""
    import openpyxl

    cells = {name: list(column) for name, column in columns.items()}
    n_rows = 1 + max((len(column) for column in cells.values()), default=0)
    if n_rows > MOST_ROWS or len(cells) > MOST_COLUMNS:
        size = f"{n_rows} rows of {counted(len(cells), 'column')}"
        raise InputError(f"{size} are more than an Excel sheet holds; choose .parquet")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("predictions")
    sheet.append([_cell(sheet, name) for name in cells])
    for row in zip(*cells.values(), strict=True):
        sheet.append([_cell(sheet, value) for value in row])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _cell(sheet: Any, value: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_CELL:
        raise InputError(f"a cell of {len(value)} letters is more than an Excel sheet holds; choose .parquet")
    cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", value))
    cell.data_type = "s"  # not a formula
    return cell
