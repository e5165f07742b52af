"""Download of the paper's data sets from OpenML, and what its copies do otherwise."""

import warnings
from collections import Counter

import numpy as np
from sklearn import datasets

from .datasets import DatasetError
from .encoding import TextTable
from .sources import as_text


def download(info):
    """Download a data set, with our names of columns and classes.

    Parameters
    ----------
    info : PaperDataset
        Facts about it.

    Returns
    -------
    table : TextTable
        The data set, not checked yet.
    """
    openml = info.openml
    remedy = f"Put {info.file} into a folder that FREEMETRIC_DATA names."
    if not openml or "unusable" in openml:
        reason = openml.get("unusable", "OpenML has no copy of it")
        raise DatasetError(f"{info.name}: cannot be downloaded, {reason}. {remedy}")
    source = f"OpenML {openml['name']!r} (data_id {openml['data_id']})"
    try:
        bunch = _fetched(openml["data_id"])
    except (OSError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        message = f"{info.name}: no download of {source}: {reason}. {remedy}"
        raise DatasetError(message) from problem
    columns = _our_columns(info, source, _columns_as_text(bunch, openml))
    rows = list(zip(*columns.values(), map(_label, bunch.target), strict=True))
    if openml.get("distinct"):
        rows = list(dict.fromkeys(rows))
    *fields, labels = map(list, zip(*rows, strict=True))
    columns = dict(zip(columns, fields, strict=True))
    return TextTable(f"{info.name} from {source}", columns, _our_classes(labels, info))


def _fetched(data_id):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the result is checked, or an error
        return datasets.fetch_openml(
            data_id=data_id,
            as_frame=False,
            parser="liac-arff",
        )


def _label(value):
    return as_text(float(value)) if isinstance(value, float) else str(value)


def _columns_as_text(bunch, openml):
    """Fields by column; a nominal value comes as its position among the categories."""
    categories = bunch.categories or {}
    columns = {}
    data = np.asarray(bunch.data, dtype=float)
    for name, numbers in zip(bunch.feature_names, data.T, strict=True):
        values = categories.get(name)
        gap = "" if values is None else openml.get("missing", "")
        texts = [_as_field(number, values, gap) for number in numbers.tolist()]
        columns[name] = texts
    return columns


def _as_field(number, values, gap):
    if np.isnan(number):
        return gap
    return as_text(number) if values is None else str(values[int(number)])


def _our_columns(info, source, columns):
    """Find our columns by name, or by order where OpenML names them otherwise."""
    dropped = {_plain(name) for name in info.openml.get("drop", ())}
    theirs = {_plain(name): texts for name, texts in columns.items()}
    theirs = {name: texts for name, texts in theirs.items() if name not in dropped}
    if len(theirs) != info.features:
        found = f"{len(theirs)} features, expected {info.features}"
        raise DatasetError(f"{info.name}: {source} has {found}.")
    ours = [_plain(name) for name in info.columns]
    order = ours if set(ours) == set(theirs) else list(theirs)
    fields = (theirs[name] for name in order)
    return dict(zip(info.columns, fields, strict=True))


def _plain(name):
    return name.casefold().translate(str.maketrans("", "", " _-."))


def _our_classes(labels, info):
    """Classes under our names: listed, equal, or matched by their numbers of rows."""
    names = info.openml.get("labels", {})
    labels = [names.get(label, label) for label in labels]
    counts = Counter(labels)
    ours = {count: label for label, count in info.class_counts.items()}
    are_distinct = len(ours) == len(info.class_counts) == len(set(counts.values()))
    if set(counts) == set(info.class_counts) or not are_distinct:
        return labels
    return [ours.get(counts[label], label) for label in labels]
