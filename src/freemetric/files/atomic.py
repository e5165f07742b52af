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


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` once it is complete and on the disk."""
    remove_abandoned_drafts(path)
    with _draft(path) as (draft, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        file.close()
        os.replace(draft, path)
    with suppress(OSError):  # Not every system can sync a folder; the file is whole either way.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_can_be_written(path: Path) -> None:
    """OSError where no draft can be made beside `path`: a folder or file system for reading only, a full disk."""
    with _draft(path) as (_, file):
        file.write(b"\0")
        file.flush()


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


@contextmanager
def _draft(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file beside `path`, locked; it is removed in the end, unless it was renamed."""
    while True:
        draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
        try:
            file = open(draft, "xb")  # noqa: SIM115 - closed below
        except OSError as problem:  # about the file that was wanted, not about a draft that nobody knows
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        lock = _locked(file)
        try:
            if draft.exists():  # Somebody may have taken it for abandoned before it was locked.
                with file:
                    yield draft, file
                return
            file.close()
        finally:
            draft.unlink(missing_ok=True)
            if lock is not None:
                os.close(lock)


def _locked(file: BinaryIO) -> int | None:
    """A second handle of the file, locked as long as one of the two is open; None where there are no locks."""
    if fcntl is None:
        return None
    with suppress(OSError):  # of file systems without locks, where no draft is ever taken for abandoned
        fcntl.flock(file, fcntl.LOCK_EX)
    return os.dup(file.fileno())
