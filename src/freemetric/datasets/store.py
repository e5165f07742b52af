"""Where data files live: find, check, download."""

import hashlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from .builtin import BUILTIN, builtin_table
from .openml import download
from .registry import DataFile, DatasetInfo
from .table import DatasetError, TextColumns, as_csv, read_table, write_atomically
from .verify import verify

PathLike = str | os.PathLike


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
    """A path that must be a folder; `name` says who named it."""
    path = Path(path).expanduser()
    if not path.is_dir():
        raise DatasetError(f"{name} is {str(path)!r}, which is not a folder")
    return path


def find(expected: DataFile, places: Iterable[Path]) -> Path | None:
    """The first file of that name, gzipped or not, or None."""
    for folder in places:
        for path in (folder / expected.file, folder / f"{expected.file}.gz"):
            if path.exists():
                return path
    return None


def read_checked(path: Path, expected: DataFile, check: bool = True) -> TextColumns:
    """The table of a file that is what the registry says; without `check` its sha256 may differ."""
    table, sha256 = read_table(path)
    verify(table, expected)
    if check and expected.sha256 and sha256 not in (expected.sha256, _downloaded_sha256(path)):
        raise DatasetError(
            f"{path}: sha256 {sha256[:16]}..., expected {expected.sha256[:16]}...; the shape is right, "
            "the content differs (check=False loads it all the same)"
        )
    return table


def get_table(entry: DatasetInfo, data_home: PathLike | None = None, check: bool = True) -> TextColumns:
    """The table of a set, from a file, from this package, or from OpenML by way of the cache."""
    places = folders(data_home)
    path = find(entry.main, places)
    if path:
        return read_checked(path, entry.main, check)
    if entry.name in BUILTIN:
        return builtin_table(entry.name)
    if not entry.obtainable:
        raise DatasetError(f"{entry.name}: {entry.notes}; {not_in(entry.main, places)}")
    return read_checked(download_into(entry, cache_folder()), entry.main)


def get_coded_table(entry: DatasetInfo, data_home: PathLike | None = None, check: bool = True) -> TextColumns:
    """The table of a set in its PROBEN1 coding, from a file."""
    if entry.coded is None:
        raise DatasetError(f"{entry.name}: has no PROBEN1 coding")
    places = folders(data_home)
    path = find(entry.coded, places)
    if path is None:
        raise DatasetError(
            f"{entry.name}: the paper's encoding is PROBEN1's, which cannot be downloaded, and "
            f"{not_in(entry.coded, places)}; encoding='plain' needs {entry.main.file} only"
        )
    return read_checked(path, entry.coded, check)


def not_in(expected: DataFile, places: Iterable[Path]) -> str:
    """In words: the file is in none of these folders."""
    return f"there is no {expected.file} in {', '.join(map(str, places))}"


def download_into(entry: DatasetInfo, folder: Path) -> Path:
    """Download a set into a folder, with a note of its sha256 beside it, and return the path."""
    content = as_csv(download(entry))
    path = folder / entry.main.file
    # first the note, then the file: a file without its note would look like a wrong one
    write_atomically(note(path), f"{hashlib.sha256(content).hexdigest()}  {path.name}\n".encode())
    write_atomically(path, content)
    return path


def note(path: Path) -> Path:
    """The file that holds the sha256 of a downloaded one, in the form of sha256sum."""
    return path.with_name(f"{path.name}.sha256")


def _downloaded_sha256(path):
    try:
        return note(path).read_text("utf-8").split()[0]
    except (OSError, ValueError, IndexError):
        return None
