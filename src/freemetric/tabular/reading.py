"""Read a table from a file, a pipe or standard input, packed or not, of any known format.

Reading never hangs, and the size of what is unpacked is bounded.
"""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from ..text_files import LARGEST, bounded
from .formats.arrow import ARROW, FEATHER_1, read_feather, read_parquet
from .formats.excel import OLD_EXCEL, read_excel
from .formats.text import read_arff, read_delimited, read_json, read_libsvm
from .table import InputError, ReadingOptions, Table, few, note

FORMATS: dict[str, tuple[Callable[[str, bytes, ReadingOptions], Table], str]] = {
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
"""Readers by the name of their format, and the endings of names of such files.

A reader takes the source (which begins messages), the bytes of a file and the options.
"""
SUFFIXES = {suffix: form for form, (_, suffixes) in FORMATS.items() for suffix in suffixes.split()}
WITH_HEADER = ("csv", "tsv", "txt", "excel")

ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
BINARY = {b"PAR1": "parquet", ARROW: "feather", FEATHER_1: "feather", ZIP: "excel"}
TAR = "a tar archive; unpack it first"
R_FILE = 'a file of R; write.csv(x, "x.csv", row.names = FALSE) writes one that can be read'
PICKLE = "a pickle, which could run code; save the table as .parquet or .csv"
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
    (PICKLE, [".pkl", ".pickle"], [b"\x80\x04\x95", b"\x80\x05\x95"]),
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
STANDARD_INPUT = "-"
PATIENCE = 3.0  # seconds to wait for a writer of a pipe


WORKBOOKS = (".xlsx", ".xlsm")  # zip files that are not unpacked, ...
WORKBOOK = "[Content_Types].xml"  # ... which all hold this file
PACKINGS: dict[bytes, tuple[str, str, Callable[[Any], Any] | None]] = {
    b"\x1f\x8b": ("gzip", ".gz", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": ("bzip2", ".bz2", bz2.BZ2File),
    b"\xfd7zXZ\0": ("xz", ".xz", lzma.LZMAFile),
    **dict.fromkeys([ZIP, EMPTY_ZIP], ("zip", ".zip", None)),
}
"""Compressions: the name, the ending of file names, and what opens a file unless it is an archive."""
ENDINGS = {ending: words for words, ending, _ in PACKINGS.values()}
DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError)


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
    is_pipe = str(path) == STANDARD_INPUT or path.is_fifo()  # without a name to infer a format from
    source = "standard input" if str(path) == STANDARD_INPUT else str(path)
    form = format if format is None or format in FORMATS else SUFFIXES.get(f".{format}", "")
    if form == "":
        raise InputError(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
    if form is None and not is_pipe and path.suffix.lower() not in ENDINGS:
        _format_of_name(path.name, source)  # an error before the file is read
    reading = ReadingOptions(**options)
    try:
        content = _content(path)
    except OSError as problem:
        raise InputError(f"{source}: cannot be read ({problem.strerror})") from problem
    if not content:
        raise InputError(f"{source}: the file is empty")
    if is_pipe and len(content) > LARGEST:
        raise InputError(f"{source}: more than {LARGEST >> 20} MB; write it to a file first")
    name, content = _unpacked(source, "" if is_pipe else path.name, content)
    form = form or (_format_of_name(name, source) if name else _format_of_content(content))
    _check_signature(source, content, form)
    if reading.sheet is not None and form != "excel":
        raise InputError(f"{source}: only Excel files have sheets; this one is read as {form}")
    if not reading.header and form not in WITH_HEADER:
        raise InputError(f"{source}: only text and Excel files can lack a header; this one is read as {form}")
    return replace(FORMATS[form][0](source, content, reading), options=reading)


def _format_of_name(name: str, source: str) -> str:
    suffix = PurePath(name).suffix.lower()
    if suffix in ADVICE:
        raise InputError(f"{source}: {ADVICE[suffix]}")
    if suffix not in SUFFIXES:
        raise InputError(f"{source}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]


def _format_of_content(content: bytes) -> str:
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


def _binary_format(content):
    return next((form for mark, form in BINARY.items() if content.startswith(mark)), None)


def _content(path: Path) -> bytes:
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("standard input: nothing comes in; `cat FILE | freemetric ...` sends a file there")
        return sys.stdin.buffer.read(LARGEST + 1)
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):  # a named pipe, or one of the shell's <(...)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
            first = _first_byte(path, pipe.fileno())
            os.set_blocking(pipe.fileno(), True)
            return first + pipe.read(LARGEST + 1)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # /dev/zero has no end
        raise InputError(f"{path}: a device and no file")
    return path.read_bytes()


def _first_byte(path: Path, descriptor: int) -> bytes:
    """Empty if a writer has not written yet; InputError if there is none."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            byte = os.read(descriptor, 1)
        except BlockingIOError:  # a writer is there and has written nothing yet
            return b""
        if byte:
            return byte
        time.sleep(0.05)
    raise InputError(f"{path}: a pipe that nobody writes into")


def _unpacked(source: str, name: str, content: bytes) -> tuple[str, bytes]:
    """The name and the content of the packed file, or of the file itself where it is not packed."""
    packing, ending = _packing_of(content), PurePosixPath(name).suffix.lower()
    if ending in WORKBOOKS and content.startswith(ZIP):
        return name, content
    if packing is None:
        if ending == ".zip" and content.startswith(ZIP):
            return f"{name}.xlsx", content  # a misnamed workbook
        if ending in ENDINGS:
            raise InputError(f"{source}: is no {ENDINGS[ending]} file, though its name says so; damaged, or misnamed?")
        return name, content
    words, usual, opened = packing
    try:
        if opened is None:
            inner, content = _only_member(source, name, content)
        else:
            with opened(io.BytesIO(content)) as file:
                inner, content = _without(name, usual), bounded(file, len(content))
    except InputError:
        raise
    except ValueError as problem:
        raise InputError(f"{source}: {problem}") from problem
    except DAMAGED as problem:
        raise InputError(f"{source}: damaged or truncated {words} file ({problem})") from problem
    if not content:
        raise InputError(f"{source}: the file in it is empty")
    if _packing_of(content):
        raise InputError(f"{source}: is packed twice; unpack it first")
    if ending != usual and name:
        note(f"{source}: is a {words} file and was unpacked")
    return inner, content


def _packing_of(content):
    """How a file is packed; a workbook, which is a zip file, is not."""
    packing = next((packing for mark, packing in PACKINGS.items() if content.startswith(mark)), None)
    if packing is not None and packing[2] is None:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return None if WORKBOOK in archive.namelist() else packing
        except (*DAMAGED, ValueError):  # the last of names that are no UTF-8
            return packing
    return packing


def _only_member(source: str, name: str, content: bytes) -> tuple[str, bytes]:
    """The one file of an archive, whatever its path there; it is never written anywhere."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        paths = {member: PurePosixPath(member.filename.replace("\\", "/")) for member in archive.infolist()}
        of_a_mac = [member for member in paths if "__MACOSX" in paths[member].parts or paths[member].name[:1] == "."]
        members = [member for member in paths if not member.is_dir() and member not in of_a_mac]
        if len(members) != 1:
            what = f"{len(members)} files, {few(m.filename for m in members)}" if members else "no file"
            raise InputError(f"{source}: holds {what}; one is wanted: unpack it and choose")
        if members[0].flag_bits & 1:
            raise InputError(f"{source}: is protected by a password; unpack it first")
        with archive.open(members[0]) as file:
            inside = paths[members[0]]
            return inside.name if inside.suffix else _without(name, ".zip"), bounded(file, len(content))


def _without(name: str, ending: str) -> str:
    return name[: -len(ending)] if name.lower().endswith(ending) else name
