"""The private folder of a server, which is removed when the server ends.

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
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..files.atomic import release_lock, take_lock

PREFIX, LOCK = "freemetric-serve-", "lock"
MODEL = "model.fm"  # of a fit
SPACE, CELLS = "space.npy", "rows.json"  # of the rows of a fit


class RefusedError(Exception):
    """Something that cannot be done now, or with this; the text is a line for the user."""


class Folder:
    """A numbered folder, which is removed with the last reference to it: who uses it holds one."""

    def __init__(self, path: Path):
        path.mkdir(mode=0o700)
        self.path, self.number = path, int(path.name)
        self.remove = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)


class PrivateFolder:
    """A temporary folder that only this user can look into; numbered folders are made in it."""

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
            return Folder(self.path / str(self.count))


def _locked(folder: Path) -> BinaryIO:
    """Lock a file in the folder for as long as this process lives.

    The file gets its name when it is locked already, and only where a second lock is refused: without locks, and on
    Windows, where open files keep their names, no folder is ever taken for abandoned.
    """
    draft = folder / f"{LOCK}.draft"
    held = take_lock(draft)
    assert held is not None  # Nobody else knows the folder.
    second = take_lock(draft)
    if second is None:
        with suppress(OSError):
            draft.rename(folder / LOCK)
    else:
        release_lock(second)
    return held


def _remove(folder: Path, held: BinaryIO) -> None:
    """Remove the lock file last: if this process is killed meanwhile, the next one still knows the folder."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name != LOCK:
                shutil.rmtree(path, ignore_errors=True)
    release_lock(held)
    shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the folders of this user's servers that were killed."""
    found: list[Path] = []
    with suppress(OSError):  # a folder that cannot be read is no reason not to start
        found += Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
    for folder in found:
        with suppress(OSError):  # not ours, without a lock file
            # Of this user, and nobody else may enter: then nobody else has put anything in it.
            about = folder.lstat()
            is_closed = stat.S_ISDIR(about.st_mode) and not stat.S_IMODE(about.st_mode) & 0o077
            if is_closed and about.st_uid == os.geteuid() and stat.S_ISREG((folder / LOCK).lstat().st_mode):
                held = take_lock(folder / LOCK)
                if held is not None:
                    _remove(folder, held)
