"""Files of data sets: download from OpenML, verification, and the cache."""

import hashlib
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ..printable import counted
from .builtin import BUILTIN, builtin_table
from .encoding import encode
from .registry import PLAIN, DataFile, DatasetInfo
from .table import DatasetError, TextColumns, as_csv, as_text, read_table, write_atomically


def verify(table: TextColumns, expected: DataFile) -> None:
    """Raise a DatasetError that says what was expected and what was found, or return nothing.

    Parameters
    ----------
    table : TextColumns
        What was read.
    expected : DataFile
        What the registry says.
    """
    _verify_columns(table, expected)
    if len(table.labels) != expected.rows:
        raise DatasetError(f"{table.source}: {counted(len(table.labels), 'row')}, expected {expected.rows}")
    _verify_values(table, expected)
    counts = Counter(table.labels)
    if expected.class_counts is None or counts == expected.class_counts:
        return
    if len(counts) != len(expected.class_counts):
        raise DatasetError(
            f"{table.source}: {counted(len(counts), 'class', 'classes')}, expected {len(expected.class_counts)}"
        )
    label = next(label for label in expected.class_counts | counts if counts[label] != expected.class_counts.get(label))
    wanted = expected.class_counts.get(label, 0)
    raise DatasetError(f"{table.source}: {counted(counts[label], 'row')} of class {label!r}, expected {wanted}")


def _verify_columns(table, expected):
    if table.class_column != "class":
        raise DatasetError(f"{table.source}: no class column: the last is {table.class_column!r}, expected 'class'")
    if len(table.columns) != expected.features:
        raise DatasetError(f"{table.source}: {counted(len(table.columns), 'feature')}, expected {expected.features}")
    for place, (name, wanted) in enumerate(zip(table.columns, expected.columns or table.columns, strict=True), 1):
        if name != wanted:
            raise DatasetError(f"{table.source}: column {place} is {name!r}, expected {wanted!r}")


def _verify_values(table, expected):
    for column, fields in zip(table.columns, table.fields, strict=True):
        if column not in expected.nominal:
            continue
        allowed = {"", *expected.nominal[column]}
        strange = next((row for row, text in enumerate(fields) if text not in allowed), None)
        if strange is not None:
            line, values = table.lines[strange], ", ".join(expected.nominal[column])
            raise DatasetError(
                f"{table.source}, line {line}: {fields[strange]!r} in column {column!r}, expected one of {values}"
            )


def download(entry: DatasetInfo) -> TextColumns:
    """The table of a registry entry, from OpenML by data_id.

    Parameters
    ----------
    entry : DatasetInfo
        Of the registry.

    Returns
    -------
    TextColumns
        With the registry's columns and class names, and the rows and classes it names: that much is verified. OpenML
        writes numbers its own way, so the text is not that of the registry's sha256.
    """
    if entry.openml is None:
        raise DatasetError(f"{entry.name}: OpenML has no copy of it; {_remedy(entry)}")
    place = f"OpenML {entry.openml['name']!r} (data_id {entry.openml['data_id']})"
    if "unusable" in entry.openml:
        raise DatasetError(f"{entry.name}: cannot be downloaded, {entry.openml['unusable']}; {_remedy(entry)}")
    bunch = _fetch(entry, place)
    if bunch.target is None:
        raise DatasetError(f"{entry.name}: {place} has no class column")
    columns = _columns(bunch, entry.openml.get("missing", ""))
    fields = _select(entry, columns, place)
    rows = list(zip(*fields, map(_label, bunch.target), strict=True))
    if entry.openml.get("distinct"):
        rows = list(dict.fromkeys(rows))
    rows = _rename_classes(rows, entry)
    table = TextColumns.from_rows(f"{entry.name} from {place}", [*entry.main.names, "class"], rows)
    verify(table, entry.main)
    encode(table, entry.nominal, PLAIN, entry.missing)  # text among the numbers must not reach the cache
    return table


def _fetch(entry, place):
    # imported here, as importing the package must not load scikit-learn's network code
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            # "inactive version" and "retrying": the outcome is verified or an error
            warnings.simplefilter("ignore")
            return fetch_openml(
                data_id=entry.openml["data_id"], as_frame=False, parser="liac-arff", cache=False, n_retries=1
            )
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatasetError(f"{entry.name}: no download of {place}: {reason}; {_remedy(entry)}") from error


def _remedy(entry):
    return f"put {entry.main.file} into a folder and name that as data_home or FREEMETRIC_DATA"


def _columns(bunch, gap):
    """Name -> fields as text. Without pandas a nominal column comes as places in its list of categories."""
    data, categories, columns = np.asarray(bunch.data, dtype=float), bunch.categories or {}, {}
    for name, numbers in zip(bunch.feature_names, data.T, strict=True):
        values = categories.get(name)
        empty = "" if values is None else gap
        columns[name] = [
            empty if number != number else as_text(number) if values is None else str(values[int(number)])
            for number in numbers.tolist()
        ]
    return columns


def _select(entry, columns, place):
    """The registry's columns by name, or by order where OpenML calls them differently."""
    dropped = {_plain(name) for name in entry.openml.get("drop", ())}
    columns = {name: fields for name, fields in columns.items() if _plain(name) not in dropped}
    if len(columns) != entry.features:
        raise DatasetError(f"{entry.name}: {place} has {counted(len(columns), 'feature')}, expected {entry.features}")
    theirs = {_plain(name): fields for name, fields in columns.items()}
    ours = [_plain(name) for name in entry.main.names]
    if len(theirs) == len(columns) and set(theirs) == set(ours):
        return [theirs[name] for name in ours]
    return list(columns.values())


def _plain(name):
    return name.casefold().translate(str.maketrans("", "", " _-."))


def _label(value):
    return as_text(float(value)) if isinstance(value, float | np.floating) else str(value)


def _rename_classes(rows, entry):
    """OpenML's class names as ours: listed, the same, or told apart by how many rows they have."""
    names = entry.openml.get("labels", {})
    counts = Counter(names.get(row[-1], row[-1]) for row in rows)
    ours = {count: label for label, count in entry.class_counts.items()}
    if set(counts) != set(entry.class_counts) and len(ours) == entry.classes == len(set(counts.values())):
        names = {label: ours.get(count, label) for label, count in counts.items()}
    return [(*row[:-1], names.get(row[-1], row[-1])) for row in rows]


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
