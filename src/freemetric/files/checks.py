"""Checks of values from a file, with errors of one line."""

import math
import sys
from collections import Counter
from collections.abc import Hashable, Iterable
from numbers import Integral
from typing import Any

import numpy as np

from ..printable import counted

MOST_OF_ONE_HASH = 100


def check_array(
    array: Any, what: str, n_dims: int, shape: tuple[int, ...] | None = None, kinds: str = "f", finite: bool = True
) -> None:
    """ValueError unless it is an array of that shape, of numbers of those kinds."""
    if type(array) is not np.ndarray or array.ndim != n_dims or array.dtype.kind not in kinds:
        raise ValueError(f"{what} is not an array of {counted(n_dims, 'dimension')} with the right numbers")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, which does not fit the other arrays")
    if finite and "f" in kinds and not np.isfinite(array).all():
        raise ValueError(f"{what} has elements that are not finite numbers")


def check_numbers(numbers: Any, count: int, what: str) -> None:
    """ValueError unless all are integers from 0 to count - 1."""
    numbers = np.asarray(numbers)
    if numbers.size and (numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= count):
        raise ValueError(f"{what} outside 0 to {count - 1}")


def check_hashes(keys: Iterable[Hashable]) -> None:
    """ValueError if very many keys have one hash: a dict of them takes a time that grows with their square.

    Integers and floats are hashed modulo 2^61 - 1, so that an attacker can choose such keys.
    """
    shared = Counter(map(hash, keys))
    if shared and max(shared.values()) > MOST_OF_ONE_HASH:
        raise ValueError("very many keys with the same hash")


def is_number(value: Any) -> bool:
    """Whether it is a finite number within the range of floats, and no bool."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= sys.float_info.max


def is_count(value: Any) -> bool:
    """Whether it is a positive whole number, also one of numpy, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) > 0


def require(fact: Any, what: str, problem: str) -> None:
    """ValueError "what problem" unless the fact is true."""
    if not fact:
        raise ValueError(f"{what} {problem}")
