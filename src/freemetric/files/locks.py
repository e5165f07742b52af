"""Locks on files that end with their process, however it ends."""

import os
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # a module of Unix
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # a module of Windows
    msvcrt = None  # type: ignore[assignment]

HELD: dict[int, BinaryIO] = {}  # by their descriptors


def take_lock(path: Path) -> BinaryIO | None:
    """The file, made where it is missing and locked until ``release_lock``; None where somebody else has locked it.

    Two threads of one process are different holders. Where the file system or the operating system has no locks, the
    file is given to everybody who asks.
    """
    file = open(path, "ab")  # noqa: SIM115 - the caller closes it
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):  # the first of Unix, the second of Windows
        file.close()
        return None
    except OSError:  # no locks here
        pass
    HELD[file.fileno()] = file
    return file


def release_lock(file: BinaryIO) -> None:
    """Let others lock the file."""
    HELD.pop(file.fileno(), None)
    file.close()


def _close_in_child():
    """A forked child has its parent's locks open, and would hold them when the parent is gone."""
    for file in HELD.values():
        file.close()
    HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)
