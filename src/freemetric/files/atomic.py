"""Files written whole or not at all, and locks that end with their process."""

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """The file, created if missing and locked until ``release_lock``; None if another process or thread has locked it.

    Without locks of the file system or the operating system, everybody gets the file.
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
    """Close the locks of the parent in a forked child, which would hold them when the parent is gone."""
    for file in HELD.values():
        file.close()
    HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` once it is complete and on the disk."""
    remove_abandoned_drafts(path)
    with _draft(path) as (draft, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows moves no open file. Elsewhere the lock holds until the draft has its name.
        os.replace(draft, path)
    with suppress(OSError):  # Not every system can sync a folder; the file is whole either way.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_can_be_written(path: Path) -> None:
    """OSError if no draft can be written beside `path`, as in a read-only folder or on a full disk."""
    with _draft(path) as (_, file):
        file.write(b"\0")
        file.flush()


def remove_with_drafts(path: Path) -> None:
    """Remove a file, and drafts of killed processes."""
    path.unlink(missing_ok=True)
    remove_abandoned_drafts(path)


def remove_abandoned_drafts(path: Path) -> None:
    """Remove the drafts of a file whose writers are gone; those of a writer at work stay."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}\.tmp")
    with suppress(OSError):  # an unreadable folder or a draft of another user does not prevent writing
        with os.scandir(path.parent) as entries:
            drafts = [entry for entry in entries if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
        for draft in drafts:
            with suppress(OSError), open(draft.path, "rb") as file:
                if fcntl is None:
                    file.close()  # Windows removes no open file, and so none whose writer lives
                else:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: its writer lives
                os.unlink(draft.path)


@contextmanager
def _draft(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new locked file beside `path`; it is removed in the end, unless it was renamed."""
    while True:
        draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
        try:
            file = open(draft, "xb")  # noqa: SIM115 - closed below
        except OSError as problem:  # about the file that was wanted, not about its draft
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        try:
            with file:
                if fcntl is not None:
                    with suppress(OSError):  # of file systems without locks, where no draft ever counts as abandoned
                        fcntl.flock(file, fcntl.LOCK_EX)
                if draft.exists():  # another writer may have removed it as abandoned before it was locked
                    yield draft, file
                    return
        finally:
            draft.unlink(missing_ok=True)
