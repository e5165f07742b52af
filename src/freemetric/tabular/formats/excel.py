"""Excel workbooks: the values of one sheet. Formulas and macros are not run."""

import io
import os
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from ...text_files import ALWAYS, LARGEST
from ..table import InputError, ReadingOptions, Table, as_text, cell, few, note, numbered, quoted, typed_table
from . import completed, named, one_line_errors

Grid = list[tuple[int, tuple[Any, ...]]]  # numbers and cells of the rows that are not empty

OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # first bytes
MOST_ROWS = 2**20  # of a sheet
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MOST_PER_BYTE, LARGEST_PART = 100, 1 << 23  # of what a workbook unpacks to, and of its parts beside the cells
CELLS = ("xl/worksheets/", "xl/sharedStrings", "xl/media/")  # parts that may be large
MANY_CELLS, MOST_CELLS_PER_BYTE = 10**6, 5  # more cells in fewer bytes are no data, but would take minutes to read
ERRORS = frozenset(["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!"])
FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")


def check_excel(path: str | os.PathLike) -> None:
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        other = "or choose .csv, .tsv, .jsonl or .parquet"
        raise InputError(f"{path}: .xlsx needs openpyxl: pip install 'freemetric[excel]', {other}") from None


def read_excel(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a sheet: the first that is shown, or the one that is named or numbered."""
    check_excel(source)
    _check_container(source, content)
    with one_line_errors(source, "an Excel workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's, about what it does not read
        title, others, grid = _grid(source, content, options.sheet)
        formulas = _without_values(content, title, grid)
    place = f"{source}, sheet {quoted(title)}"
    if others and options.sheet is None:
        note(f"{source}: sheet {quoted(title)}; --sheet NAME reads another one, {few(others)}")
    if formulas:
        why = "open and save the file in Excel or LibreOffice"
        note(f"{source}: {formulas} formulas have no stored value and are gaps; {why}")
    if len(grid) < 1 + bool(options.header):
        what = "a header and no rows" if grid else "the sheet is empty"
        more = f"; --sheet NAME reads another one, {few(others)}" if others else ""
        raise InputError(f"{place}: {what}{more}")
    width = max(_width(row) for _, row in grid)
    rows, lines = [(*row[:width], *[None] * (width - len(row))) for _, row in grid], [number for number, _ in grid]
    names = numbered(width)
    if options.header:
        names, rows, lines = _with_names(place, rows, lines)
    names = named(f"{place}, row {lines[0] - 1}", names)
    wrong = sum(cell in ERRORS for row in rows for cell in row if isinstance(cell, str))
    if wrong:
        note(f"{place}: errors such as '#DIV/0!' are gaps, in {wrong} of the cells")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return replace(typed_table(place, columns, {*options.missing, *ERRORS}, lines), source=source)


def _check_container(source: str, content: bytes) -> None:
    """InputError unless it is a zip file that unpacks to no more than data would."""
    if content.startswith(OLD_EXCEL):
        old = "a file of Excel 97-2003 (.xls); save it as .xlsx or .csv"
        locked = "is protected by a password; save it without one"
        raise InputError(f"{source}: {locked if ENCRYPTED in content else old}")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            sizes = {member.filename: member.file_size for member in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        raise InputError(f"{source}: not an Excel workbook, or a truncated one ({problem})") from problem
    size = sum(sizes.values())
    other = max((size for name, size in sizes.items() if not name.startswith(CELLS)), default=0)
    if other > LARGEST_PART or size > min(LARGEST, max(ALWAYS, MOST_PER_BYTE * len(content))):
        raise InputError(f"{source}: unpacks to {size >> 20} MB, too many from {len(content)} bytes; save it as .csv")


def _grid(source: str, content: bytes, wanted: str | None) -> tuple[str, list[str], Grid]:
    """The name of a sheet, those of the others, and the rows that are not empty with their numbers."""
    book = _book(content, values=True)
    sheet = _sheet(source, book, wanted)
    others = [other.title for other in book.worksheets if other is not sheet]
    most, seen, widest, grid = max(MANY_CELLS, MOST_CELLS_PER_BYTE * len(content)), 0, 0, []
    for number, row in enumerate(_rows(sheet), 1):
        width = _width(row)
        seen, widest = seen + len(row), max(widest, width)
        if width:
            grid.append((number, row))
        if max(seen, widest * len(grid)) > most or number > MOST_ROWS:
            raise InputError(f"{source}: too many cells, most of them empty, in {len(content)} bytes; save it as .csv")
    return sheet.title, others, grid


def _rows(sheet):
    """Rows of values, None for blank texts. The size that the file declares is not trusted."""
    sheet.reset_dimensions()
    for row in sheet.iter_rows(values_only=True):
        yield row and tuple(None if isinstance(cell, str) and not cell.strip() else cell for cell in row)


def _book(content, values):
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)


def _sheet(source: str, book: Any, wanted: str | None) -> Any:
    sheets = book.worksheets
    if not sheets:
        raise InputError(f"{source}: a workbook without sheets of cells")
    if wanted is None:
        return next((sheet for sheet in sheets if sheet.sheet_state == "visible"), sheets[0])
    titles = [sheet.title for sheet in sheets]
    if wanted in titles:
        return sheets[titles.index(wanted)]
    if not wanted.isdecimal() or not 1 <= int(wanted) <= len(sheets):
        raise InputError(f"{source}: no sheet {quoted(wanted)}; there are {few(titles)}")
    return sheets[int(wanted) - 1]


def _without_values(content: bytes, title: str, grid: Grid) -> int:
    """The number of formulas without a stored value; they read as gaps."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(FORMULA.search(archive.read(name)) for name in sheets):
            return 0
    values, missing = dict(grid), 0
    sheet = next(sheet for sheet in _book(content, values=False).worksheets if sheet.title == title)
    for number, row in enumerate(_rows(sheet), 1):
        pairs = zip_longest(row, values.get(number, ()))
        missing += sum(value is None and isinstance(cell, str) and cell.startswith("=") for cell, value in pairs)
    return missing


def _with_names(place, rows, lines):
    first = next((i for i, row in enumerate(rows) if sum(cell is not None for cell in row) > 1), 0)
    if first:  # rows of one cell are a title
        title = next(cell for cell in rows[0] if cell is not None)
        note(f"{place}: rows above the names of the columns are left out, {quoted(title)}")
    names = _texts(rows[first])
    rows, lines = rows[first + 1 :], lines[first + 1 :]
    if len(rows) > 1 and _is_grouped(names, rows):
        names, rows, lines = _joined(names, _texts(rows[0])), rows[1:], lines[1:]
        longest = max(names, key=lambda name: (name.count(" "), len(name)))
        note(f"{place}: two rows of names are joined, as in {quoted(longest)}")
    if not rows:
        raise InputError(f"{place}: a header and no rows")
    names, complete = completed(place, names, rows)
    return names, [tuple(row) for row in complete], lines


def _is_grouped(names, rows):
    """Whether the second row names the columns that the first does not, and is text where the rows below are not."""
    unnamed = [i for i, name in enumerate(names) if not name]
    if not any(i > 0 for i in unnamed):  # the first alone is an index
        return False
    below, rest = rows[0], rows[1:]
    is_words = all(cell is None or isinstance(cell, str) for cell in below)
    names_the_rest = all(below[i] is not None for i in unnamed if any(row[i] is not None for row in rest))
    unlike = any(below[i] is not None and not any(isinstance(row[i], str) for row in rest) for i in range(len(below)))
    return is_words and names_the_rest and unlike


def _joined(groups: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names with their group in front, which reaches until the next one."""
    joined, group = [], ""
    for above, below in zip(groups, names, strict=True):
        group = above or group
        joined.append(f"{group} {below}".strip() if below else above)
        group = group if below else ""  # else a name of its own, in two rows
    return joined


def _texts(row):
    names = (cell(value, "a name") for value in row)
    return [as_text(name) if isinstance(name, float) else name or "" for name in names]


def _width(row):
    """The number of cells up to the last that is not empty."""
    return next((i for i in range(len(row), 0, -1) if row[i - 1] is not None), 0)
