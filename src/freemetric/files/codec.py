"""Objects as trees of JSON values and npy files, and back, within a budget of memory."""

import io
import math
import re
from collections import UserList
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..exceptions import ModelFileError
from .checks import check_hashes
from .registry import BY_CLASS, BY_TAG

KINDS = "biufc"  # truth values, integers, floats, complex; bytes of other kinds are not safe to read
DEEPEST = 64
LONGEST_TAG = 80  # letters, in messages
FREE_BYTES = 1 << 20  # for the smallest files
BYTES_PER_BYTE = 100
OBJECT_BYTES = 4096  # at most about what an object takes beside its parts
NUMBERS_OF_FEATURES = ("n_features_in_", "_n_features_out")  # attributes that give the number of feature names
FEATURE_BYTES = 16  # less than a name takes, so that wide models of few numbers can be saved
WORDS_OF_A_STATE = 624  # of Mersenne's twister
NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
PLAIN_DTYPE = re.compile(r"[<>|=]?([biuf][1248]|c8|c16|U[0-9]{1,6}|O)")
NUMPY_TYPES = "number integer floating bool_ object_ str_ float16 float32 float64 " + (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)
TYPES = {kind.__name__: kind for kind in (object, bool, int, float, str)} | {
    f"numpy.{name}": getattr(np, name) for name in NUMPY_TYPES.split()
}
"""Types that stand for a dtype among the parameters of an encoder or selector."""


class UnsupportedError(Exception):
    """A value that no file can hold; the encoder adds where it was found."""

    where = ""


def from_type(value: type) -> str:
    for name, known in TYPES.items():
        if known is value:
            return name
    raise UnsupportedError(f"the class {value.__name__}")


def from_dtype(value: np.dtype, lone: bool = False) -> str:
    """A dtype as text; without an array it must not be of texts: later arrays would have its width."""
    if not PLAIN_DTYPE.fullmatch(value.str) or (lone and value.kind == "U"):
        raise UnsupportedError(f"the dtype {value}")
    return value.str


def to_dtype(text: str, lone: bool = False) -> np.dtype:
    if not PLAIN_DTYPE.fullmatch(text) or (lone and "U" in text):
        raise ValueError(f"the dtype {text!r}")
    return np.dtype(text)


def from_slice(value: slice) -> list[int | None]:
    return [None if bound is None else int(bound) for bound in (value.start, value.stop, value.step)]


def to_slice(bounds: list[Any]) -> slice:
    if len(bounds) != 3 or not all(bound is None or type(bound) is int for bound in bounds):
        raise ValueError("a slice of something else than integers")
    return slice(*bounds)


def from_random_state(value: np.random.RandomState) -> list[Any]:
    name, words, position, has_gauss, gauss = value.get_state(legacy=True)
    if name != "MT19937":
        raise UnsupportedError(f"a random state of {name}")
    return [np.asarray(words).tolist(), int(position), int(has_gauss), float(gauss)]


def to_random_state(state: list[Any]) -> np.random.RandomState:
    words, position, has_gauss, gauss = state
    # numpy does not check the position and would read behind the words
    if len(words) != WORDS_OF_A_STATE or not 0 <= position <= WORDS_OF_A_STATE or has_gauss not in (0, 1):
        raise ValueError("an impossible random state")
    made = np.random.RandomState()
    numbers = np.array([int(word) for word in words], dtype=np.uint32)
    made.set_state(("MT19937", numbers, int(position), int(has_gauss), float(gauss)))
    return made


LEAVES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "float": (float, repr, NOT_FINITE.__getitem__),
    "type": (type, from_type, TYPES.__getitem__),
    "dtype": (np.dtype, partial(from_dtype, lone=True), partial(to_dtype, lone=True)),
    "slice": (slice, from_slice, to_slice),
    "random_state": (np.random.RandomState, from_random_state, to_random_state),
}
"""Names of leaves in a file, their classes, and the functions to JSON and back."""


def limit(file_bytes: int) -> int:
    """Bytes of memory that the parts of a file of this size may take."""
    return FREE_BYTES + BYTES_PER_BYTE * file_bytes


def extent(shape: Iterable[int], itemsize: int) -> int:
    """Bytes of an array; of an empty one, those of its other axes."""
    return itemsize * math.prod(max(n, 1) for n in shape)


def object_bytes(state: Mapping[str, Any]) -> int:
    """Bytes that an object of this state may take beside its arrays, soon or later."""
    numbers = [state.get(name) for name in NUMBERS_OF_FEATURES]
    n_features = sum(max(int(number), 0) for number in numbers if isinstance(number, int | np.integer))
    return OBJECT_BYTES + FEATURE_BYTES * n_features


