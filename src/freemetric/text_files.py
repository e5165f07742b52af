"""Files of text, read strictly: an error is one line that names the file and the place in it."""

import csv
import gzip
import io
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import IO

LARGEST = 1 << 30  # bytes that a file may unpack to ...
ALWAYS, MOST_PER_BYTE = 1 << 25, 32  # ... and those of a small file: a few bytes could fill the memory


def content_of(path: Path, error: type[Exception]) -> bytes:
    """The bytes of a file that is not empty, unpacked where its name ends in .gz; ``error`` is what is raised."""
    try:
        content = unpacked(path) if path.suffix == ".gz" else path.read_bytes()
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise error(f"{path}: damaged or truncated gzip file ({problem})") from problem
    except OSError as problem:
        raise error(f"{path}: cannot be read ({problem.strerror})") from problem
    except ValueError as problem:
        raise error(f"{path}: {problem}") from problem
    if not content:
        raise error(f"{path}: the file is empty")
    return content


def unpacked(path: Path) -> bytes:
    """The content of a gzipped file; ValueError where it is larger than data in so many bytes are."""
    with gzip.open(path) as file:
        return bounded(file, path.stat().st_size)


def bounded(file: IO[bytes] | gzip.GzipFile, n_packed: int) -> bytes:
    """All that a file unpacks to; ValueError where that is more than data in so many packed bytes are."""
    most = min(LARGEST, max(ALWAYS, MOST_PER_BYTE * n_packed))
    content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"unpacks to more than {most >> 20} MB; unpack it first")
    return content


def text_of(source: object, content: bytes, error: type[Exception], encoding: str = "utf-8-sig", hint: str = "") -> str:
    """UTF-8, with or without a mark in front, or another encoding; no file of text has a zero byte.

    ``hint`` ends the message about a byte that is not of the encoding.
    """
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as problem:
        # counted in what the decoder saw, which begins after the mark
        line = problem.object.count(b"\n", 0, problem.start) + 1
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        byte = f"byte {problem.object[problem.start]:#04x}"
        raise error(f"{source}, line {line}: {byte} is not {name}{hint}") from problem
    if "\0" in text:
        raise error(f"{source}, line {text.count(chr(10), 0, text.index(chr(0))) + 1}: a NUL byte, not text")
    return text


def csv_records(
    source: object, text: str, error: type[Exception], delimiter: str = ","
) -> tuple[list[tuple[str, ...]], Sequence[int]]:
    """Records that are not blank, and the line each ends on.

    Parameters
    ----------
    source : object
        Named in messages.
    text : str
        The whole text.
    error : type of exception
        Raised, with one line, where the text is malformed or empty.
    delimiter : str, default=","
        Between fields.

    Returns
    -------
    records : list of tuple of str
        Fields without surrounding blanks.
    lines : sequence of int
        Numbers of their last lines, from 1.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records, lines = [], array("q")
    try:
        for record in reader:
            if record:
                records.append(tuple(map(str.strip, record)))
                lines.append(reader.line_num)
    except csv.Error as problem:
        words = str(problem).replace("'\t'", "a tab")
        raise error(f"{source}, line {reader.line_num}: {words}") from problem
    if not records:
        raise error(f"{source}: the file is empty")
    return records, lines
