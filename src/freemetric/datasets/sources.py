"""Data sets without a file: generated, of scikit-learn, or downloaded from OpenML."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np

from ..printable import counted
from .registry import PLAIN, DatasetInfo, info
from .table import DatasetError, TextColumns, as_text, encode, verify

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


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


def iris() -> list[tuple]:
    """Anderson's irises as UCI has them."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    # scikit-learn corrected these rows after Fisher's article; the paper and the other packages use UCI's
    X[34] = X[37] = [4.9, 3.1, 1.5, 0.1]
    return _records("iris", X, y)


def wine() -> list[tuple]:
    """Forina's wines; scikit-learn's copy is UCI's."""
    from sklearn.datasets import load_wine

    return _records("wine", *load_wine(return_X_y=True))


def _records(name, X, y):
    labels = sorted(info(name).class_counts)
    return [(*row, labels[number]) for row, number in zip(X.tolist(), y, strict=True)]


BUILTIN: dict[str, Callable[[], Iterable[tuple]]] = {
    "balance": balance,
    "iris": iris,
    "tic-tac-toe": tic_tac_toe,
    "wine": wine,
}


def builtin_table(name: str) -> TextColumns:
    """The table of a data set that needs no file."""
    rows = [tuple(as_text(field) for field in row) for row in BUILTIN[name]()]
    return TextColumns.from_rows(f"built-in {name}", [*(info(name).main.columns or ()), "class"], rows)


def download(entry: DatasetInfo) -> TextColumns:
    """Download the table of a data set from OpenML, with the registry's columns and class names, and verify it.

    OpenML formats numbers its own way, so the sha256 differs from the registry's.
    """
    if entry.openml is None:
        raise DatasetError(f"{entry.name}: OpenML has no copy of it; {_remedy(entry)}")
    place = f"OpenML {entry.openml['name']!r} (data_id {entry.openml['data_id']})"
    if "unusable" in entry.openml:
        raise DatasetError(f"{entry.name}: cannot be downloaded, {entry.openml['unusable']}; {_remedy(entry)}")
    bunch = _fetch_openml(entry, place)
    if bunch.target is None:
        raise DatasetError(f"{entry.name}: {place} has no class column")
    columns = _columns(bunch, entry.openml.get("missing", ""))
    fields = _select(entry, columns, place)
    rows = list(zip(*fields, map(_label, bunch.target), strict=True))
    if entry.openml.get("distinct"):
        rows = list(dict.fromkeys(rows))
    rows = _rename_classes(rows, entry)
    table = TextColumns.from_rows(f"{entry.name} from {place}", [*(entry.main.columns or ()), "class"], rows)
    verify(table, entry.main)
    encode(table, entry.nominal, PLAIN, entry.missing)  # text among the numbers must not reach the cache
    return table


def _fetch_openml(entry, place):
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
    ours = [_plain(name) for name in entry.main.columns or ()]
    if len(theirs) == len(columns) and set(theirs) == set(ours):
        return [theirs[name] for name in ours]
    return list(columns.values())


def _plain(name):
    return name.casefold().translate(str.maketrans("", "", " _-."))


def _label(value):
    return as_text(float(value)) if isinstance(value, float | np.floating) else str(value)


def _rename_classes(rows, entry):
    """OpenML's class names as ours: listed, the same, or recognised by how many rows they have."""
    names = entry.openml.get("labels", {})
    counts = Counter(names.get(row[-1], row[-1]) for row in rows)
    ours = {count: label for label, count in entry.class_counts.items()}
    if set(counts) != set(entry.class_counts) and len(ours) == entry.classes == len(set(counts.values())):
        names = {label: ours.get(count, label) for label, count in counts.items()}
    return [(*row[:-1], names.get(row[-1], row[-1])) for row in rows]
