"""The bytes of a file, of a pipe or of standard input: nothing waits for ever, nothing is endless."""

import os
import stat
import sys
import time
from pathlib import Path

from ...text_files import LARGEST
from ..table import InputError

STANDARD_INPUT = "-"
PATIENCE = 3.0  # seconds until somebody writes into a pipe that nobody has opened


def name_of(path: Path) -> str:
    """What messages begin with."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def is_pipe(path: Path) -> bool:
    """Whether there is no name to tell a format by."""
    return str(path) == STANDARD_INPUT or path.is_fifo()


def content_of_source(path: Path) -> bytes:
    """All bytes; InputError where there are none or where they cannot be read."""
    try:
        content = _standard_input() if str(path) == STANDARD_INPUT else _content(path)
    except OSError as problem:
        raise InputError(f"{name_of(path)}: cannot be read ({problem.strerror})") from problem
    if not content:
        raise InputError(f"{name_of(path)}: the file is empty")
    return content


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("standard input: nothing comes in; `cat FILE | freemetric ...` sends a file there")
    return _bounded("standard input", sys.stdin.buffer.read(LARGEST + 1))


def _content(path: Path) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):
        return _of_pipe(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # /dev/zero has no end
        raise InputError(f"{path}: a device and no file")
    return path.read_bytes()


def _of_pipe(path: Path) -> bytes:
    """What comes through a named pipe, or one of the shell's <(...), once somebody writes into it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as pipe:
        first = _first_byte(path, descriptor)
        os.set_blocking(descriptor, True)
        return _bounded(str(path), first + pipe.read(LARGEST))


def _first_byte(path: Path, descriptor: int) -> bytes:
    """Empty if a writer has not written yet; InputError if there is none."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            byte = os.read(descriptor, 1)
        except BlockingIOError:  # a writer is there and has nothing to say yet
            return b""
        if byte:
            return byte
        time.sleep(0.05)
    raise InputError(f"{path}: a pipe that nobody writes into")


def _bounded(source: str, content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise InputError(f"{source}: more than {LARGEST >> 20} MB; write it to a file first")
    return content
