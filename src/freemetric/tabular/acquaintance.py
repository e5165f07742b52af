"""Whether rows are those that a model has learned from, by a few numbers that a model can keep."""

from typing import Any

import numpy as np

from ..extras import require

KEPT = 256  # numbers of rows that a model keeps
BITS = 12  # of a row's number that are dropped, so that it is exact in any JSON


def remembered(frame: Any) -> list[int]:
    """The smallest of the numbers that stand for the rows: a random sample of them, the same in every file."""
    return np.unique(_numbers(frame))[:KEPT].tolist()


def share_known(frame: Any, kept: list[int]) -> float:
    """The share of rows, among those whose number would have been kept, that were."""
    numbers = _numbers(frame)
    if len(kept) == KEPT:
        numbers = numbers[numbers <= kept[-1]]
    return float(np.isin(numbers, kept).mean()) if len(numbers) and kept else 0.0


def _numbers(frame):
    hashed = require("pandas.util", "cli").hash_pandas_object(frame, index=False)
    return hashed.to_numpy() >> np.uint64(BITS)
