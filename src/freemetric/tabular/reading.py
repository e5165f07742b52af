"""Files of data by their suffix."""

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from ..text_files import content_of
from .dates import ORDERS
from .formats.arff import read_arff
from .formats.delimited import read_delimited
from .formats.libsvm import read_libsvm
from .formats.parquet import read_parquet
from .number_marks import marks_of
from .table import InputError, Table

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""

FORMATS: dict[str, Callable[[str, bytes, Collection[str], str | None], Table]] = {
    "csv": lambda source, content, missing, delimiter: read_delimited(source, content, missing, delimiter, ","),
    "tsv": lambda source, content, missing, delimiter: read_delimited(source, content, missing, delimiter, "\t"),
    "parquet": lambda source, content, missing, _: read_parquet(source, content, missing),
    "arff": lambda source, content, missing, _: read_arff(source, content, missing),
    "libsvm": lambda source, content, *_: read_libsvm(source, content),
}
SUFFIXES = {
    **{f".{name}": name for name in FORMATS},
    ".tab": "tsv",
    ".pq": "parquet",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
}


def read(
    path: str | os.PathLike,
    format: str | None = None,
    *,
    missing: Collection[str] = MISSING,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    date_order: str | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    path : path-like
        A file; one whose name ends in .gz is unpacked.
    format : {"csv", "tsv", "parquet", "arff", "libsvm"} or None, default=None
        None goes by the suffix.
    missing : collection of str, default=MISSING
        Texts that stand for a missing value.
    delimiter : str or None, default=None
        One character between the fields of a CSV or TSV file. None is a comma or a tab; where that cannot be and a
        semicolon, tab or bar can, this one, with a warning.
    decimal : {".", ","} or None, default=None
        Mark before the decimals of numbers. None recognises it where a column can be read in one way only.
    thousands : {".", ",", "'", " ", ""} or None, default=None
        Mark between groups of three digits. Of a point and a comma it is the one that ``decimal`` is not.
    date_order : {"ymd", "dmy", "mdy"} or None, default=None
        Of year, month and day in dates. None recognises it where a column can be read in one way only.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        One line that names the file and the line at fault.
    """
    path = Path(path)
    name = format or format_of(path)
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"a delimiter is one character, not {delimiter!r}")
    if date_order is not None and date_order not in ORDERS:
        raise InputError(f"the order of dates is one of {', '.join(ORDERS)} and not {date_order!r}")
    try:
        marks = marks_of(decimal, thousands)
    except ValueError as problem:
        raise InputError(str(problem)) from problem
    table = FORMATS[name](str(path), content_of(path, InputError), frozenset(missing), delimiter)
    return replace(table, marks=marks, date_order=date_order)


def format_of(path: Path) -> str:
    """The format that a file's suffix stands for."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]
