"""Results on disk that survive their process: a folder to write to, names for what they depend on, whole files."""

import hashlib
import os
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import ModelFileError
from ..files import load


def checkpoint_folder(folder: str | PathLike) -> Path:
    """The folder of a parameter ``checkpoint``, made where it is missing; ValueError where it cannot be one."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ValueError(f"checkpoint={str(folder)!r} cannot be made a folder ({problem.strerror}).") from problem
    if not os.access(path, os.W_OK):
        raise ValueError(f"checkpoint={str(folder)!r} is a folder that cannot be written to.")
    return path


def remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


def fingerprint(parts: Mapping[str, Any]) -> str:
    """A name of what a result depends on."""
    total = hashlib.sha256()
    for name, part in parts.items():
        total.update(name.encode())
        total.update(_bytes(part))
    return total.hexdigest()[:40]


def whole_result(path: Path) -> Any:
    """The result in a file; None where there is none, or not a whole one."""
    try:
        return load(path) if path.exists() else None
    except ModelFileError:
        return None


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
    if hasattr(part, "to_state"):
        return _bytes(part.to_state())
    if isinstance(part, Mapping):
        return b"".join(str(name).encode() + _bytes(value) for name, value in part.items())
    if isinstance(part, list):
        return b"".join(map(_bytes, part))
    if isinstance(part, np.random.SeedSequence):
        return repr((part.entropy, part.spawn_key)).encode()
    return re.sub(r" at 0x[0-9a-f]+", "", repr(part)).encode()  # where a function lies differs between processes
