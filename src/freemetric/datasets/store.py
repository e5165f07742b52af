"""Files of data sets: their folders, downloads and checks."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .registry import DatasetInfo, info, list_datasets
from .sources import BUILTIN, builtin_table, download
from .table import DataFile, DatasetError, TextColumns, as_csv, read_table, verify, write_atomically

PathLike = str | os.PathLike
OnSet = Callable[[int, int, str], None]


def cache_folder() -> Path:
    """The user's folder for downloaded sets: XDG_CACHE_HOME, else the platform's habit."""
    home = Path.home()
    if os.environ.get("XDG_CACHE_HOME"):
        base = Path(os.environ["XDG_CACHE_HOME"])
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    else:
        base = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    return base / "freemetric"


def folders(data_home: PathLike | None = None) -> list[Path]:
    """Folders to look in, in order: the argument, the variable FREEMETRIC_DATA, the cache."""
    named = {"data_home": data_home, "FREEMETRIC_DATA": os.environ.get("FREEMETRIC_DATA")}
    return [*(as_folder(path, name) for name, path in named.items() if path), cache_folder()]


def as_folder(path: PathLike, name: str) -> Path:
    """A path that must be a folder; `name` is the argument or variable it comes from."""
    path = Path(path).expanduser()
    if not path.is_dir():
        raise DatasetError(f"{name} is {str(path)!r}, which is not a folder")
    return path


def find(expected: DataFile, places: Iterable[Path]) -> Path | None:
    """The first file of that name, gzipped or not, or None."""
    candidates = (folder / name for folder in places for name in (expected.file, f"{expected.file}.gz"))
    return next((path for path in candidates if path.exists()), None)


def read_checked(path: Path, expected: DataFile, check: bool = True) -> TextColumns:
    """The table of a file that agrees with the registry; without `check` its sha256 may differ."""
    table, sha256 = read_table(path)
    verify(table, expected)
    if check and expected.sha256 and sha256 not in (expected.sha256, _downloaded_sha256(path)):
        what = f"{path}: sha256 {sha256[:16]}..., expected {expected.sha256[:16]}...; the shape is right"
        raise DatasetError(f"{what}, the content differs (check=False loads it all the same)")
    return table


def get_table(
    entry: DatasetInfo, data_home: PathLike | None = None, check: bool = True, coded: bool = False
) -> TextColumns:
    """The table of a set, from a file, from this package, or from OpenML by way of the cache.

    With ``coded`` it is the one in the PROBEN1 coding, for which there are only files.
    """
    expected, places = entry.coded if coded and entry.coded else entry.main, folders(data_home)
    path = find(expected, places)
    if path:
        return read_checked(path, expected, check)
    if coded:
        what = f"{entry.name}: the paper's encoding is PROBEN1's, which cannot be downloaded"
        remedy = f"encoding='plain' needs {entry.main.file} only"
        raise DatasetError(f"{what}, and {_not_in(expected, places)}; {remedy}")
    if entry.name in BUILTIN:
        return builtin_table(entry.name)
    if not entry.obtainable:
        raise DatasetError(f"{entry.name}: {entry.notes}; {_not_in(expected, places)}")
    return read_checked(_download_into(entry, cache_folder()), expected)


def _not_in(expected, places):
    return f"there is no {expected.file} in {', '.join(map(str, places))}"


def _download_into(entry, folder):
    """Download a set into a folder, with a note of its sha256 beside it, and return the path."""
    content = as_csv(download(entry))
    path = folder / entry.main.file
    # first the note, then the file: a file without its note would look like a wrong one
    write_atomically(_note(path), f"{hashlib.sha256(content).hexdigest()}  {path.name}\n".encode())
    write_atomically(path, content)
    return path


def _note(path):
    """The file that holds the sha256 of a downloaded one, in the form of sha256sum."""
    return path.with_name(f"{path.name}.sha256")


def _downloaded_sha256(path):
    try:
        return _note(path).read_text("utf-8").split()[0]
    except (OSError, ValueError, IndexError):
        return None


@dataclass(frozen=True)
class Result:
    """The outcome for one data set: its ``status`` and one line of ``detail``, the file or the problem.

    The status is "present", "built in", "copied", "downloaded" or "failed" from `fetch`, and "ok", "built in",
    "missing" or "problem" from `check`.
    """

    name: str
    status: str
    detail: str = ""


def check(
    names: Iterable[str] | None = None, data_home: str | os.PathLike | None = None, on_set: OnSet | None = None
) -> list[Result]:
    """Check the files of data sets: rows, columns, classes, values and sha256.

    Parameters
    ----------
    names : iterable of str, default=None
        All that are obtainable if None.
    data_home : path-like, default=None
        The folder to check. None: the folders of `load`.
    on_set : callable or None, default=None
        Called with (number done, number of all, name) after every set.
    """
    places = [as_folder(data_home, "data_home")] if data_home else folders()
    return [_check(info(name), places) for name in _in_turn(names, on_set)]


def _check(entry, places):
    paths = []
    for expected in filter(None, (entry.main, entry.coded)):
        path = find(expected, places)
        if path is None:
            if entry.name in BUILTIN:
                return Result(entry.name, "built in")
            return Result(entry.name, "missing", _not_in(expected, places))
        try:
            read_checked(path, expected)
        except DatasetError as error:
            return Result(entry.name, "problem", str(error))
        paths.append(str(path))
    return Result(entry.name, "ok", ", ".join(paths))


def fetch(
    names: Iterable[str] | None = None, data_home: str | os.PathLike | None = None, on_set: OnSet | None = None
) -> list[Result]:
    """Copy or download data sets, so that later runs need no network.

    Parameters
    ----------
    names : iterable of str, default=None
        All that are obtainable if None.
    data_home : path-like, default=None
        Folder to fill; it is made if need be. Files that `load` would find elsewhere are copied into it. None: the
        user's cache folder, for data sets that no folder has. An existing file is never replaced.
    on_set : callable or None, default=None
        Called with (number done, number of all, name) after every set.
    """
    target = Path(data_home).expanduser() if data_home else cache_folder()
    places = folders()
    there = [target] if data_home else places
    return [_fetch(info(name), target, there, places) for name in _in_turn(names, on_set)]


def _fetch(entry, target, there, elsewhere):
    try:
        status, detail = _fetch_main(entry, target, there, elsewhere)
        if entry.coded and not find(entry.coded, there):
            path = find(entry.coded, elsewhere)
            if path:
                _copy(path, entry.coded, target)
            else:
                detail += f"; for encoding='plain' only: {entry.coded.file} cannot be downloaded"
    except DatasetError as error:
        return Result(entry.name, "failed", str(error))
    return Result(entry.name, status, detail)


def _fetch_main(entry, target, there, elsewhere):
    path = find(entry.main, there)
    if path:
        read_checked(path, entry.main)
        return "present", str(path)
    path = find(entry.main, elsewhere)
    if path:
        return "copied", str(_copy(path, entry.main, target))
    if entry.name in BUILTIN:
        return "built in", "needs no file"
    if not entry.obtainable:
        raise DatasetError(f"{entry.name}: {entry.notes}")
    return "downloaded", str(_download_into(entry, target))


def _copy(path, expected, folder):
    """Check a data file and copy it into a folder, with the note of a download."""
    read_checked(path, expected)
    goal = (folder / expected.file).with_name(path.name)
    if _note(path).exists():
        write_atomically(_note(goal), _note(path).read_bytes())
    write_atomically(goal, path.read_bytes())
    return goal


def _in_turn(names, on_set):
    names = list_datasets() if names is None else list(names)
    for number, name in enumerate(names, 1):
        yield name
        if on_set:
            on_set(number, len(names), name)
