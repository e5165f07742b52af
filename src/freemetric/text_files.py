"""Files of text, read strictly: an error is one line that names the file and the place in it."""

import csv
import gzip
import io
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import IO

LARGEST = 1 << 30  # unpacked bytes of any file
ALWAYS, MOST_PER_BYTE = 1 << 25, 32  # unpacked bytes of a small file, and by packed byte of a larger one


def content_of(path: Path, error: type[Exception]) -> bytes:
    """The bytes of a file that is not empty, unpacked where its name ends in .gz; problems raise ``error``."""
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
    """The content of a gzipped file, as :func:`bounded`."""
    with gzip.open(path) as file:
        return bounded(file, path.stat().st_size)


def bounded(file: IO[bytes] | gzip.GzipFile, n_packed: int) -> bytes:
    """The unpacked content of a file; ValueError where it is too large for so many packed bytes."""
    most = min(LARGEST, max(ALWAYS, MOST_PER_BYTE * n_packed))
    content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"unpacks to more than {most >> 20} MB; unpack it first")
    return content


def text_of(source: object, content: bytes, error: type[Exception], encoding: str = "utf-8-sig", hint: str = "") -> str:
    """Decode UTF-8, with or without a byte order mark, or another encoding; a NUL byte is an error.

    ``hint`` ends the message about a byte that cannot be decoded.
    """
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as problem:
        # counted in the bytes that the decoder gets, which begin after the mark
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
    """Records that are not blank, fields without surrounding blanks, and the numbers of their last lines, from 1.

    ``error`` is raised, with one line that names the ``source``, where the text is malformed or empty.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records, lines = [], array("q")
    try:
        for record in reader:
            if record:
                records.append(tuple(map(str.strip, record)))
                lines.append(reader.line_num)
    except csv.Error as problem:
        reason = str(problem).replace("'\t'", "a tab")
        raise error(f"{source}, line {reader.line_num}: {reason}") from problem
    if not records:
        raise error(f"{source}: the file is empty")
    return records, lines
