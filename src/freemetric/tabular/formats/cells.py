"""Columns of values that have types, as JSON and Excel give them: a float64 array or texts."""

import math
from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np

from ..table import as_text, objects

LARGEST_WHOLE = 10**300  # of numbers that surely are floats


def column_of(values: Sequence[Any], missing: Collection[str]) -> np.ndarray:
    """Numbers where every cell is one or a gap, else texts; None, NaN and what stands for a gap are gaps."""
    texts = [text_of_cell(value) for value in values]
    gaps = [text is None or text in missing for text in texts]
    if all(gap or _is_number(value) for gap, value in zip(gaps, values, strict=True)) and not all(gaps):
        return np.array([np.nan if gap else value for gap, value in zip(gaps, values, strict=True)], dtype=np.float64)
    return objects(None if gap else text for gap, text in zip(gaps, texts, strict=True))


def text_of_cell(value: Any) -> str | None:
    """A cell as a text, None for a gap."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return as_text(value)
    if isinstance(value, datetime):
        day, _, clock = value.isoformat(" ").partition(" ")
        return day if clock == "00:00:00" else f"{day} {clock}"
    return value.isoformat() if isinstance(value, date) else str(value).strip()


def _is_number(value: Any) -> bool:
    """Whether it fits a float; truth values are names."""
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_WHOLE
    return whole or isinstance(value, float)
