"""The best of what a search has met, which is kept when the search is interrupted."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..exceptions import InterruptedFitWarning


class Lowest:
    """The item of the lowest value offered so far, copied; None before the first."""

    def __init__(self, value: float = np.inf, item: Any = None):
        self.value, self.item = value, item

    def offer(self, value: float, item: Any) -> bool:
        """Whether the item is better than all before; it is kept then."""
        if not value < self.value:
            return False
        self.value = float(value)
        self.item = tuple(part.copy() for part in item) if isinstance(item, tuple) else item.copy()
        return True


@contextmanager
def keeping_the_best(name: str, best: Lowest) -> Iterator[None]:
    """Turn a KeyboardInterrupt into a warning if anything was found so far, else let it pass."""
    try:
        yield
    except KeyboardInterrupt:
        if best.item is None:
            raise
        warnings.warn(
            f"{name}.fit was interrupted; the best state so far is kept.", InterruptedFitWarning, stacklevel=5
        )
