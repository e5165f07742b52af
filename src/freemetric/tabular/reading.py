"""Files of data by their suffix."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePath

from .dates import ORDERS
from .formats import ADVICE, FORMATS, SUFFIXES, ReadingOptions
from .formats.delimited import check_delimiter
from .formats.encodings import known
from .formats.packing import ENDINGS, unpacked
from .formats.signatures import binary_format, check_signature, text_format
from .formats.sources import content_of_source, is_pipe, name_of
from .number_marks import marks_of
from .table import InputError, Table

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""


def read(
    path: str | os.PathLike,
    format: str | None = None,
    *,
    missing: Collection[str] = MISSING,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    date_order: str | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    path : path-like
        A file, which may be packed by gzip, bzip2, xz, or zip if it is the only one in there; "-" is standard input.
    format : str or None, default=None
        A name in ``formats.FORMATS``: "csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff" or
        "libsvm". None goes by the suffix, and by the content where there is no name.
    missing : collection of str, default=MISSING
        Texts that stand for a missing value.
    delimiter : str or None, default=None
        One character between the fields of a text; a blank is any number of them, and tabs. None is a comma or a tab;
        where that cannot be and a semicolon, tab or bar can, this one, with a warning.
    encoding : str or None, default=None
        Of a text, by a name that Python knows. None is what a mark in front says, else UTF-8 where the bytes are, else
        cp1252 with a warning.
    sheet : str or None, default=None
        Name or number, from 1, of an Excel sheet. None is the first; a warning names the others.
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
    form = None if format is None else _known_format(format)
    if form is None and not is_pipe(path) and path.suffix.lower() not in ENDINGS:
        format_of(path.name, str(path))  # says before the file is read that it cannot be
    if date_order is not None and date_order not in ORDERS:
        raise InputError(f"the order of dates is one of {', '.join(ORDERS)} and not {date_order!r}")
    try:
        marks = marks_of(decimal, thousands)
    except ValueError as problem:
        raise InputError(str(problem)) from problem
    options = ReadingOptions(
        frozenset(missing),
        None if delimiter is None else check_delimiter(delimiter),
        None if encoding is None else known(encoding),
        sheet,
    )
    return replace(_table(path, form, options), marks=marks, date_order=date_order)


def _table(path: Path, form: str | None, options: ReadingOptions) -> Table:
    source = name_of(path)
    name, content = unpacked(source, "" if is_pipe(path) else path.name, content_of_source(path))
    form = form or (format_of(name, source) if name else _by_content(content))
    check_signature(source, content, form)
    if options.sheet is not None and form != "excel":
        raise InputError(f"{source}: only Excel files have sheets; this one is read as {form}")
    return FORMATS[form](source, content, options)


def _known_format(name: str) -> str:
    """A format by its name, or by a suffix without the point."""
    form = name if name in FORMATS else SUFFIXES.get(f".{name}")
    if form is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return form


def format_of(name: str, source: str) -> str:
    """The format that the suffix of a name stands for; ``source`` begins a message."""
    suffix = PurePath(name).suffix.lower()
    if suffix in ADVICE:
        raise InputError(f"{source}: {ADVICE[suffix]}")
    if suffix not in SUFFIXES:
        raise InputError(f"{source}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]


def _by_content(content: bytes) -> str:
    return binary_format(content) or text_format(content[:1000].decode("utf-8", "replace"))
