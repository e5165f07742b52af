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


try:
    import fcntl
except ImportError:  # a module of Unix; elsewhere a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` once it is complete and on the disk."""
    remove_abandoned_drafts(path)
    draft, file, lock = _begun(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
        _release(lock)
    with suppress(OSError):  # not every system can; the file is whole either way
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_can_be_written(path: Path) -> None:
    """OSError where no draft can be made beside `path`: a folder or file system for reading only, a full disk."""
    draft, file, lock = _begun(path)
    try:
        with file:
            file.write(b"\0")
    finally:
        draft.unlink(missing_ok=True)
        _release(lock)


def remove_with_drafts(path: Path) -> None:
    """Remove a file, and what processes that were killed while they wrote it have left."""
    path.unlink(missing_ok=True)
    remove_abandoned_drafts(path)


def remove_abandoned_drafts(path: Path) -> None:
    """Remove the drafts of a file whose writers are gone; those of a writer at work stay."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}\.tmp")
    with suppress(OSError):  # a folder that cannot be read, a draft of somebody else: no reason not to write
        with os.scandir(path.parent) as entries:
            drafts = [entry for entry in entries if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
        for draft in drafts:
            _remove_if_abandoned(Path(draft.path))


def _remove_if_abandoned(draft: Path) -> None:
    with suppress(OSError), open(draft, "rb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: its writer lives
            draft.unlink(missing_ok=True)
    if fcntl is None:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _begun(path: Path) -> tuple[Path, BinaryIO, int | None]:
    """A new draft, open and locked, and what holds the lock beyond its closing."""
    while True:
        draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
        try:
            file = open(draft, "xb")  # noqa: SIM115 - the caller closes it
        except OSError as problem:  # about the file that was wanted, not about a draft that nobody knows
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        lock = _locked(file)
        if draft.exists():  # somebody may have taken it for abandoned before it was locked
            return draft, file, lock
        file.close()
        _release(lock)


def _locked(file: BinaryIO) -> int | None:
    """A second handle of the file, which is locked as long as one of the two is open; None where there are no locks."""
    if fcntl is None:
        return None
    with suppress(OSError):  # of file systems without locks, where no draft is ever taken for abandoned
        fcntl.flock(file, fcntl.LOCK_EX)
    return os.dup(file.fileno())


def _release(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)
