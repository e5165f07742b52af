"""How much memory a file may ask for: about in proportion to its size, however small the words that ask for it.

A few letters can name a wide array of texts, refer to a large array once more, or make an object with defaults. All of
this is counted together, for the whole file.
"""

import math
from collections.abc import Iterable

FREE_BYTES = 1 << 20  # for the smallest files
BYTES_PER_BYTE = 100
OBJECT_BYTES = 4096  # at most about what an object takes beside its parts


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


def _limit(file_bytes):
    return FREE_BYTES + BYTES_PER_BYTE * file_bytes
