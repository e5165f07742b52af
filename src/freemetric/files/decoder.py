"""Trees of JSON values as objects: of registered classes only, from data only."""

import math

import numpy as np

from .arrays import array_of
from .encoder import DEEPEST
from .leaves import LARGEST_TEXT, LEAVES, to_dtype
from .registry import BY_TAG


class Decoder:
    """``decode(tree)`` returns the object; ValueError, TypeError or KeyError where the tree is not one of ours."""

    def __init__(self, arrays):
        self.tags: set[str] = set()
        self._arrays = [array_of(content) for content in arrays]
        self._branches = {
            "tuple": self._tuple,
            "dict": self._dict,
            "array": self._array,
            "objects": self._objects,
            "scalar": self._scalar,
            "object": self._object,
        }

    def decode(self, node, depth=0):
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
        return {self.decode(key, depth + 1): self.decode(value, depth + 1) for key, value in pairs}

    def _array(self, content, _):
        number, backward = content
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise ValueError(f"an array {number!r} that is not there")
        return np.flip(self._arrays[number], backward) if backward else self._arrays[number]

    def _objects(self, content, depth):
        dtype, shape, nodes = content
        dtype = to_dtype(dtype)
        if dtype.kind not in "OU" or math.prod(shape) != len(nodes) or dtype.itemsize * len(nodes) > LARGEST_TEXT:
            raise ValueError(f"an array of shape {shape} and dtype {dtype} with {len(nodes)} items")
        array = np.empty(len(nodes), dtype)
        for i, node in enumerate(nodes):
            item = self.decode(node, depth + 1)
            if dtype.kind == "U" and type(item) is not str:
                raise TypeError("an array of strings with something else in it")
            array[i] = item
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
            raise ValueError(f"an object of the kind {tag!r}, which nobody has registered")
        entry = BY_TAG[tag]
        self.tags.add(tag)
        state = {key: self.decode(node, depth + 1) for key, node in nodes.items()}
        made = entry.from_state(state)
        if not set(state) <= set(entry.to_state(made)):
            raise ValueError(f"{entry.cls.__name__} with other attributes than its own")
        return made
