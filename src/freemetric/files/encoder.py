"""From objects to trees and arrays, with a budget for what a file may ask for."""

import io
import math
import re
from collections import UserList
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.lib import format as npy

from .registry import BY_CLASS

KINDS = "biufc"  # truth values, integers, floats, complex; bytes of other kinds are not safe to read


def array_bytes(array: np.ndarray) -> bytes:
    """The npy file of an array whose kind is one of KINDS."""
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def array_of(content: bytes) -> np.ndarray:
    """The array of an npy file; ValueError where it is not one of ours, before anything is allocated."""
    file = io.BytesIO(content)
    version = npy.read_magic(file)
    if version != (1, 0):  # what numpy writes for every plain array
        raise ValueError(f"npy version {version}")
    shape, _, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in KINDS:
        raise ValueError(f"an array of dtype {dtype}")
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"an array of shape {shape} in {len(content)} bytes")
    file.seek(0)
    array = npy.read_array(file, allow_pickle=False)
    # numpy counts on truth values being 0 or 1 and reads past the end of an array otherwise
    if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("truth values other than 0 and 1")
    return array


NUMPY_TYPES = "number integer floating bool_ object_ str_ float16 float32 float64 " + (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)
TYPES = {kind.__name__: kind for kind in (object, bool, int, float, str)} | {
    f"numpy.{name}": getattr(np, name) for name in NUMPY_TYPES.split()
}
"""Types that stand for a dtype among the parameters of an encoder or selector."""

NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
PLAIN_DTYPE = re.compile(r"[<>|=]?([biuf][1248]|c8|c16|U[0-9]{1,6}|O)")
NUMBERS_OF_A_STATE = 624  # of Mersenne's twister


class UnsupportedError(Exception):
    """A value that no file can hold; the encoder adds where it was found."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what, self.where = what, ""


def from_type(value: type) -> str:
    for name, known in TYPES.items():
        if known is value:
            return name
    raise UnsupportedError(f"the class {value.__name__}")


def from_dtype(value: np.dtype, lone: bool = False) -> str:
    """A dtype as a text; a lone one, which is no array's, is not of texts: arrays to come would take up its width."""
    if not PLAIN_DTYPE.fullmatch(value.str) or (lone and value.kind == "U"):
        raise UnsupportedError(f"the dtype {value}")
    return value.str


def to_dtype(text: str, lone: bool = False) -> np.dtype:
    """What ``from_dtype`` has written."""
    if not PLAIN_DTYPE.fullmatch(text) or (lone and "U" in text):
        raise ValueError(f"the dtype {text!r}")
    return np.dtype(text)


def from_slice(value: slice) -> list[int | None]:
    bounds = [value.start, value.stop, value.step]
    return [None if bound is None else int(bound) for bound in bounds]


def to_slice(bounds: list[Any]) -> slice:
    if len(bounds) != 3 or not all(bound is None or type(bound) is int for bound in bounds):
        raise ValueError("a slice of something else than integers")
    return slice(*bounds)


def from_random_state(value: np.random.RandomState) -> list[Any]:
    name, numbers, position, has_gauss, gauss = value.get_state(legacy=True)
    if name != "MT19937":
        raise UnsupportedError(f"a random state of {name}")
    return [np.asarray(numbers).tolist(), int(position), int(has_gauss), float(gauss)]


def to_random_state(state: list[Any]) -> np.random.RandomState:
    numbers, position, has_gauss, gauss = state
    # numpy does not check the position and would read behind the numbers
    if len(numbers) != NUMBERS_OF_A_STATE or not 0 <= position <= NUMBERS_OF_A_STATE or has_gauss not in (0, 1):
        raise ValueError("an impossible random state")
    words = np.array([int(number) for number in numbers], dtype=np.uint32)
    made = np.random.RandomState()
    made.set_state(("MT19937", words, int(position), int(has_gauss), float(gauss)))
    return made


LEAVES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "float": (float, repr, NOT_FINITE.__getitem__),
    "type": (type, from_type, TYPES.__getitem__),
    "dtype": (np.dtype, partial(from_dtype, lone=True), partial(to_dtype, lone=True)),
    "slice": (slice, from_slice, to_slice),
    "random_state": (np.random.RandomState, from_random_state, to_random_state),
}
"""What a leaf is called in a file, its class, and the ways there and back."""


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
