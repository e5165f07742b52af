"""Read a table from a file of any known format."""

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from .formats.arff import read_arff
from .formats.arrow import read_feather, read_parquet
from .formats.delimited import read_csv, read_tsv, read_txt
from .formats.detection import SUFFIXES, check_signature, format_of_content, format_of_name
from .formats.excel import read_excel
from .formats.json_records import read_json
from .formats.libsvm import read_libsvm
from .formats.sources import ENDINGS, content_of_source, is_pipe, name_of, unpacked
from .reading_options import MISSING, ReadingOptions
from .table import InputError, Table

Reader = Callable[[str, bytes, ReadingOptions], Table]
"""From what a message begins with, the bytes of a file and the options to its table; InputError is one line."""

FORMATS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_tsv,
    "txt": read_txt,
    "excel": read_excel,
    "jsonl": read_json,
    "json": read_json,
    "feather": read_feather,
    "parquet": read_parquet,
    "arff": read_arff,
    "libsvm": read_libsvm,
}
"""What reads a file, by the name of its format."""


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
        A name in ``reading.FORMATS``: "csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff" or
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
        Mark between groups of three digits.
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
        format_of_name(path.name, str(path))  # says before the file is read that it cannot be
    options = ReadingOptions.checked(missing, delimiter, encoding, sheet, decimal, thousands, date_order)
    return replace(_table(path, form, options), marks=options.marks, date_order=options.date_order)


def _table(path: Path, form: str | None, options: ReadingOptions) -> Table:
    source = name_of(path)
    name, content = unpacked(source, "" if is_pipe(path) else path.name, content_of_source(path))
    form = form or (format_of_name(name, source) if name else format_of_content(content))
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
