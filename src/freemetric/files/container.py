"""Model files as containers: the archive, its header, and the decoding of its trees."""

import errno
import hashlib
import json
import math
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import ModelFileError
from .atomic import replacing
from .checks import check_hashes
from .encoder import DEEPEST, LEAVES, Budget, array_of, extent, object_bytes, to_dtype
from .registry import BY_TAG

FORMAT, VERSION = "freemetric model", 3
HEADER, TREE = "freemetric.json", "tree.json"
LARGEST_HEADER = 16 << 20
TEXTS = ("freemetric", "scikit-learn", "class")
Header = dict[str, Any]


def write(path: str | os.PathLike, header: Header, contents: list[bytes]) -> None:
    """Write a model file.

    Parameters
    ----------
    path : path-like
        A file that is there already is replaced, at the last moment.
    header : dict
        JSON values; format, version and checksum are added.
    contents : list of bytes
        The tree as JSON, then npy files.
    """
    header = {"format": FORMAT, "version": VERSION, "arrays": len(contents) - 1, **header}
    header["sha256"] = digest(header, contents)
    if len(as_json(header)) > LARGEST_HEADER:
        raise ValueError(f"more than {LARGEST_HEADER >> 20} MB beside the model")
    members = zip([HEADER, *member_names(len(contents) - 1)], [as_json(header), *contents], strict=True)
    with replacing(Path(path)) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)  # without a date: the same model, the same file


def read_header(path: str | os.PathLike) -> Header:
    """The header of a model file, without its model."""
    with opened(path) as archive:
        return _header(archive)


def read(path: str | os.PathLike) -> tuple[Header, list[bytes]]:
    """Header and contents of a model file whose checksum is right."""
    with opened(path) as archive:
        header = _header(archive)
        names = member_names(header["arrays"])
        if archive.namelist() != [HEADER, *names]:
            raise ValueError("other parts than its header says")
        contents = [archive.read(name) for name in names]
    told = header.pop("sha256", None)
    if told != digest(header, contents):
        raise ValueError("its checksum is wrong")
    return header, contents


def _header(archive):
    if archive.getinfo(HEADER).file_size > LARGEST_HEADER:
        raise ValueError("a header of absurd size")
    header = from_json(archive.read(HEADER))
    if type(header) is not dict or header.get("format") != FORMAT:
        raise ValueError("another format")
    _check_version(header)
    if not all(type(header.get(name)) is str for name in TEXTS):
        raise ValueError("a header without versions or a class")
    count = header.get("arrays")
    if type(count) is not int or not 0 <= count < len(archive.namelist()):
        raise ValueError("a wrong number of arrays")
    if type(header.get("about")) is not dict:
        raise ValueError("notes that are no dict")
    return header


def _check_version(header):
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise ValueError("no format version")
    if version != VERSION:
        advice = "update freemetric" if version > VERSION else "fit the model again, or load it with that one"
        writer = f"format {version}, written by freemetric {header.get('freemetric')}"
        raise ModelFileError(f"{writer}; this freemetric reads format {VERSION}: {advice}")


@contextmanager
def opened(path: str | os.PathLike) -> Iterator[zipfile.ZipFile]:
    """The archive, whose members together are no larger than the file."""
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
        raise ModelFileError("not a file")
    with open(path, "rb") as file:
        # the first member of our archives is the header; its name stands after 30 bytes
        if file.read(30 + len(HEADER))[30:] != HEADER.encode():
            raise ModelFileError("not a freemetric model")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if any(m.compress_type != zipfile.ZIP_STORED or m.file_size != m.compress_size for m in members):
                raise ValueError("compressed parts")
            if sum(member.file_size for member in members) > status.st_size:
                raise ValueError("parts larger than the whole")
            yield archive


def member_names(n_arrays: int) -> list[str]:
    """Everything after the header."""
    return [TREE, *(f"arrays/{i}.npy" for i in range(n_arrays))]


def digest(header: Header, contents: list[bytes]) -> str:
    """sha256 over the header without its checksum, and over all parts with their lengths."""
    total = hashlib.sha256()
    for content in (as_json(header), *contents):
        total.update(len(content).to_bytes(8, "big"))
        total.update(content)
    return total.hexdigest()


def as_json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def from_json(content: bytes) -> Any:
    return json.loads(content, parse_constant=_refuse)


def _refuse(constant):
    raise ValueError(f"{constant} in JSON")


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
