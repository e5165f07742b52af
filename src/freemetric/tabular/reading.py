"""Files of data by their suffix."""

import gzip
import zlib
from pathlib import Path

from .arff import read_arff
from .delimited import read_delimited
from .libsvm import read_libsvm
from .parquet import read_parquet
from .table import LARGEST, InputError, Table

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""

FORMATS = {
    "csv": lambda source, content, missing, delimiter: read_delimited(source, content, missing, delimiter or ","),
    "tsv": lambda source, content, missing, delimiter: read_delimited(source, content, missing, delimiter or "\t"),
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


def read(path, format=None, *, missing=MISSING, delimiter=None) -> Table:
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
        One character between the fields of a CSV or TSV file, if it is another.

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
    return FORMATS[name](str(path), content_of(path), frozenset(missing), delimiter)


def format_of(path):
    """The format that a file's suffix stands for."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]


def content_of(path):
    """The bytes of a file, unpacked."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(LARGEST + 1 if path.suffix == ".gz" else -1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InputError(f"{path}: damaged or truncated gzip file ({problem})") from problem
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror})") from problem
    if not content:
        raise InputError(f"{path}: the file is empty")
    if path.suffix == ".gz" and len(content) > LARGEST:
        raise InputError(f"{path}: unpacks to more than {LARGEST >> 20} MB; unpack it first")
    return content
