"""Which data sets are there, and fetching those that are not."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .builtin import BUILTIN
from .registry import DataFile, info, list_datasets
from .store import as_folder, cache_folder, download_into, find, folders, not_in, note, read_checked
from .table import DatasetError, write_atomically

OnSet = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Result:
    """What happened to one data set.

    Attributes
    ----------
    name : str
        Of the set.
    status : str
        From `fetch`: "present", "built in", "copied", "downloaded" or "failed"; from `check`: "ok", "built in",
        "missing" or "problem".
    detail : str
        One line: the file, or what is wrong.
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
        The folder to check. None: wherever `load` would find a file.
    on_set : callable or None, default=None
        Called with (number done, number of all, name) after every set.

    Returns
    -------
    list of Result
        "ok" with the file, "built in" where none is needed, "missing", or "problem" with what is wrong.
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
            return Result(entry.name, "missing", not_in(expected, places))
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
        user's cache folder, where only what is found nowhere is downloaded.
    on_set : callable or None, default=None
        Called with (number done, number of all, name) after every set.

    Returns
    -------
    list of Result
        "present", "built in", "copied", "downloaded" or "failed" with the reason. A failure does not stop the rest,
        and a file that is there is never replaced.
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
                copy(path, entry.coded, target)
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
        return "copied", str(copy(path, entry.main, target))
    if entry.name in BUILTIN:
        return "built in", "needs no file"
    if not entry.obtainable:
        raise DatasetError(f"{entry.name}: {entry.notes}")
    return "downloaded", str(download_into(entry, target))


def copy(path: Path, expected: DataFile, folder: Path) -> Path:
    """Copy a data file that is what it should be into a folder, with the note of a download."""
    read_checked(path, expected)
    goal = (folder / expected.file).with_name(path.name)
    if note(path).exists():
        write_atomically(note(goal), note(path).read_bytes())
    write_atomically(goal, path.read_bytes())
    return goal


def _in_turn(names, on_set):
    names = list_datasets() if names is None else list(names)
    for number, name in enumerate(names, 1):
        yield name
        if on_set:
            on_set(number, len(names), name)
