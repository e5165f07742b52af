"""The bytes of a file, a pipe or standard input, unpacked: reading never hangs, and its size is bounded."""

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
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from ...text_files import LARGEST, bounded
from ..table import InputError, few, note

STANDARD_INPUT = "-"
PATIENCE = 3.0  # seconds to wait for a writer of a pipe


def name_of(path: Path) -> str:
    """The beginning of messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def is_pipe(path: Path) -> bool:
    """Whether there is no name to infer a format from."""
    return str(path) == STANDARD_INPUT or path.is_fifo()


def content_of_source(path: Path) -> bytes:
    """All bytes; InputError where there are none or where they cannot be read."""
    try:
        content = _content(path)
    except OSError as problem:
        raise InputError(f"{name_of(path)}: cannot be read ({problem.strerror})") from problem
    if not content:
        raise InputError(f"{name_of(path)}: the file is empty")
    if is_pipe(path) and len(content) > LARGEST:
        raise InputError(f"{name_of(path)}: more than {LARGEST >> 20} MB; write it to a file first")
    return content


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


class Packing(NamedTuple):
    """A compression: its name, the ending of file names, and what opens a file unless it is an archive."""

    words: str
    ending: str
    opened: Callable[[IO[bytes]], Any] | None = None


ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
WORKBOOKS = (".xlsx", ".xlsm")  # zip files that are not unpacked, ...
WORKBOOK = "[Content_Types].xml"  # ... which all hold this file
PACKINGS = {
    b"\x1f\x8b": Packing("gzip", ".gz", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": Packing("bzip2", ".bz2", bz2.BZ2File),
    b"\xfd7zXZ\0": Packing("xz", ".xz", lzma.LZMAFile),
    **dict.fromkeys([ZIP, EMPTY_ZIP], Packing("zip", ".zip")),
}
ENDINGS = {packing.ending: packing.words for packing in PACKINGS.values()}
DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError)


def unpacked(source: str, name: str, content: bytes) -> tuple[str, bytes]:
    """The name and the content of the packed file, or of the file itself where it is not packed."""
    packing, ending = packing_of(content), PurePosixPath(name).suffix.lower()
    if ending in WORKBOOKS and content.startswith(ZIP):
        return name, content
    if packing is None:
        if ending == ".zip" and content.startswith(ZIP):
            return f"{name}.xlsx", content  # a misnamed workbook
        if ending in ENDINGS:
            raise InputError(f"{source}: is no {ENDINGS[ending]} file, though its name says so; damaged, or misnamed?")
        return name, content
    try:
        if packing.opened is None:
            inner, content = _only_member(source, name, content)
        else:
            with packing.opened(io.BytesIO(content)) as file:
                inner, content = _without(name, packing.ending), bounded(file, len(content))
    except InputError:
        raise
    except ValueError as problem:
        raise InputError(f"{source}: {problem}") from problem
    except DAMAGED as problem:
        raise InputError(f"{source}: damaged or truncated {packing.words} file ({problem})") from problem
    if not content:
        raise InputError(f"{source}: the file in it is empty")
    if packing_of(content):
        raise InputError(f"{source}: is packed twice; unpack it first")
    if ending != packing.ending and name:
        note(f"{source}: is a {packing.words} file and was unpacked")
    return inner, content


def packing_of(content: bytes) -> Packing | None:
    """How a file is packed; a workbook, which is a zip file, is not."""
    packing = next((packing for mark, packing in PACKINGS.items() if content.startswith(mark)), None)
    if packing is not None and packing.opened is None:
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
