"""Columns of text as numbers: the encodings of nominal values in the paper.

An encoding is a function of the name of a column, its fields and its values in order;
it returns the new features by name.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .datasets import DatasetError

MISSING = "(missing)"


@dataclass(frozen=True)
class TextTable:
    """A data set as text.

    Attributes
    ----------
    source : str
        Where it comes from; messages begin with it.
    columns : dict of list of str
        Fields of every feature by its name; an empty field is a missing value.
    labels : list of str
        Class of every row.
    """

    source: str
    columns: dict
    labels: list


def declared(name, fields, values):
    """A 0/1 feature for every value that the column may take; one feature for two."""
    shown = values[1:] if len(values) == 2 else values
    return {f"{name}={value}": fields == value for value in shown}


def onehot(name, fields, values):
    """A 0/1 feature for every value that occurs; one feature for two."""
    present = set(fields)
    return declared(name, fields, [value for value in values if value in present])


def ordinal(name, fields, values):
    """The number of the value in their order, from 1."""
    return {name: _positions(fields, values) + 1}


def bits(name, fields, values):
    """The number of the value in their order, from 0, as binary digits."""
    positions = _positions(fields, values)
    n_bits = max(1, (len(values) - 1).bit_length())
    return {f"{name}:{bit}": positions >> bit & 1 for bit in reversed(range(n_bits))}


def _positions(fields, values):
    return np.array([values.index(text) for text in fields])


ENCODINGS = {"declared": declared, "onehot": onehot, "ordinal": ordinal, "bits": bits}
"""The encodings by name."""


def encode(table, nominal, rules=None, missing="mode"):
    """Encode the features of a table as numbers without gaps; nothing is scaled.

    Missing numbers become the mean of their column. Fillers come from all rows, those
    that are tested on included, as in the paper.

    Parameters
    ----------
    table : TextTable
        The data set.
    nominal : dict of list of str
        Values of nominal columns in their order; the other columns are numeric.
    rules : dict of str or None, default=None
        Names in ``ENCODINGS`` by column, "*" for all others; "onehot" by default.
    missing : {"mode", "value"}, default="mode"
        A missing nominal value becomes the most frequent one, or a value of its own.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features, float64.
    feature_names : tuple of str
        Their names.
    """
    rules = {"*": "onehot", **(rules or {})}
    features = {}
    for name, fields in table.columns.items():
        if name not in nominal:
            features[name] = _numbers(table, name)
            continue
        filled, values = _filled(fields, list(nominal[name]), missing)
        encoding = ENCODINGS[rules.get(name, rules["*"])]
        features.update(encoding(name, np.array(filled), values))
    X = np.column_stack(list(features.values())).astype(np.float64)
    return X, tuple(features)


def _numbers(table, name):
    fields = table.columns[name]
    try:
        numbers = np.array([float(text or "nan") for text in fields])
    except ValueError as problem:
        raise DatasetError(f"{table.source}, column {name!r}: {problem}.") from None
    present = np.isfinite(numbers)
    if not present.any():
        raise DatasetError(f"{table.source}: column {name!r} has no value at all.")
    return np.where(present, numbers, numbers[present].mean())


def _filled(fields, values, missing):
    if "" not in fields:
        return fields, values
    if missing == "value":
        return [text or MISSING for text in fields], [*values, MISSING]
    counts = Counter(fields)
    mode = max(values, key=lambda value: counts[value])
    return [text or mode for text in fields], values
