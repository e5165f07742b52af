"""Tables of data sets: from files, generated, of scikit-learn or of OpenML; fetching and checking them."""

import hashlib
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from ..printable import counted
from .registry import PLAIN, DatasetInfo, info, list_datasets
from .table import DataFile, DatasetError, TextColumns, as_csv, as_text, encode, read_table, verify, write_atomically

PathLike = str | os.PathLike
OnSet = Callable[[int, int, str], None]
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))  # of tic-tac-toe


def balance() -> Iterator[tuple]:
    """Every scale with weights and distances 1 to 5, and the side it tips to."""
    for scale in product(range(1, 6), repeat=4):
        torque = scale[0] * scale[1] - scale[2] * scale[3]
        yield *scale, "BLR"[(torque > 0) - (torque < 0)]


def tic_tac_toe() -> list[tuple]:
    """Every board on which a game can end, x having moved first; positive: x has won."""
    won, lost, drawn = [], [], []
    for board in product("xob", repeat=9):
        lead = board.count("x") - board.count("o")
        x_wins, o_wins = (any(all(board[s] == player for s in line) for line in LINES) for player in "xo")
        # the winner moved last, so x leads by one when it won and by none when it lost; a draw fills the board
        if x_wins and not o_wins and lead == 1:
            won.append((*board, "positive"))
        elif o_wins and not x_wins and lead == 0:
            lost.append((*board, "negative"))
        elif not x_wins and not o_wins and lead == 1 and "b" not in board:
            drawn.append((*board, "negative"))
    return won + lost + drawn


def of_sklearn(name: str) -> list[tuple]:
    """Anderson's irises or Forina's wines as UCI has them."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name == "iris":
        # scikit-learn corrected these rows after Fisher's article; the paper and the other packages use UCI's
        X[34] = X[37] = [4.9, 3.1, 1.5, 0.1]
    labels = sorted(info(name).class_counts)
    return [(*row, labels[number]) for row, number in zip(X.tolist(), y, strict=True)]


BUILTIN: dict[str, Callable[[], Iterable[tuple]]] = {
    "balance": balance,
    "iris": partial(of_sklearn, "iris"),
    "tic-tac-toe": tic_tac_toe,
    "wine": partial(of_sklearn, "wine"),
}


def builtin_table(name: str) -> TextColumns:
    """The table of a data set that needs no file."""
    rows = [tuple(as_text(field) for field in row) for row in BUILTIN[name]()]
    return TextColumns(f"built-in {name}", (*(info(name).main.columns or ()), "class"), rows)


def download(entry: DatasetInfo) -> TextColumns:
    """Download the table of a data set from OpenML, with the registry's columns and class names, and verify it.

    OpenML formats numbers its own way, so the sha256 differs from the registry's.
    """
    remedy = f"put {entry.main.file} into a folder and name that as data_home or FREEMETRIC_DATA"
    if entry.openml is None:
        raise DatasetError(f"{entry.name}: OpenML has no copy of it; {remedy}")
    place = f"OpenML {entry.openml['name']!r} (data_id {entry.openml['data_id']})"
    if "unusable" in entry.openml:
        raise DatasetError(f"{entry.name}: cannot be downloaded, {entry.openml['unusable']}; {remedy}")
    # imported here, as importing the package must not load scikit-learn's network code
    from sklearn.datasets import fetch_openml

    data_id = entry.openml["data_id"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "inactive version" and "retrying": the outcome is verified or an error
            bunch = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff", cache=False, n_retries=1)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatasetError(f"{entry.name}: no download of {place}: {reason}; {remedy}") from error
    if bunch.target is None:
        raise DatasetError(f"{entry.name}: {place} has no class column")
    fields = _select(entry, _columns(bunch, entry.openml.get("missing", "")), place)
    labels = (as_text(float(c)) if isinstance(c, float | np.floating) else str(c) for c in bunch.target)
    rows = list(zip(*fields, labels, strict=True))
    if entry.openml.get("distinct"):
        rows = list(dict.fromkeys(rows))
    header = (*(entry.main.columns or ()), "class")
    table = TextColumns(f"{entry.name} from {place}", header, _rename_classes(rows, entry))
    verify(table, entry.main)
    encode(table, entry.nominal, PLAIN, entry.missing)  # text among the numbers must not reach the cache
    return table


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

    def plain(name):
        return name.casefold().translate(str.maketrans("", "", " _-."))

    dropped = set(map(plain, entry.openml.get("drop", ())))
    columns = {name: fields for name, fields in columns.items() if plain(name) not in dropped}
    if len(columns) != entry.features:
        raise DatasetError(f"{entry.name}: {place} has {counted(len(columns), 'feature')}, expected {entry.features}")
    theirs = {plain(name): fields for name, fields in columns.items()}
    ours = list(map(plain, entry.main.columns or ()))
    if len(theirs) == len(columns) and set(theirs) == set(ours):
        return [theirs[name] for name in ours]
    return list(columns.values())


def _rename_classes(rows, entry):
    """OpenML's class names as ours: listed, the same, or recognised by how many rows they have."""
    names = entry.openml.get("labels", {})
    counts = Counter(names.get(row[-1], row[-1]) for row in rows)
    ours = {count: label for label, count in entry.class_counts.items()}
    if set(counts) != set(entry.class_counts) and len(ours) == entry.classes == len(set(counts.values())):
        names = {label: ours.get(count, label) for label, count in counts.items()}
    return [(*row[:-1], names.get(row[-1], row[-1])) for row in rows]


def cache_folder() -> Path:
    """The user's folder for downloaded sets: XDG_CACHE_HOME, else the platform's habit."""
    home, usual = Path.home(), {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    local = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None
    return Path(os.environ.get("XDG_CACHE_HOME") or local or home / usual) / "freemetric"


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
    if not check or not expected.sha256 or sha256 == expected.sha256:
        return table
    try:
        downloaded = _note(path).read_text("utf-8").split()[0]
    except (OSError, ValueError, IndexError):
        downloaded = None
    if sha256 != downloaded:
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
    path, other = find(entry.main, there), find(entry.main, elsewhere)
    try:
        if path:
            read_checked(path, entry.main)
            status, detail = "present", str(path)
        elif other:
            status, detail = "copied", str(_copy(other, entry.main, target))
        elif entry.name in BUILTIN:
            status, detail = "built in", "needs no file"
        elif entry.obtainable:
            status, detail = "downloaded", str(_download_into(entry, target))
        else:
            raise DatasetError(f"{entry.name}: {entry.notes}")
        if entry.coded and not find(entry.coded, there):
            path = find(entry.coded, elsewhere)
            if path:
                _copy(path, entry.coded, target)
            else:
                detail += f"; for encoding='plain' only: {entry.coded.file} cannot be downloaded"
    except DatasetError as error:
        return Result(entry.name, "failed", str(error))
    return Result(entry.name, status, detail)


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
