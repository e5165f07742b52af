"""Cells of columns whose values have types, as frames, JSON and Excel give them: numbers, or texts and gaps."""

from collections.abc import Collection, Mapping, Sequence
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
SECONDS_OF_A_DAY = 86400


def cells(values: np.ndarray, missing: Collection[str], where: str) -> np.ndarray:
    """A column as ``Table`` holds it: float64 with NaN for a gap, or objects, each a text or None.

    Numbers are numbers, spans of time are days, dates are texts in the order year, month, day, truth values are "True"
    and "False"; whatever else is the text that Python writes.

    ``missing`` are texts that stand for a missing value, ``where`` begins a message.
    """
    kind = values.dtype.kind if values.ndim == 1 else "V"
    if kind in "iuf":
        return values.astype(np.float64)
    if kind == "m":
        return values / DAY
    if kind == "M":
        return _dates(values)
    if kind in "bOUST":
        return _mixed([cell(value, where) for value in values.tolist()], missing)
    raise InputError(f"{where} holds {values.dtype}, {NO_CELL}")


def typed_table(
    source: str,
    columns: Mapping[str, Sequence[Any]],
    missing: Collection[str],
    lines: Sequence[int] | None = None,
    place: str | None = None,
) -> Table:
    """The table of columns of values; those that are numbers are numeric. ``place`` begins a message."""
    made = {
        name: cells(objects(column), missing, f"{place or source}: column {quoted(name)}")
        for name, column in columns.items()
    }
    return Table(source, made, {name: "numeric" for name in made if made[name].dtype.kind == "f"}, lines)


def is_gap(value: Any) -> bool:
    """Whether a value says that there is none."""
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
    if isinstance(value, timedelta | np.timedelta64 | time):
        return _days(value)
    if isinstance(value, Real | Decimal):
        return _number(value)
    if isinstance(value, bytes):
        return _decoded(value, where)
    if hasattr(value, "start_time"):  # a period, as pandas has them
        return cell(value.start_time, where)
    if isinstance(value, np.datetime64 | date):
        return str(value).removesuffix(" 00:00:00") if isinstance(value, datetime) else str(value)
    if isinstance(value, NO_CELLS) or not _has_a_text(value):
        name = type(value).__name__
        raise InputError(f"{where} holds {'an' if name[0] in 'aeiou' else 'a'} {name}, {NO_CELL}")
    return str(value).strip()


def _mixed(found: list[float | str | None], missing: Collection[str]) -> np.ndarray:
    """Numbers where there are numbers and gaps only, else texts."""
    gaps = {*missing, *(number for number in map(plain, missing) if np.isfinite(number))}
    found = [None if one in gaps else one for one in found]
    if not any(isinstance(one, str) for one in found):
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
    return objects(as_text(one) if isinstance(one, float) else one for one in found)


def _dates(values: np.ndarray) -> np.ndarray:
    """Moments as texts, without the time where all are midnights."""
    days = values.astype("M8[D]")
    whole = bool((np.isnat(values) | (days == values)).all())
    texts = np.datetime_as_string(days if whole else values.astype("M8[s]"))
    return objects(None if gap else text for text, gap in zip(texts.tolist(), np.isnat(values), strict=True))


def _days(value: timedelta | np.timedelta64 | time) -> float:
    if isinstance(value, np.timedelta64):
        return float(value / DAY)
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return value.total_seconds() / SECONDS_OF_A_DAY


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _decoded(value: bytes, where: str) -> str:
    try:
        return value.decode().strip()
    except UnicodeDecodeError:
        raise InputError(f"{where} holds bytes that are no text") from None


def _has_a_text(value: Any) -> bool:
    """Whether it says more than where it lies in memory."""
    return type(value).__str__ is not object.__str__ or type(value).__repr__ is not object.__repr__
