"""Objects as trees of JSON values.

Null, truth values, integers, finite floats, strings and lists stand for themselves. Everything else is a dict of one
entry, whose key says what it is: ``{"tuple": [...]}``, ``{"object": ["freemetric:nca", {...}]}``.
"""

import math
from collections import UserList
from collections.abc import Iterable
from typing import Any

import numpy as np

from .arrays import KINDS, array_bytes
from .budget import Budget, extent, object_bytes
from .leaves import LEAVES, UnsupportedError, from_dtype
from .registry import BY_CLASS

DEEPEST = 64


class Encoder:
    """``encode(value)`` returns a tree; arrays of numbers are collected in ``arrays``, as npy files."""

    def __init__(self) -> None:
        self.arrays: list[bytes] = []
        self.budget = Budget()
        # id of an array: its number, and the array itself, so that the id stays its own
        self._seen: dict[int, tuple[int, np.ndarray]] = {}

    def encode(self, value: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise UnsupportedError("nested too deeply")
        if isinstance(value, UserList):  # scikit-learn before 1.8 keeps the columns of a remainder in one
            value = value.data
        kind = type(value)
        if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
            return value
        if kind is list:
            return self._items(value, depth)
        if kind is tuple:
            return {"tuple": self._items(value, depth)}
        if kind is dict:
            return {"dict": [[self._part("", k, depth), self._part(f"[{k!r}]", v, depth)] for k, v in value.items()]}
        if kind is np.ndarray:
            return self._array(value, depth)
        if isinstance(value, np.generic):
            return {"scalar": [from_dtype(value.dtype), self._part("", value.item(), depth)]}
        for name, (known, to_json, _) in LEAVES.items():
            if isinstance(value, known):
                return {name: to_json(value)}
        return {"object": self._object(value, depth)}

    def _part(self, where: str, value: Any, depth: int) -> Any:
        try:
            return self.encode(value, depth + 1)
        except UnsupportedError as problem:
            problem.where = where + problem.where
            raise

    def _items(self, values: Iterable[Any], depth: int) -> list[Any]:
        return [self._part(f"[{i}]", value, depth) for i, value in enumerate(values)]

    def _array(self, array: np.ndarray, depth: int) -> dict[str, Any]:
        dtype = from_dtype(array.dtype)
        self.budget.spend(extent(array.shape, array.itemsize))
        if array.dtype.kind not in KINDS:
            return {"objects": [dtype, list(array.shape), self._items(array.ravel().tolist(), depth)]}
        if id(array) not in self._seen:
            self._seen[id(array)] = len(self.arrays), array
            self.arrays.append(array_bytes(upright(array)))
        return {"array": [self._seen[id(array)][0], backward_axes(array)]}

    def _object(self, value: Any, depth: int) -> list[Any]:
        entry = BY_CLASS.get(type(value))
        if entry is None:
            raise UnsupportedError(described(value))
        state = dict(entry.to_state(value))
        self.budget.spend(object_bytes(state))
        if not all(type(name) is str for name in state):
            raise TypeError(f"to_state of {type(value).__name__} returned names that are no texts")
        tree = {name: self._part(f".{name}", part, depth) for name, part in state.items()}
        entry.rebuilt(state)  # what is saved can be loaded
        return [entry.tag, tree]


def backward_axes(array: np.ndarray) -> list[int]:
    """Axes that run backwards in memory. They are kept so: products of matrices depend on it in the last digit."""
    return [axis for axis, stride in enumerate(array.strides) if stride < 0]


def upright(array: np.ndarray) -> np.ndarray:
    """The same numbers with all axes forwards, in one piece, the order of the axes in memory kept."""
    return np.array(np.flip(array, tuple(backward_axes(array))), order="K")


def described(value: Any) -> str:
    """What a value is, for someone who must do without it or make its class known."""
    if callable(value) and hasattr(value, "__name__"):
        return f"a function, {value.__name__!r}"
    cls = type(value)
    named = f"of the class {cls.__module__}.{cls.__qualname__}"
    if cls.__module__ == "builtins":
        return named
    return f"{named}, which files do not know; freemetric.files.register makes a class known"
