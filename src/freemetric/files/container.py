"""Model files as archives: a header, a tree and arrays."""

import errno
import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..exceptions import ModelFileError
from .atomic import replacing
from .checks import require

FORMAT, VERSION = "freemetric model", 3
HEADER, TREE = "freemetric.json", "tree.json"
LARGEST_HEADER = 16 << 20
TEXTS = ("freemetric", "scikit-learn", "class")
Header = dict[str, Any]
File = str | os.PathLike | BinaryIO
"""A path, or a file object that is open in binary mode."""
PATHS = (str, os.PathLike)


def write(path: File, header: Header, contents: list[bytes]) -> None:
    """Write a model file of a header, to which format, version and checksum are added, and a JSON tree and npy files.

    An existing file is replaced at the last moment. A file object gets everything in one piece.
    """
    header = {"format": FORMAT, "version": VERSION, "arrays": len(contents) - 1, **header}
    header["sha256"] = digest(header, contents)
    if len(as_json(header)) > LARGEST_HEADER:
        raise ValueError(f"more than {LARGEST_HEADER >> 20} MB beside the model")
    members = zip([HEADER, *member_names(len(contents) - 1)], [as_json(header), *contents], strict=True)
    whole: Any = replacing(Path(path)) if isinstance(path, PATHS) else io.BytesIO()
    with whole as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content)  # without a date: the same model, the same file
        if not isinstance(path, PATHS):
            path.write(file.getvalue())


def opened_for(path: File, mode: str) -> Path | BinaryIO:
    """A path, or a file object; ModelFileError unless that is open in this mode, "rb" or "wb"."""
    if isinstance(path, PATHS):
        return Path(path)
    method, able, done = ("read", "readable", "read from") if mode == "rb" else ("write", "writable", "written to")
    is_text = hasattr(path, "encoding")  # also of the files of tempfile, which have no common base
    is_open = not getattr(path, "closed", False)
    if is_text or not is_open or not hasattr(path, method) or not getattr(path, able, lambda: True)():
        state = "a file in text mode" if is_text else f"a file that cannot be {done}"
        raise ModelFileError(f"{shown(path)}: {state if is_open else 'a closed file'}; open it with {mode!r}")
    return path


def shown(path: File) -> str:
    """The name of a file in messages."""
    if isinstance(path, PATHS):
        return str(path)
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else f"a {type(path).__name__}"


def read(path: File) -> tuple[Header, list[bytes]]:
    """Header and contents of a model file whose checksum is right."""
    with opened(path) as archive:
        header = header_of(archive)
        names = member_names(header["arrays"])
        if archive.namelist() != [HEADER, *names]:
            raise ValueError("other parts than its header says")
        contents = [archive.read(name) for name in names]
    if header.pop("sha256", None) != digest(header, contents):
        raise ValueError("its checksum is wrong")
    return header, contents


def header_of(archive: zipfile.ZipFile) -> Header:
    """The checked header of a model file."""
    require(archive.getinfo(HEADER).file_size <= LARGEST_HEADER, "a header", "of absurd size")
    header = from_json(archive.read(HEADER))
    if type(header) is not dict or header.get("format") != FORMAT:
        raise ValueError("another format")
    version, count = header.get("version"), header.get("arrays")
    if type(version) is not int or version < 1:
        raise ValueError("no format version")
    if version != VERSION:
        advice = "update freemetric" if version > VERSION else "fit the model again, or load it with that one"
        writer = f"format {version}, written by freemetric {header.get('freemetric')}"
        raise ModelFileError(f"{writer}; this freemetric reads format {VERSION}: {advice}")
    require(all(type(header.get(name)) is str for name in TEXTS), "a header", "without versions or a class")
    require(type(count) is int and 0 <= count < len(archive.namelist()), "a header", "with a wrong number of arrays")
    require(type(header.get("about")) is dict, "notes", "that are no dict")
    return header


@contextmanager
def opened(path: File) -> Iterator[zipfile.ZipFile]:
    """The archive, whose members together are no larger than the file."""
    if isinstance(path, PATHS):
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would block
            raise ModelFileError("not a file")
    with open(path, "rb") if isinstance(path, PATHS) else io.BytesIO(path.read()) as file:
        # the first member of our archives is the header; its name stands after 30 bytes
        if file.read(30 + len(HEADER))[30:] != HEADER.encode():
            raise ModelFileError("not a freemetric model")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if any(m.compress_type != zipfile.ZIP_STORED or m.file_size != m.compress_size for m in members):
                raise ValueError("compressed parts")
            size = sum(member.file_size for member in members)
            require(size <= file.seek(0, os.SEEK_END), "parts", "larger than the whole")
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
    def refuse(constant):
        raise ValueError(f"{constant} in JSON")

    return json.loads(content, parse_constant=refuse)
