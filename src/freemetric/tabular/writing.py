"""Tables as CSV or TSV, written whole or not at all."""

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..files.atomic import replacing
from .table import InputError


def as_delimited(columns: Mapping[str, Iterable], delimiter: str = ",") -> str:
    """Columns by name as text; numbers keep all their digits, a gap is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_cell, cells) for cells in columns.values()), strict=True))
    return text.getvalue()


def write(path: str | os.PathLike, text: str) -> None:
    """Put a text in its place at once."""
    with replacing(Path(path)) as file:
        file.write(text.encode())


def check_writable(path: str | os.PathLike) -> None:
    """Say before the work that a file cannot be written where it should be."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder")


def _cell(value):
    return "" if value is None else repr(float(value)) if isinstance(value, float) else str(value)
