"""Trees of JSON values as objects: of registered classes only, from data only."""

import math
from typing import Any

import numpy as np

from ..exceptions import ModelFileError
from .checks import check_hashes
from .encoder import DEEPEST, LEAVES, Budget, array_of, extent, object_bytes, to_dtype
from .registry import BY_TAG

LONGEST_TAG = 80  # letters, in messages


class Decoder:
    """``decode(tree)`` returns the object; ValueError, TypeError or KeyError where the tree is not one of ours.

    Parameters
    ----------
    arrays : list of bytes
        npy files.
    file_bytes : int
        Size of the file, which limits what its parts may take.
    """

    def __init__(self, arrays: list[bytes], file_bytes: int) -> None:
        self.tags: set[str] = set()
        self._budget = Budget(file_bytes)
        self._arrays = [array_of(content) for content in arrays]
        self._branches = {
            "tuple": self._tuple,
            "dict": self._dict,
            "array": self._array,
            "objects": self._objects,
            "scalar": self._scalar,
            "object": self._object,
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
        return self._branches[name](content, depth)

    def _tuple(self, nodes, depth):
        return tuple(self.decode(part, depth + 1) for part in nodes)

    def _dict(self, pairs, depth):
        decoded = [(self.decode(key, depth + 1), self.decode(value, depth + 1)) for key, value in pairs]
        check_hashes(key for key, _ in decoded)
        return dict(decoded)

    def _array(self, content, _):
        number, backward = content
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise ValueError(f"an array {number!r} that is not there")
        array = self._arrays[number]
        self._budget.spend(extent(array.shape, array.itemsize))  # each time: the object that gets it may copy it
        return np.flip(array, backward) if backward else array

    def _objects(self, content, depth):
        dtype, shape, nodes = content
        dtype = to_dtype(dtype)
        if dtype.kind not in "OU" or math.prod(shape) != len(nodes):
            raise ValueError(f"an array of shape {shape} and dtype {dtype} with {len(nodes)} items")
        self._budget.spend(extent(shape, dtype.itemsize))
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
        self._budget.spend(object_bytes({}))  # before its parts are made
        state = {key: self.decode(node, depth + 1) for key, node in nodes.items()}
        self._budget.spend(object_bytes(state) - object_bytes({}))
        return BY_TAG[tag].rebuilt(state)
