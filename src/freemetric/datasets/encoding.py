"""From text to numbers: rules for nominal columns and for missing values. Nothing is scaled here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from .table import DatasetError, TextColumns


def encode(
    table: TextColumns, nominal: Mapping[str, Sequence[str]], rules: Mapping[str, str], missing: str = "mode"
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode the features of a table: an array (N, d) of float64 without gaps, and the names of features.

    Columns in ``nominal`` have their values in order there, and become features by the rule in ``RULES`` that ``rules``
    names for them, or for "*". Every other column is numeric; its gaps become its mean. Gaps of a nominal column become
    its most frequent value, the first such in ``nominal``, or with ``missing="value"`` a value of their own. What fills
    a gap is taken from the whole column, the rows of a later test part included, but never from the class.
    """
    names, features = [], []
    for column, fields in zip(table.columns, table.fields, strict=True):
        if column not in nominal:
            names.append(column)
            features.append(_numbers(table, column, fields))
            continue
        fields, values = _fill(fields, list(nominal[column]), missing)
        for name, feature in RULES[rules.get(column, rules["*"])](column, np.array(fields), values):
            names.append(name)
            features.append(feature)
    return np.column_stack(features).astype(np.float64), tuple(names)


def finite_number(text: str) -> float | None:
    """The number a text stands for, or None; nan and infinity are no numbers."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _numbers(table, column, fields):
    numbers = np.array([finite_number(text) if text else np.nan for text in fields], dtype=float)
    present = np.array([bool(text) for text in fields])
    wrong = np.flatnonzero(present & np.isnan(numbers))
    if len(wrong):
        line, text = table.lines[wrong[0]], fields[wrong[0]]
        raise DatasetError(
            f"{table.source}, line {line}: {text!r} in column {column!r} is not a finite number; "
            "a missing one is an empty field"
        )
    if not present.any():
        raise DatasetError(f"{table.source}: column {column!r} has no value at all")
    numbers[~present] = numbers[present].mean()
    return numbers


def _fill(fields, values, missing):
    if "" not in fields:
        return fields, values
    if missing == "value":
        return [text or "(missing)" for text in fields], [*values, "(missing)"]
    counts = Counter(fields)
    mode = max(values, key=lambda value: counts[value])
    return [text or mode for text in fields], values


def _onehot(column, fields, values):
    observed = set(fields)
    return _declared(column, fields, [value for value in values if value in observed])


def _declared(column, fields, values):
    # of two values one column says it all; a column with one value stays, as a constant
    shown = values[1:] if len(values) == 2 else values
    return [(f"{column}={value}", fields == value) for value in shown]


def _ordinal(column, fields, values):
    return [(column, _places(fields, values) + 1)]


def _bits(column, fields, values):
    places = _places(fields, values)
    width = max(1, (len(values) - 1).bit_length())
    return [(f"{column}:{bit}", places >> bit & 1) for bit in reversed(range(width))]


def _places(fields, values):
    place = {value: number for number, value in enumerate(values)}
    return np.array([place[text] for text in fields])


RULES = {"onehot": _onehot, "declared": _declared, "ordinal": _ordinal, "bits": _bits}