class Encoder:
    """``encode(value)`` returns a tree; arrays of numbers are collected in ``arrays``, as npy files."""

    def __init__(self) -> None:
        self.arrays: list[bytes] = []
        self.spent = 0  # bytes of memory
        self._seen: dict[int, tuple[int, np.ndarray]] = {}  # number and array by its id, which stays its own so

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
        self.spent += extent(array.shape, array.itemsize)
        if array.dtype.kind not in KINDS:
            return {"objects": [dtype, list(array.shape), self._items(array.ravel().tolist(), depth)]}
        # Axes that run backwards in memory stay so: products of matrices depend on it in the last digit.
        backward = [axis for axis, stride in enumerate(array.strides) if stride < 0]
        if id(array) not in self._seen:
            self._seen[id(array)] = len(self.arrays), array
            file = io.BytesIO()
            npy.write_array(file, np.array(np.flip(array, tuple(backward)), order="K"), allow_pickle=False)
            self.arrays.append(file.getvalue())
        return {"array": [self._seen[id(array)][0], backward]}

    def _object(self, value: Any, depth: int) -> list[Any]:
        entry = BY_CLASS.get(type(value))
        if entry is None:
            raise UnsupportedError(described(value))
        state = dict(entry.to_state(value))
        self.spent += object_bytes(state)
        if not all(type(name) is str for name in state):
            raise TypeError(f"to_state of {type(value).__name__} returned names that are no texts")
        tree = {name: self._part(f".{name}", part, depth) for name, part in state.items()}
        entry.rebuilt(state)  # what is saved can be loaded
        return [entry.tag, tree]


def described(value: Any) -> str:
    """Kind of a value that cannot be saved, and how to register its class."""
    if callable(value) and hasattr(value, "__name__"):
        return f"a function, {value.__name__!r}"
    cls = type(value)
    hint = ", which files do not know; freemetric.files.register makes a class known"
    return f"of the class {cls.__module__}.{cls.__qualname__}{hint * (cls.__module__ != 'builtins')}"


class Decoder:
    """``decode(tree)`` returns the object; ValueError, TypeError or KeyError if the tree is invalid.

    ``arrays`` are npy files. ``file_bytes``, the size of the file, limits the memory of the objects.
    """

    def __init__(self, arrays: list[bytes], file_bytes: int) -> None:
        self.tags: set[str] = set()
        self._left = limit(file_bytes)
        self._arrays = [array_of(content) for content in arrays]
        self._branches = {
            **{"dict": self._dict, "array": self._array, "objects": self._objects},
            **{"scalar": self._scalar, "object": self._object},
        }

    def decode(self, node: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if type(node) is list:
            return [self.decode(part, depth + 1) for part in node]
        if type(node) is not dict:
            return node
        ((name, content),) = node.items()
        if name in LEAVES:
            return LEAVES[name][2](content)
        if name == "tuple":
            return tuple(self.decode(part, depth + 1) for part in content)
        return self._branches[name](content, depth)

    def _spend(self, n_bytes: int) -> None:
        """Count bytes that are about to be taken."""
        self._left -= n_bytes
        if self._left < 0:
            raise ValueError("its parts would take far more memory than a file of this size may ask for")

    def _dict(self, pairs, depth):
        decoded = [(self.decode(key, depth + 1), self.decode(value, depth + 1)) for key, value in pairs]
        check_hashes(key for key, _ in decoded)
        return dict(decoded)

    def _array(self, content, _):
        number, backward = content
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise ValueError(f"an array {number!r} that is not there")
        array = self._arrays[number]
        self._spend(extent(array.shape, array.itemsize))  # each time: the object that gets it may copy it
        return np.flip(array, backward) if backward else array

    def _objects(self, content, depth):
        dtype, shape, nodes = content
        dtype = to_dtype(dtype)
        if dtype.kind not in "OU" or math.prod(shape) != len(nodes):
            raise ValueError(f"an array of shape {shape} and dtype {dtype} with {len(nodes)} items")
        self._spend(extent(shape, dtype.itemsize))
        array = np.empty(len(nodes), dtype)
        for i, node in enumerate(nodes):
            item = self.decode(node, depth + 1)
            if dtype.kind == "U" and type(item) is not str:
                raise TypeError("an array of strings with something else in it")
            array[i] = item
        if dtype.kind == "O":  # encoders look categories up in a dict
            check_hashes(item for item in array if isinstance(item, int | float))
        return array.reshape(shape)

    def _scalar(self, content, depth):
        dtype, node = content
        dtype, value = to_dtype(dtype), self.decode(node, depth + 1)
        if type(value) not in (bool, int, float, str):
            raise TypeError("a number that is none")
        return dtype.type(value)

    def _object(self, content, depth):
        tag, nodes = content
        if type(tag) is not str or type(nodes) is not dict:
            raise TypeError("an object without a class")
        if tag not in BY_TAG:
            unknown = f"holds an object of the kind {tag[:LONGEST_TAG]!r}, which nobody has registered"
            raise ModelFileError(f"{unknown}; import what calls freemetric.files.register for it")
        self.tags.add(tag)
        self._spend(object_bytes({}))  # before its parts are made
        state = {key: self.decode(node, depth + 1) for key, node in nodes.items()}
        self._spend(object_bytes(state) - object_bytes({}))
        return BY_TAG[tag].rebuilt(state)


def array_of(content: bytes) -> np.ndarray:
    """The array of an npy file; ValueError if it is not one of ours, before anything is allocated."""
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
