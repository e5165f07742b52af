"""The private folder of a server: what is in it goes when nobody uses it, all of it when the server ends.

A server that was killed leaves its folder behind; the next one that starts removes it. Every user of the machine may
write to the folder of temporary files, so a name proves nothing there: a folder is removed only if it is a real folder
of this user, closed to all others, and has a lock file that no living server holds.
"""

import os
import shutil
import stat
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # a module of Unix; elsewhere nothing is removed at the next start
    fcntl = None  # type: ignore[assignment]

PREFIX, LOCK = "freemetric-serve-", "lock"


class ReplacedError(Exception):
    """Somebody wants to use a folder that is no longer wanted; the text is a line for the user."""


class Folder:
    """A folder that is removed once it is dropped and nobody is at work in it.

    Parameters
    ----------
    path : Path
        Where it is made.
    """

    def __init__(self, path: Path):
        path.mkdir(mode=0o700)
        self.path, self.number = path, int(path.name)
        self.lock, self.users, self.is_dropped = threading.Lock(), 0, False

    @contextmanager
    def in_use(self) -> Iterator[Path]:
        """Keep the folder in place meanwhile; ReplacedError if it was dropped before."""
        with self.lock:
            if self.is_dropped:
                raise ReplacedError("another table has taken its place; reload the page")
            self.users += 1
        try:
            yield self.path
        finally:
            with self.lock:
                self.users -= 1
                self._remove_if_unused()

    def drop(self) -> None:
        """Remove the folder now, or when the last one has left it."""
        with self.lock:
            self.is_dropped = True
            self._remove_if_unused()

    def _remove_if_unused(self):
        if self.is_dropped and not self.users:
            shutil.rmtree(self.path, ignore_errors=True)


class PrivateFolder:
    """A folder of temporary files that only this user can look into; numbered folders are made in it."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.lock, self.count = threading.Lock(), 0
        # at the end of the program, too, should nobody close it
        self.close = weakref.finalize(self, _remove, self.path, _locked(self.path))

    def new(self) -> Folder:
        """A folder in it with a number of its own."""
        with self.lock:
            self.count += 1
            number = self.count
        return Folder(self.path / str(number))


def _locked(folder: Path) -> int | None:
    """Lock a file in the folder for as long as this process lives; what holds the lock, or None without locks.

    The file gets its name when it is locked already: nobody ever sees a lock file of a living server that is free.
    """
    if fcntl is None:
        return None
    draft = folder / f"{LOCK}.draft"
    held = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a file system without locks, on which no folder is ever taken for abandoned
        os.close(held)
        return None
    draft.rename(folder / LOCK)
    return held


def _remove(folder: Path, held: int | None) -> None:
    """The lock file goes last: if this process is killed meanwhile, the next one can still tell whose folder it is."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name != LOCK:
                shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    if held is not None:
        os.close(held)


def remove_abandoned() -> None:
    """Remove the folders of this user's servers that were killed."""
    if fcntl is None:
        return
    with suppress(OSError):  # a folder that cannot be read is no reason not to start
        place = Path(tempfile.gettempdir())
        for name in os.listdir(place):
            if name.startswith(PREFIX):
                _remove_if_abandoned(place / name)


def _remove_if_abandoned(path: Path) -> None:
    opened: list[int] = []
    with suppress(OSError):  # not ours, not a folder, without a lock file; BlockingIOError: its server lives
        opened.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
        if _is_private(os.fstat(opened[0])):
            opened.append(os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[0]))
            fcntl.flock(opened[1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(path, None)
    for held in opened:
        os.close(held)


def _is_private(found: os.stat_result) -> bool:
    """Whether this user owns it and nobody else may enter it, so that nobody else has put anything in it."""
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
