"""The file itself: members of a zip archive, written whole or not at all, and read with suspicion."""

import hashlib
import json
import os
import stat
import zipfile
from contextlib import contextmanager
from pathlib import Path

from ..exceptions import ModelFileError
from .atomic import replacing

FORMAT, VERSION = "freemetric model", 2
HEADER, TREE = "freemetric.json", "tree.json"
LARGEST_HEADER = 16 << 20


def write(path, header, tree, arrays):
    """Write a model file.

    Parameters
    ----------
    path : path-like
        A file that is there already is replaced, at the last moment.
    header : dict
        JSON values; format, version and checksum are added.
    tree : object
        JSON values.
    arrays : list of bytes
        npy files.
    """
    header = {"format": FORMAT, "version": VERSION, "arrays": len(arrays), **header}
    contents = [as_json(tree), *arrays]
    header["sha256"] = digest(header, contents)
    if len(as_json(header)) > LARGEST_HEADER:
        raise ValueError(f"more than {LARGEST_HEADER >> 20} MB beside the model")
    members = zip([HEADER, *member_names(len(arrays))], [as_json(header), *contents], strict=True)
    with replacing(Path(path)) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)  # without a date: the same model, the same file


def read_header(path):
    """The header of a model file, without its model."""
    with opened(path) as archive:
        return _header(archive)


def read(path):
    """Header, tree and npy files of a model file whose checksum is right."""
    with opened(path) as archive:
        header = _header(archive)
        names = member_names(header["arrays"])
        if archive.namelist() != [HEADER, *names]:
            raise ValueError("other parts than its header says")
        contents = [archive.read(name) for name in names]
    told = header.pop("sha256", None)
    if told != digest(header, contents):
        raise ValueError("its checksum is wrong")
    return header, from_json(contents[0]), contents[1:]


def _header(archive):
    if archive.getinfo(HEADER).file_size > LARGEST_HEADER:
        raise ValueError("a header of absurd size")
    header = from_json(archive.read(HEADER))
    if header["format"] != FORMAT:
        raise ValueError("another format")
    if type(header["version"]) is not int or header["version"] < 1:
        raise ValueError("no format version")
    if header["version"] != VERSION:
        advice = "update freemetric" if header["version"] > VERSION else "fit the model again, or load it with that one"
        writer = f"format {header['version']}, written by freemetric {header['freemetric']}"
        raise ModelFileError(f"{writer}; this freemetric reads format {VERSION}: {advice}")
    count = header["arrays"]
    if type(count) is not int or not 0 <= count < len(archive.namelist()):
        raise ValueError("a wrong number of arrays")
    if type(header["about"]) is not dict:
        raise ValueError("notes that are no dict")
    return header


@contextmanager
def opened(path):
    """The archive, whose members together are no larger than the file."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would be to wait for it
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


def member_names(n_arrays):
    """Everything after the header."""
    return [TREE, *(f"arrays/{i}.npy" for i in range(n_arrays))]


def digest(header, contents):
    """sha256 over the header without its checksum, and over all parts with their lengths."""
    total = hashlib.sha256()
    for content in (as_json(header), *contents):
        total.update(len(content).to_bytes(8, "big"))
        total.update(content)
    return total.hexdigest()


def as_json(value):
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def from_json(content):
    return json.loads(content, parse_constant=_refuse)


def _refuse(constant):
    raise ValueError(f"{constant} in JSON")
