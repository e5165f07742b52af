"""Download of data sets from OpenML, in the registry's columns and class names."""

import warnings
from collections import Counter

import numpy as np

from ..printable import counted
from .encoding import encode
from .registry import PLAIN, DatasetInfo
from .table import DatasetError, TextColumns, as_text, verify


def download(entry: DatasetInfo) -> TextColumns:
    """Download the table of a data set from OpenML by its data_id.

    Columns, class names and the numbers of rows and classes are the registry's: that much is verified. OpenML formats
    numbers its own way, so the text is not that of the registry's sha256.
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
    table = TextColumns.from_rows(f"{entry.name} from {place}", [*(entry.main.columns or ()), "class"], rows)
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
