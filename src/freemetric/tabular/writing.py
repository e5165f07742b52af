"""Tables written to files, in the format of their names, whole or not at all."""

import bz2
import gzip
import io
import json
import lzma
import math
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..extras import require
from ..files.atomic import check_can_be_written, replacing
from ..printable import counted
from .formats.excel import MOST_ROWS, check_excel
from .table import InputError
from .text_table import delimited

CellsByName = Mapping[str, Iterable]

MOST_COLUMNS, LONGEST_CELL = 2**14, 2**15 - 1  # of an Excel sheet
BEGINNINGS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # of formulas; the last four are wide = + - @
SEPARATORS = re.compile("([,;\t\r\n])")
NUMBER = re.compile(r"[+-]?[€$£¥]? ?(\d[\d.,' \u00a0\u202f]*|[.,]\d+)([eE][+-]?\d+)?[%€$£¥]?")


def as_delimited(columns: CellsByName, delimiter: str = ",", escape: bool = True) -> str:
    """Columns as text; numbers keep all their digits, a gap is empty, formulas are escaped for spreadsheets."""

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return inert(value) if escape else value
        return "" if value is None else repr(float(value)) if isinstance(value, float) else str(value)

    rows = zip(*(map(shown, cells) for cells in columns.values()), strict=True)
    return delimited([map(shown, columns), *rows], delimiter)


def _plain(value: Any) -> Any:
    """None for NaN and infinity, which JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_json_lines(columns: CellsByName) -> str:
    """A JSON object for every row; a gap is null."""
    rows = zip(*(map(_plain, cells) for cells in columns.values()), strict=True)
    return "".join(f"{json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False)}\n" for row in rows)


def as_arrow(columns: CellsByName, format: str) -> bytes:
    """A Parquet or Feather file, whose columns are numbers, truth values or texts."""
    pa, content = require("pyarrow", "parquet"), io.BytesIO()
    table = pa.table({name: pa.array([_plain(cell) for cell in cells]) for name, cells in columns.items()})
    if format == "parquet":
        require("pyarrow.parquet", "parquet").write_table(table, content)
    else:
        require("pyarrow.feather", "parquet").write_feather(table, content)
    return content.getvalue()


def as_excel(columns: CellsByName) -> bytes:
    """A workbook of one sheet; texts stay texts, even where they look like formulas."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    def written(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if len(value) > LONGEST_CELL:
            raise InputError(f"a cell of {len(value)} letters is more than an Excel sheet holds; choose .parquet")
        cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", value))
        cell.data_type = "s"  # not a formula
        return cell

    cells = {name: list(column) for name, column in columns.items()}
    n_rows = 1 + max((len(column) for column in cells.values()), default=0)
    if n_rows > MOST_ROWS or len(cells) > MOST_COLUMNS:
        size = f"{n_rows} rows of {counted(len(cells), 'column')}"
        raise InputError(f"{size} are more than an Excel sheet holds; choose .parquet")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("predictions")
    for row in [cells, *zip(*cells.values(), strict=True)]:
        sheet.append(list(map(written, row)))
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
PARQUET, FEATHER = (".parquet", ".pq"), (".feather", ".arrow")
TYPED: dict[str, Callable[[CellsByName], str | bytes]] = {
    **dict.fromkeys([".jsonl", ".ndjson"], as_json_lines),
    ".json": lambda columns: "[\n" + as_json_lines(columns).rstrip("\n").replace("\n", ",\n") + "\n]\n",
    **dict.fromkeys(PARQUET, partial(as_arrow, format="parquet")),
    **dict.fromkeys(FEATHER, partial(as_arrow, format="feather")),
    ".xlsx": as_excel,
}
"""Writers of formats with types, in which nothing needs to be escaped."""
WRITTEN = (*DELIMITERS, *TYPED)
"""Endings of names of files that are written; a name without an ending is CSV."""


def _zipped(name: str, content: bytes) -> bytes:
    """An archive with one file, the same for the same content."""
    packed, member = io.BytesIO(), zipfile.ZipInfo(name if Path(name).suffix else f"{name}.csv")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


PACKERS: dict[str, Callable[[str, bytes], bytes]] = {
    ".gz": lambda name, content: gzip.compress(content, mtime=0),
    ".bz2": lambda name, content: bz2.compress(content),
    ".xz": lambda name, content: lzma.compress(content),
    ".zip": _zipped,
}
"""Functions of the name without the ending, and the content."""


def check_output(path: str | os.PathLike) -> None:
    path = Path(path)
    if not _is_device(path):
        check_writable(path)
    if (ending := _ending(path)) == ".xlsx":
        check_excel(path)
    elif ending in PARQUET + FEATHER:
        require("pyarrow", "parquet")


def write(path: str | os.PathLike, columns: CellsByName, escape: bool = True) -> None:
    """Write a table in the format of its name, packed where that ends in .gz, .bz2, .xz or .zip.

    ``escape`` escapes texts that look like formulas, in text formats.
    """
    path = Path(path)
    ending, pack = _ending(path), PACKERS.get(path.suffix.lower())
    delimiter = DELIMITERS.get(ending)
    made = TYPED[ending](columns) if delimiter is None else as_delimited(columns, delimiter, escape)
    content = made.encode() if isinstance(made, str) else made
    content = content if pack is None else pack(path.stem, content)
    # a device such as /dev/null, or a pipe, is written to and must stay what it is
    with open(path, "wb") if _is_device(path) else replacing(path) as file:
        file.write(content)


def check_writable(path: str | os.PathLike) -> None:
    path = Path(path)
    if str(path) == "-":
        raise InputError("this cannot be written to standard output; -o NAME names a file")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is a {'folder' if path.is_dir() else 'device or a pipe and no file'}")
    try:
        check_can_be_written(path)
    except OSError as problem:
        raise InputError(f"{path}: cannot be written ({problem.strerror})") from problem


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _ending(path: Path) -> str:
    packed = path.suffix.lower() in PACKERS
    ending = (Path(path.stem).suffix if packed else path.suffix).lower() or ".csv"
    if ending not in WRITTEN:
        with_packing = f"{', '.join(WRITTEN)}, perhaps with {', '.join(PACKERS)}"
        raise InputError(f"{path}: tables are written as {with_packing}, not as {ending}")
    return ending


def inert(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would take for a formula; numbers stay as they are.

    A spreadsheet may split a file at other separators than those it was written with, such as semicolons, so that the
    text behind each separator is escaped, too.
    """
    if NUMBER.fullmatch(text):
        return text
    first, *others = SEPARATORS.split(text)
    others[1::2] = [f"'{part}" if _runs(part.lstrip('"')) else part for part in others[1::2]]
    return ("'" if _runs(text) else "") + first + "".join(others)


def _runs(text):
    """Whether a spreadsheet would run a cell."""
    return len(text) > 1 and text[0] in BEGINNINGS and not NUMBER.fullmatch(text)
