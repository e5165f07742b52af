"""Tables in files, by the suffix of their names."""

import codecs
import csv
import gzip
import os
from pathlib import Path

from ..exceptions import require

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
SUFFIXES = (*TEXT_SUFFIXES, ".xlsx", ".json", ".jsonl", ".parquet")
"""The suffixes of tables; those of text may be followed by .gz."""

PACKAGES = {".xlsx": "openpyxl", ".parquet": "pyarrow"}
"""The packages that read and write tables, by suffix."""

ENCODINGS = ("utf-8-sig", "cp1252")
"""The encodings that are tried where the first bytes do not tell it."""


def suffix_of(path):
    """Return the suffix that says what a file is.

    Raises ValueError if it is no table, and ImportError if it needs a package.
    """
    path = Path(path)
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    suffix = suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: the suffix must be one of {', '.join(SUFFIXES)}.")
    if suffix in PACKAGES:
        require(PACKAGES[suffix])
    return suffix


def read_table(path):
    """Read a table from a file.

    Parameters
    ----------
    path : path-like
        The file. Cells of a text file stay texts, which TableClassifier reads.

    Returns
    -------
    frame : DataFrame
        The table.
    """
    pandas = require("pandas", "table")
    suffix = suffix_of(path)
    try:
        if suffix in TEXT_SUFFIXES:
            frame = read_text(path, suffix)
        elif suffix == ".xlsx":
            frame = pandas.read_excel(path)
        elif suffix == ".parquet":
            frame = pandas.read_parquet(path)
        else:
            frame = pandas.read_json(path, lines=suffix == ".jsonl")
    except (ValueError, OSError) as problem:
        raise ValueError(f"{path}: {problem}") from None
    if frame.empty:
        raise ValueError(f"{path}: the table has no row.")
    return frame


def read_text(path, suffix):
    """Read a table from a text file whose separator and encoding are not known."""
    pandas = require("pandas", "table")
    for encoding in encodings_of(path):
        try:
            separator = "\t" if suffix == ".tsv" else separator_of(path, encoding)
            return pandas.read_csv(
                path,
                sep=separator,
                dtype=str,
                keep_default_na=False,
                encoding=encoding,
                skipinitialspace=True,
            )
        except UnicodeDecodeError:
            continue
    raise ValueError(f"the encoding is none of {', '.join(ENCODINGS)}")


def separator_of(path, encoding):
    """Return the separator that is most frequent in the first line of a file."""
    return most_frequent(first_line(path, encoding))


def most_frequent(line):
    """Return the separator that is most frequent in a line."""
    return max(",;\t|", key=line.count)


def first_line(path, encoding):
    """Return the first line of a text file, compressed (`.gz`) or not."""
    with opener_of(path)(path, "rt", encoding=encoding) as file:
        return file.readline()


def opener_of(path):
    """Return the function that opens a file, compressed (`.gz`) or not."""
    return gzip.open if Path(path).suffix == ".gz" else open


def encodings_of(path):
    """Return the encodings to try; Excel marks its "Unicode text" as UTF-16."""
    with opener_of(path)(path, "rb") as file:
        is_utf16 = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return ("utf-16",) if is_utf16 else ENCODINGS


def header_of(path):
    """Return the names of the columns of a text file; None of files of other kinds.

    Nothing slow is imported.
    """
    suffix = suffix_of(path)
    if suffix not in TEXT_SUFFIXES:
        return None
    try:
        encodings = encodings_of(path)
    except (OSError, EOFError):
        return None
    for encoding in encodings:
        try:
            line = first_line(path, encoding)
        except (UnicodeDecodeError, OSError, EOFError):
            continue
        separator = "\t" if suffix == ".tsv" else most_frequent(line)
        rows = csv.reader([line], delimiter=separator, skipinitialspace=True)
        return next(rows, None) or None  # of an empty file, too
    return None


def write_table(frame, path):
    """Write a table to a file, which is replaced once the new one is complete.

    Parameters
    ----------
    frame : DataFrame
        The table.
    path : path-like
        The file; its suffix says what is written.
    """
    path = Path(path)
    suffix = suffix_of(path)
    draft = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        if suffix in TEXT_SUFFIXES:
            separator = "\t" if suffix in (".tsv", ".tab") else ","
            frame.to_csv(draft, index=False, sep=separator)
        elif suffix == ".xlsx":
            frame.to_excel(draft, index=False)
        elif suffix == ".parquet":
            frame.to_parquet(draft, index=False)
        else:
            frame.to_json(draft, orient="records", lines=suffix == ".jsonl")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
