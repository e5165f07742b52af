"""Tables as files of the format that their name says, written whole or not at all."""

import csv
import gzip
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..extras import require
from ..files.atomic import replacing
from .formats.excel_writing import as_excel, check_excel
from .table import InputError

Columns = Mapping[str, Iterable]


def as_delimited(columns: Columns, delimiter: str = ",") -> str:
    """Columns by name as text; numbers keep all their digits, a gap is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_cell, cells) for cells in columns.values()), strict=True))
    return text.getvalue()


def as_json_lines(columns: Columns) -> str:
    """A JSON object for every row; a gap is null."""
    rows = zip(*(map(_plain, cells) for cells in columns.values()), strict=True)
    return "".join(f"{json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False)}\n" for row in rows)


def as_parquet(columns: Columns) -> bytes:
    """A Parquet file, whose columns are numbers, truth values or texts."""
    pa, content = require("pyarrow", "cli"), io.BytesIO()
    arrays = {name: pa.array([_plain(cell) for cell in cells]) for name, cells in columns.items()}
    require("pyarrow.parquet", "cli").write_table(pa.table(arrays), content)
    return content.getvalue()


WRITERS: dict[str, Callable[[Columns], bytes]] = {
    ".csv": lambda columns: as_delimited(columns).encode(),
    ".tsv": lambda columns: as_delimited(columns, "\t").encode(),
    ".tab": lambda columns: as_delimited(columns, "\t").encode(),
    ".jsonl": lambda columns: as_json_lines(columns).encode(),
    ".ndjson": lambda columns: as_json_lines(columns).encode(),
    ".parquet": as_parquet,
    ".pq": as_parquet,
    ".xlsx": as_excel,
}
"""What makes a file of the columns, by the ending of its name; a name without an ending is CSV."""

PACKED = ".gz"


def check_output(path: str | os.PathLike) -> None:
    """Say before the work that a table cannot be written where, or as what, it should be."""
    check_writable(path)
    if _ending(Path(path)) == ".xlsx":
        check_excel(path)


def write(path: str | os.PathLike, columns: Columns) -> None:
    """Put a table in its place at once, in the format of its name; one that ends in .gz is packed."""
    path = Path(path)
    content = WRITERS[_ending(path)](columns)
    with replacing(path) as file:
        file.write(gzip.compress(content, mtime=0) if path.suffix.lower() == PACKED else content)


def check_writable(path: str | os.PathLike) -> None:
    """Say before the work that a file cannot be written where it should be."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder")


def _ending(path: Path) -> str:
    packed = path.suffix.lower() == PACKED
    ending = (Path(path.stem).suffix if packed else path.suffix).lower() or ".csv"
    if ending not in WRITERS:
        raise InputError(f"{path}: tables are written as {', '.join(WRITERS)}, not as {ending}")
    return ending


def _cell(value: Any) -> str:
    return "" if value is None else repr(float(value)) if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """None for a number that is none, which JSON cannot say."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
