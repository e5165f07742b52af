"""Cells of typed columns, from frames, JSON and Excel: numbers, or texts and gaps."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from .notation import plain
from .table import InputError, Table, as_text, objects, quoted

GAPS = ("NAType", "NaTType")  # pandas' own, which need not be installed
NO_CELLS = (list, tuple, dict, set, frozenset, np.ndarray, complex)
NO_CELL = "which is no cell of a table; drop=[COLUMN] leaves it out"
DAY = np.timedelta64(1, "D")


def cells(values: np.ndarray, missing: Collection[str], where: str) -> np.ndarray:
    """A column of a ``Table``: float64 with NaN for a gap, or objects, each a text or None.

    Time spans are days, dates are texts in the order year, month, day, truth values are "True" and "False"; other
    values are their text. ``missing`` are texts that stand for a missing value, ``where`` begins a message.
    """
    kind = values.dtype.kind if values.ndim == 1 else "V"
    if kind in "iuf":
        return values.astype(np.float64)
    if kind == "m":
        return values / DAY
    if kind == "M":
        days, gaps = values.astype("M8[D]"), np.isnat(values)
        midnights = bool((gaps | (days == values)).all())
        texts = np.datetime_as_string(days if midnights else values.astype("M8[s]"))
        return objects(None if gap else text for text, gap in zip(texts.tolist(), gaps, strict=True))
    if kind not in "bOUST":
        raise InputError(f"{where} holds {values.dtype}, {NO_CELL}")
    unknown = {*missing, *(number for number in map(plain, missing) if np.isfinite(number))}
    found = [cell(value, where) for value in values.tolist()]
    found = [None if one in unknown else one for one in found]
    if not any(isinstance(one, str) for one in found):
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
    return objects(as_text(one) if isinstance(one, float) else one for one in found)


def typed_table(source: str, columns: Mapping[str, Any], missing: Collection[str], lines: Any) -> Table:
    """The table of columns of values; those that are numbers are numeric."""
    made = {name: cells(objects(columns[name]), missing, f"{source}: column {quoted(name)}") for name in columns}
    return Table(source, made, {name: "numeric" for name in made if made[name].dtype.kind == "f"}, lines)


def is_gap(value: Any) -> bool:
    """Whether a value is missing."""
    if value is None or type(value).__name__ in GAPS:
        return True
    return isinstance(value, float | Decimal | np.floating | np.datetime64) and bool(value != value)


def cell(value: Any, where: str) -> float | str | None:
    """A number, a text, or None for a gap."""
    if isinstance(value, str):
        return value.strip()
    if is_gap(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    if isinstance(value, timedelta | np.timedelta64):
        return float(np.timedelta64(value) / DAY)
    if isinstance(value, Real | Decimal):
        try:
            return float(value)
        except OverflowError:
            return np.inf if value == abs(value) else -np.inf
    if isinstance(value, bytes):
        try:
            return value.decode().strip()
        except UnicodeDecodeError:
            raise InputError(f"{where} holds bytes that are no text") from None
    if hasattr(value, "start_time"):  # a period, as pandas has them
        return cell(value.start_time, where)
    if isinstance(value, np.datetime64 | date):
        return str(value).removesuffix(" 00:00:00") if isinstance(value, datetime) else str(value)
    no_text = type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__
    if isinstance(value, NO_CELLS) or no_text:
        name = type(value).__name__
        raise InputError(f"{where} holds {'an' if name[0] in 'aeiou' else 'a'} {name}, {NO_CELL}")
    return str(value).strip()
