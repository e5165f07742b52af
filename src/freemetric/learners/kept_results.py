"""Results on disk that survive their process: claimed folders, fingerprints, and files of walks."""

import hashlib
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, count
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..exceptions import ModelFileError
from ..files import load, save
from ..files.atomic import release_lock, remove_with_drafts, take_lock
from ..mc import Chain, Streams
from .fitting import Lowest

SECONDS = 1.0  # between two writes
LOCK = "lock"  # a file in every subfolder of a checkpoint


def checkpoint_folder(folder: str | PathLike) -> Path:
    """The folder of a parameter ``checkpoint``, made if missing; ValueError if it cannot be used."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ValueError(f"checkpoint={str(folder)!r} cannot be made a folder ({problem.strerror}).") from problem
    if not os.access(path, os.W_OK):
        raise ValueError(f"checkpoint={str(folder)!r} is a folder that cannot be written to.")
    return path


class Claim:
    """A subfolder of a checkpoint that one running fit has to itself; a context manager.

    Its name begins with a fingerprint of the fit, and a lock, which ends with its process, claims it. The same fit at
    the same time takes another subfolder; after a crash it finds the lock free and resumes. Empty folders are removed
    at the end.
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

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> None:
        if os.name == "nt":  # where a file that is open cannot be removed
            release_lock(self._lock)
        with suppress(OSError):  # not empty, or claimed again
            if all(path.name == LOCK for path in self.path.iterdir()):
                (self.path / LOCK).unlink()
                self.path.rmdir()
                self.folder.rmdir()
        if os.name != "nt":  # after the removal, so that no other fit claims the folder meanwhile
            release_lock(self._lock)


def _claimed(path: Path) -> BinaryIO | None:
    """The lock of a subfolder, which is made where it is missing; None where another fit has it."""
    while True:
        with suppress(FileNotFoundError):  # a fit that ends may remove the folder at any moment
            path.mkdir(parents=True, exist_ok=True)
            place = path / LOCK
            lock = take_lock(place)
            if lock is None or (place.exists() and os.path.samestat(os.fstat(lock.fileno()), place.stat())):
                return lock
            release_lock(lock)  # of a file that was removed before it was locked


def fingerprint(parts: Mapping[str, Any]) -> str:
    """A hash of everything that a result depends on."""
    total = hashlib.sha256()
    for name, part in parts.items():
        total.update(name.encode())
        total.update(_bytes(part))
    return total.hexdigest()[:40]


def whole_result(path: Path) -> Any:
    """The result in a file; None if it is missing or incomplete."""
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
    return re.sub(r" at 0x[0-9a-f]+", "", repr(part)).encode()  # addresses differ between processes


class KeptWalk(NamedTuple):
    """A walk in the middle: its chain, and the trace and best state so far."""

    of: str  # the fingerprint of the fit
    chain: Chain
    maps: list[NDArray]  # of the first replica, the start included
    rows: dict[str, list[NDArray]]  # of the trace
    best: Lowest

    def to_state(self) -> dict[str, Any]:
        """The walk as plain arrays, texts and the chain."""
        return {
            "of": self.of,
            "chain": self.chain,
            "maps": np.array(self.maps),
            "rows": {name: np.array(rows, dtype=np.float64) for name, rows in self.rows.items()},
            "best_value": float(self.best.value),
            "best_map": self.best.item,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "KeptWalk":
        """The walk in a file; ValueError if its parts do not belong together."""
        chain, maps, rows = state["chain"], state["maps"], state["rows"]
        if not isinstance(chain, Chain) or not isinstance(state["of"], str) or not isinstance(rows, dict):
            raise ValueError("a walk whose parts are not those of one")
        arrays = [maps, state["best_map"], *rows.values()]
        if not all(isinstance(array, np.ndarray) and array.dtype == np.float64 for array in arrays):
            raise ValueError("a walk whose parts are not numeric arrays")
        R, *shape = chain.state.A.shape
        fits = maps.shape == (chain.step + 1, *shape) and state["best_map"].shape == tuple(shape)
        if not fits or any(values.shape != (chain.step, R) for values in rows.values()):
            raise ValueError("a walk whose parts do not belong together")
        best = Lowest(float(state["best_value"]), state["best_map"])
        return cls(state["of"], chain, list(maps), {name: list(values) for name, values in rows.items()}, best)


class WalkFile:
    """The file of one walk, written whole or not at all."""

    def __init__(self, path: Path, of: str) -> None:
        self.path, self.of, self.written = path, of, time.monotonic()

    def read(self, streams: Streams, A: NDArray) -> KeptWalk | None:
        """The walk in the file, or None; ValueError for one of another fit.

        The number of streams and the shape of maps are checked because compiled code relies on them.
        """
        kept = whole_result(self.path)
        if kept is None:
            return None
        is_one = isinstance(kept, KeptWalk) and kept.of == self.of and len(kept.chain.streams) == len(streams)
        if not is_one or kept.chain.state.A.shape != A.shape:
            raise ValueError(
                f"checkpoint={str(self.path.parents[1])!r}: {self.path.name} holds a fit of other data or parameters."
            )
        return kept

    def write(self, chain: Chain, maps: list, rows: dict[str, list], best: Lowest, is_over: bool = False) -> None:
        """Write the walk where it is over, or where the last time is long ago."""
        if is_over or time.monotonic() - self.written >= SECONDS:
            save(KeptWalk(self.of, chain, maps, rows, best), self.path)
            self.written = time.monotonic()


class WalkCheckpoint(Claim):
    """A claimed folder with a file for every walk of a fit; a block that ends without an error removes them."""

    def __init__(self, folder: str | PathLike, parts: Mapping[str, Any]) -> None:
        self.of, self.files = fingerprint(parts), list[WalkFile]()
        super().__init__(checkpoint_folder(folder), self.of)

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> None:
        try:
            for file in self.files if kind is None else ():
                remove_with_drafts(file.path)
        finally:
            super().__exit__(kind, *problem)

    def file_of(self, replicas: NDArray[np.intp]) -> WalkFile:
        """The file of the walk of these replicas."""
        file = WalkFile(self.path / f"replicas-{replicas[0]}-{replicas[-1]}.walk", self.of)
        self.files.append(file)
        return file
