"""Model files as bytes: a line, a checksum, JSON, and the numbers of all arrays.

A file begins with the line ``freemetric model 4``. There follow the SHA-256 of the rest
in 32 bytes, the length of the JSON as a little-endian integer of 8 bytes, the JSON, and
the numbers of the arrays that the JSON mentions, in its order, without gaps. Sizes in
the JSON cannot ask for more memory than the file has bytes.
"""

import json
import os
import stat
from contextlib import suppress
from glob import escape
from hashlib import sha256
from pathlib import Path
from time import time
from uuid import uuid4

from ..exceptions import (
    ModelFileAccessError,
    ModelFileError,
    ModelFileIsADirectoryError,
    ModelFileNotFoundError,
    ModelFilePermissionError,
)

FORMAT = b"freemetric model "
VERSION = 4
FIRST_LINE = FORMAT + b"%d\n" % VERSION
LENGTH_AT = len(FIRST_LINE) + 32
PATHS = (str, os.PathLike)
OLD = 3600  # seconds: no write takes so long
ACCESS_ERRORS = {
    FileNotFoundError: ModelFileNotFoundError,
    IsADirectoryError: ModelFileIsADirectoryError,
    PermissionError: ModelFilePermissionError,
}


def packed(header, numbers):
    """The bytes of a file of a JSON value and the bytes of all arrays."""
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    body = b"".join([len(text).to_bytes(8, "little"), text, *numbers])
    return FIRST_LINE + sha256(body).digest() + body


def unpacked(content):
    """The JSON value and the bytes of all arrays in the bytes of a file."""
    body = memoryview(content)[LENGTH_AT:]
    if sha256(body).digest() != content[len(FIRST_LINE) : LENGTH_AT]:
        raise ValueError("its checksum is wrong")
    end = 8 + int.from_bytes(body[:8], "little")
    if end > len(body):
        raise ValueError("its header is longer than the file")
    header = json.loads(bytes(body[8:end]).decode(), parse_constant=refuse)
    if type(header) is not dict:
        raise ValueError("its header is no object")
    return header, body[end:]


def refuse(constant):
    """ValueError for NaN and infinity, which are no JSON."""
    raise ValueError(f"{constant} in JSON")


def read(source):
    """The bytes of a model file of this format, from a path or a binary file."""
    if not isinstance(source, PATHS):
        return content_of(source)
    try:
        if not stat.S_ISREG(os.stat(source).st_mode) and not os.path.isdir(source):
            raise ModelFileError("it is no ordinary file")  # a pipe would block
        with open(source, "rb") as file:
            return content_of(file)
    except OSError as problem:
        raise access_error(problem, source, "read") from problem


def content_of(file):
    """The bytes of an open file; only of a model file all are read."""
    line = file.read(len(FIRST_LINE))
    if not isinstance(line, bytes):
        raise ModelFileError("it is open in text mode; open it with 'rb'")
    if not line.startswith(FORMAT):
        raise ModelFileError("it is no freemetric model")
    if line != FIRST_LINE:
        raise ModelFileError(f"its format is not {VERSION}, as of this freemetric")
    return line + file.read()


def write(target, content):
    """Write bytes to a path or a binary file."""
    if isinstance(target, PATHS):
        try:
            replace(Path(target), content)
        except OSError as problem:
            raise access_error(problem, target, "written") from problem
        return
    try:
        target.write(content)
    except TypeError as problem:
        message = f"{shown(target)}: it is open in text mode; open it with 'wb'"
        raise ModelFileError(message) from problem


def replace(path, content):
    """Write a file whole or not at all; an existing one is replaced in the end."""
    remove_old_drafts(path)
    draft = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def remove_old_drafts(path):
    """Remove what killed processes have left; later drafts may be at work."""
    for draft in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        with suppress(OSError):
            if time() - draft.stat().st_mtime > OLD:
                draft.unlink()


def access_error(problem, path, access):
    """The error of a model file for an error of the operating system."""
    kind = ACCESS_ERRORS.get(type(problem), ModelFileAccessError)
    error = kind(problem.errno, problem.strerror or str(problem), os.fspath(path))
    error.access = access
    return error


def shown(file):
    """The name of a path or a file object in messages."""
    if isinstance(file, PATHS):
        return os.fsdecode(file)
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"a {type(file).__name__}"
