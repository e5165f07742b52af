"""Tables as CSV or TSV, written whole or not at all."""

import csv
import io
from pathlib import Path

from ..files.container import replacing
from .table import InputError


def as_delimited(columns: dict, delimiter=",") -> str:
    """Columns by name as text; numbers keep all their digits, a gap is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_cell, cells) for cells in columns.values()), strict=True))
    return text.getvalue()


def write(path, text: str):
    """Put a text in its place at once."""
    with replacing(Path(path)) as file:
        file.write(text.encode())


def check_writable(path):
    """Say before the work that a file cannot be written where it should be."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder")


def _cell(value):
    return "" if value is None else repr(float(value)) if isinstance(value, float) else str(value)
