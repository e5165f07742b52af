"""Results on disk that survive their process: a folder to write to, names for what they depend on, whole files."""

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from ..exceptions import ModelFileError
from ..files import load
from ..files.locks import release_lock, take_lock

LOCK = "lock"  # a file in every subfolder of a checkpoint


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


class Claim:
    """A subfolder of a checkpoint that one fit has to itself while it runs; a context manager.

    The name of the subfolder begins with a fingerprint of the fit: fits of other data, parameters or seeds, such as the
    folds of a cross-validation, never meet there. A lock, which ends with its process, claims it. The same fit at the
    same time takes another subfolder; the same fit after a crash finds the lock free and goes on from the results.
    At the end of the block what is empty is removed, the checkpoint's folder included.

    Parameters
    ----------
    folder : Path
        The checkpoint; made where it is missing.
    name : str
        The fingerprint.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        known = sorted(folder.glob(f"{name}-*"))  # first, for they may hold results of a fit that was killed
        for path in chain(known, (folder / f"{name}-{number}" for number in count())):
            lock = _claimed(path)
            if lock is not None:
                self.path, self._lock = path, lock
                break

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if os.name == "nt":  # where a file that is open cannot be removed
            release_lock(self._lock)
        with suppress(OSError):  # not empty, or claimed again by somebody
            if all(path.name == LOCK for path in self.path.iterdir()):
                (self.path / LOCK).unlink()
                self.path.rmdir()
                self.folder.rmdir()
        if os.name != "nt":  # while it is locked nobody else claims what is being removed
            release_lock(self._lock)


def _claimed(path: Path) -> BinaryIO | None:
    """The lock of a subfolder, which is made where it is missing; None where another fit has it."""
    while True:
        with suppress(FileNotFoundError):  # a fit that ends may remove the folder at any moment
            path.mkdir(parents=True, exist_ok=True)
            lock = take_lock(path / LOCK)
            if lock is None or _is_at(lock, path / LOCK):
                return lock
            release_lock(lock)  # of a file that was removed before it was locked


def _is_at(file: BinaryIO, path: Path) -> bool:
    return path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


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
