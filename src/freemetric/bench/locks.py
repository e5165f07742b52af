"""A lock per file, so that of several processes one does the work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

if sys.platform == "win32":
    import msvcrt

try:
    import fcntl
except ImportError:  # a module of Unix
    fcntl = None  # type: ignore[assignment]


@contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Whether this process may now make the file. The system releases the lock of a process that dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with open(lock, "w") as file:
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            yield False
            return
        try:
            yield True
        finally:
            # A process that waits for this very file will find the other one made when it gets the lock.
            with suppress(PermissionError):  # of Windows, where open files stay
                lock.unlink(missing_ok=True)


def _lock(file: TextIO) -> None:
    """BlockingIOError or PermissionError where another process has the lock.

    On a system that knows no locks two processes may do the same work; files are written whole all the same.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
