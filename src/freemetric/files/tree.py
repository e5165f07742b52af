"""Objects as trees of JSON values with the numbers of arrays beside them, and back.

A tree has lists and plain values as they are. Everything else is an object with one
name: "float", "tuple", "dict", "slice", "type", "dtype", "scalar", "array", "objects"
or "object".
"""

import math
import re

import numpy as np

from ..exceptions import ModelFileError

PLAIN = re.compile(r"<[iu][248]|<f[248]|\|[iu]1|\|b1|<U[0-9]{1,7}")
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
TYPES = {  # that stand for a dtype among parameters
    **{kind.__name__: kind for kind in (object, bool, int, float, str, np.number)},
    **{kind.__name__: kind for kind in (np.int32, np.int64, np.float32, np.float64)},
}
LARGEST_CHARACTER = 0x10FFFF
LARGEST = 2**60  # of integers; many larger ones may share a hash, and make dicts slow
MOST_OF_NOTHING = 1_000_000  # axis of an empty array


class Writer:
    """``tree(value, where)`` returns a tree; ``numbers`` are the bytes of all arrays.

    ``where`` is the place of the value, for messages. Arrays keep the order of their
    axes in memory, because the last digit of a product depends on it.

    Parameters
    ----------
    kept : dict
        What is kept of objects, by class.
    """

    def __init__(self, kept):
        self.numbers = []
        self._kept = kept

    def tree(self, value, where):
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return self._items(value, where)
        if type(value) is tuple:
            return {"tuple": self._items(value, where)}
        if type(value) is dict:
            pairs = [
                [self.tree(key, where), self.tree(part, f"{where}[{key!r}]")]
                for key, part in value.items()
            ]
            return {"dict": pairs}
        if type(value) is slice:
            return {"slice": self._items([value.start, value.stop, value.step], where)}
        if isinstance(value, type) and TYPES.get(value.__name__) is value:
            return {"type": value.__name__}
        if isinstance(value, np.dtype) and value.type.__name__ in TYPES:
            return {"dtype": value.type.__name__}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value), where)}
        if type(value) is np.ndarray and value.dtype.kind == "O":
            items = self._items(value.ravel().tolist(), where)
            return {"objects": [list(value.shape), items]}
        if type(value) is np.ndarray:
            return {"array": self._array(value, where)}
        return {"object": self._object(value, where)}

    def _items(self, values, where):
        return [self.tree(part, f"{where}[{i}]") for i, part in enumerate(values)]

    def _array(self, array, where):
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if not PLAIN.fullmatch(array.dtype.str):
            raise ModelFileError(f"`{where}` is an array of {array.dtype}")
        axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        stored = array.transpose(axes)
        self.numbers.append(stored.tobytes())
        return [array.dtype.str, list(stored.shape), axes]

    def _object(self, value, where):
        kept = self._kept.get(type(value))
        if kept is None:
            raise ModelFileError(f"`{where}` is {described(value)}")
        start = f"{where}." if where else ""
        state = kept.state(value).items()
        return [kept.tag, {name: self.tree(part, start + name) for name, part in state}]


def described(value):
    """What a value is that cannot be saved."""
    if isinstance(value, np.random.RandomState):
        return "a RandomState; give an integer instead"
    if callable(value) and hasattr(value, "__name__"):
        return f"a function, {value.__name__!r}"
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    return f"of the class {name}, which model files do not know"


class Reader:
    """``value(tree)`` returns the object; any error means that the tree is invalid.

    Parameters
    ----------
    kept : dict
        What is kept of objects, by tag.
    numbers : memoryview
        The bytes of all arrays, which are taken from it in the order of the tree.
    """

    def __init__(self, kept, numbers):
        self.tags = set()
        self._kept = kept
        self._numbers = numbers
        self._readers = {
            "float": NOT_FINITE.__getitem__,
            "type": TYPES.__getitem__,
            "dtype": lambda name: np.dtype(TYPES[name]),
            "tuple": lambda items: tuple(self.value(items)),
            "slice": lambda bounds: slice(*self.value(bounds)),
            "scalar": lambda content: self._array(*content)[()],
            "array": lambda content: self._array(*content),
            "dict": lambda pairs: dict(self.value(pairs)),
            "objects": lambda content: self._objects(*content),
            "object": lambda content: self._object(*content),
        }

    def value(self, tree):
        if type(tree) is list:
            return [self.value(part) for part in tree]
        if type(tree) is int and abs(tree) > LARGEST:
            raise ValueError("a number that is too large")
        if type(tree) is not dict:
            return tree
        ((kind, content),) = tree.items()
        return self._readers[kind](content)

    def read(self, tree):
        """The object of a tree that uses all numbers."""
        value = self.value(tree)
        if len(self._numbers):
            raise ValueError("more numbers than its arrays have")
        return value

    def _array(self, dtype, shape, axes):
        check_axes(shape)
        if not PLAIN.fullmatch(dtype):
            raise ValueError(f"an array of {dtype!r}")
        dtype = np.dtype(dtype)
        n_bytes = dtype.itemsize * math.prod(shape)
        if n_bytes > len(self._numbers):
            raise ValueError(f"an array of shape {shape} and too few numbers")
        content = self._numbers[:n_bytes]
        self._numbers = self._numbers[n_bytes:]
        array = np.frombuffer(content, dtype).reshape(shape).copy()
        check_bits(array)
        return array.transpose(np.argsort(axes)) if len(shape) else array

    def _objects(self, shape, items):
        check_axes(shape)
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            array[i] = self.value(item)
        return array.reshape(shape)

    def _object(self, tag, tree):
        if tag not in self._kept:
            raise ModelFileError(f"it has an object of an unknown class, {tag!r}")
        self.tags.add(tag)
        parts = {name: self.value(part) for name, part in tree.items()}
        return self._kept[tag].rebuilt(parts)


def check_axes(shape):
    """ValueError unless all lengths of axes are whole numbers that are usual.

    An empty array takes no memory, but who multiplies by its axes believes them.
    """
    is_empty = 0 in shape
    for n in shape:
        if type(n) is not int or n < 0 or (is_empty and n > MOST_OF_NOTHING):
            raise ValueError(f"an array of shape {shape}")


def check_bits(array):
    """ValueError where bits are no truth values or no characters.

    numpy relies on them, and reads behind the end of arrays otherwise.
    """
    codes = {"b": (np.uint8, 1), "U": (np.uint32, LARGEST_CHARACTER)}
    if array.dtype.kind in codes and array.size and array.dtype.itemsize:
        kind, largest = codes[array.dtype.kind]
        if np.frombuffer(array.tobytes(), kind).max() > largest:
            raise ValueError(f"an array of {array.dtype} with other bits")
