"""Read a table from a file of any known format."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from .formats.arrow import ARROW, FEATHER_1, read_feather, read_parquet
from .formats.excel import OLD_EXCEL, read_excel
from .formats.records import read_arff, read_json, read_libsvm
from .formats.sources import ENDINGS, content_of_source, is_pipe, name_of, unpacked
from .formats.text import read_delimited
from .table import InputError, ReadingOptions, Table

Reader = Callable[[str, bytes, ReadingOptions], Table]
"""From the source (which begins messages), the bytes of a file and the options to its table."""

FORMATS: dict[str, tuple[Reader, str]] = {
    "csv": (partial(read_delimited, delimiters=",;\t|", usual=","), ".csv"),
    "tsv": (partial(read_delimited, delimiters="\t;|, ", usual="\t"), ".tsv .tab"),
    "txt": (partial(read_delimited, delimiters="\t;|, ", usual=""), ".txt .dat .data"),
    "excel": (read_excel, ".xlsx .xlsm"),
    "jsonl": (read_json, ".jsonl .ndjson"),
    "json": (read_json, ".json"),
    "feather": (read_feather, ".feather .arrow .ipc"),
    "parquet": (read_parquet, ".parquet .pq"),
    "arff": (read_arff, ".arff"),
    "libsvm": (read_libsvm, ".libsvm .svm .svmlight"),
}
"""Readers by the name of their format, and the endings of names of such files."""
SUFFIXES = {suffix: form for form, (_, suffixes) in FORMATS.items() for suffix in suffixes.split()}
WITH_HEADER = ("csv", "tsv", "txt", "excel")

BINARY = {b"PAR1": "parquet", ARROW: "feather", FEATHER_1: "feather", b"PK\x03\x04": "excel"}
TAR = "a tar archive; unpack it first"
R_FILE = 'a file of R; write.csv(x, "x.csv", row.names = FALSE) writes one that can be read'
NOT_READ: list[tuple[str, list[str], list[bytes]]] = [
    ("a file of Excel 97-2003; save it as .xlsx or .csv", [".xls"], []),
    ("a file of Excel 97-2003 or one with a password; save it as .xlsx or .csv without one", [], [OLD_EXCEL]),
    ("a binary workbook; save it as .xlsx or .csv", [".xlsb"], []),
    ("an OpenDocument file; save it as .xlsx or .csv", [".ods"], []),
    ("a file of Numbers; export it as .xlsx or .csv", [".numbers"], []),
    ("a file of SPSS; save it as .csv", [".sav"], []),
    ("a file of Stata; save it as .csv", [".dta"], []),
    ("a file of SAS; save it as .csv", [".sas7bdat"], []),
    (R_FILE, [".rds", ".rdata"], []),
    (
        "a pickle, which could run code; save the table as .parquet or .csv",
        [".pkl", ".pickle"],
        [b"\x80\x04\x95", b"\x80\x05\x95"],
    ),
    ("an HDF5 file; save its table as .parquet or .csv", [".h5"], [b"\x89HDF"]),
    ("an array of numpy; save it as .csv", [], [b"\x93NUMPY"]),
    ("a database of SQLite; export a table as .csv", [], [b"SQLite format 3"]),
    (TAR, [".tar", ".tgz"], []),
    ("packed by zstd; unpack it first", [".zst"], [b"\x28\xb5\x2f\xfd"]),
    ("packed by 7-Zip; unpack it first", [".7z"], [b"7z\xbc\xaf"]),
    ("packed by RAR; unpack it first", [".rar"], [b"Rar!"]),
    ("a PNG picture", [], [b"\x89PNG"]),
    ("a JPEG picture", [], [b"\xff\xd8\xff"]),
    ("a GIF picture", [], [b"GIF8"]),
    ("a TIFF picture", [], [b"II*\0", b"MM\0*"]),
    ("a PDF document; save its table as .csv", [], [b"%PDF"]),
    ("a text document (RTF); save its table as .csv", [], [b"{\\rtf"]),
    ("a program", [], [b"\x7fELF"]),
    ("a web page; was a log-in needed to fetch the file?", [], [b"<!doctype html", b"<html"]),
    ("a pointer of Git LFS; `git lfs pull` fetches the file itself", [], [b"version https://git-lfs"]),
]
"""Advice about files that are not read, by the endings of their names and by their first bytes."""
ADVICE = {suffix: advice for advice, suffixes, _ in NOT_READ for suffix in suffixes}
OTHERS = {mark: advice for advice, _, marks in NOT_READ for mark in marks}
OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument"  # behind the head of a zip file


def read(path: str | os.PathLike, format: str | None = None, **options: Any) -> Table:
    """Read a table.

    Parameters
    ----------
    path : path-like
        A file, which may be packed by gzip, bzip2, xz, or zip if it is the only one in there; "-" is standard input.
    format : str or None, default=None
        A name in ``reading.FORMATS``: "csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff" or
        "libsvm". None goes by the suffix, and by the content where there is no name.
    **options : dict
        Those of ``table.ReadingOptions``: ``missing``, ``delimiter``, ``encoding``, ``sheet``, ``decimal``,
        ``thousands``, ``date_order`` and ``header``.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        One line that names the file and the line at fault.
    """
    path = Path(path)
    form = format if format is None or format in FORMATS else SUFFIXES.get(f".{format}", "")
    if form == "":
        raise InputError(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
    if form is None and not is_pipe(path) and path.suffix.lower() not in ENDINGS:
        _format_of_name(path.name, str(path))  # an error before the file is read
    reading, source = ReadingOptions(**options), name_of(path)
    name, content = unpacked(source, "" if is_pipe(path) else path.name, content_of_source(path))
    form = form or (_format_of_name(name, source) if name else _format_of_content(content))
    _check_signature(source, content, form)
    if reading.sheet is not None and form != "excel":
        raise InputError(f"{source}: only Excel files have sheets; this one is read as {form}")
    if not reading.header and form not in WITH_HEADER:
        raise InputError(f"{source}: only text and Excel files can lack a header; this one is read as {form}")
    return replace(FORMATS[form][0](source, content, reading), options=reading)


def _format_of_name(name: str, source: str) -> str:
    """The format of the suffix of a name; ``source`` begins a message."""
    suffix = PurePath(name).suffix.lower()
    if suffix in ADVICE:
        raise InputError(f"{source}: {ADVICE[suffix]}")
    if suffix not in SUFFIXES:
        raise InputError(f"{source}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]


def _format_of_content(content: bytes) -> str:
    """The format that the content of a file suggests."""
    start = content[:1000].decode("utf-8", "replace").lstrip()[:200].lower()
    if binary := _binary_format(content):
        return binary
    if start.startswith(("{", "[")):
        return "jsonl"
    return "arff" if start.startswith(("@relation", "@attribute", "%")) else "csv"


def _check_signature(source: str, content: bytes, form: str) -> None:
    """InputError where a file begins as another kind of file than its name or ``--format`` says."""
    start = content[:512]
    if OPEN_DOCUMENT in start[:100]:
        raise InputError(f"{source}: an OpenDocument file; save its table as .xlsx or .csv")
    if start[257:262] == b"ustar":
        raise InputError(f"{source}: {TAR}")
    other = next((what for mark, what in OTHERS.items() if start.lower().startswith(mark.lower())), None)
    if other and (form != "excel" or not start.startswith(OLD_EXCEL)):  # of which its reader knows more
        raise InputError(f"{source}: {other}")
    binary = _binary_format(content)
    if binary and form not in (binary, "parquet", "feather", "excel"):  # whose readers say what they find
        raise InputError(f"{source}: its content is of the format {binary}; --format {binary} reads it")


def _binary_format(content: bytes) -> str | None:
    return next((form for mark, form in BINARY.items() if content.startswith(mark)), None)
