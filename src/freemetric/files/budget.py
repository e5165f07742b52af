"""How much memory a file may ask for: about in proportion to its size, however small the words that ask for it.

A few letters can name a wide array of texts, refer to a large array once more, make an object with defaults, or say
that an estimator has 2^62 features, whose names somebody will ask for. All of this is counted together, for the whole
file.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

FREE_BYTES = 1 << 20  # for the smallest files
BYTES_PER_BYTE = 100
OBJECT_BYTES = 4096  # at most about what an object takes beside its parts
NUMBERS_OF_FEATURES = ("n_features_in_", "_n_features_out")  # attributes that say how many names will be made
FEATURE_BYTES = 16  # less than a name takes, so that wide models of few numbers can be saved


class Budget:
    """Bytes that the parts of a file take.

    Parameters
    ----------
    file_bytes : int or None, default=None
        Size of the file; None where it is still being written: ``settle`` then gives it.
    """

    def __init__(self, file_bytes: int | None = None) -> None:
        self.spent = 0
        self.limit = math.inf if file_bytes is None else _limit(file_bytes)

    def spend(self, n_bytes: int) -> None:
        """Count bytes that are about to be taken; ValueError where the file is too small for them."""
        self.spent += n_bytes
        if self.spent > self.limit:
            raise ValueError("its parts would take far more memory than a file of this size may ask for")

    def settle(self, file_bytes: int) -> None:
        """ValueError where a file of this size may not ask for what was spent."""
        if self.spent > _limit(file_bytes):
            hint = "texts of very different lengths take less as objects"
            raise ValueError(f"it takes far more memory than its file may ask for; {hint}")


def extent(shape: Iterable[int], itemsize: int) -> int:
    """Bytes of an array; those of its longest axes, where another one is empty."""
    return itemsize * math.prod(max(n, 1) for n in shape)


def object_bytes(state: Mapping[str, Any]) -> int:
    """Bytes that an object of this state may take beside its arrays, soon or later."""
    told = [state.get(name) for name in NUMBERS_OF_FEATURES]
    n_features = sum(max(int(number), 0) for number in told if isinstance(number, int | np.integer))
    return OBJECT_BYTES + FEATURE_BYTES * n_features


def _limit(file_bytes):
    return FREE_BYTES + BYTES_PER_BYTE * file_bytes
