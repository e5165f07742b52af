"""Results of a search that survive its process: every task that is done is a file, which a later fit finds."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...exceptions import ModelFileError
from ...files import load, save
from .sample import Replicas, ReplicaTask
from .search import Run


class Checkpoint:
    """A folder of results, one file a task, each written whole or not at all.

    The name of a file is a fingerprint of all that its result depends on: data, candidate, bags, seeds, sampler,
    energy. A fit of other data or parameters finds nothing in the folder and disturbs nothing.

    Parameters
    ----------
    folder : path-like
        Made where it is missing.
    """

    def __init__(self, folder: str | PathLike):
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise ValueError(f"checkpoint={str(folder)!r} cannot be made a folder ({problem.strerror}).") from problem
        if not os.access(self.folder, os.W_OK):
            raise ValueError(f"checkpoint={str(folder)!r} is a folder that cannot be written to.")
        self.used: list[Path] = []

    def resuming(self, run: Run) -> Run:
        """A run that does only the tasks whose results are not there yet, and keeps them."""

        def resumed(tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
            paths = [self.folder / f"{fingerprint(task)}.task" for task in tasks]
            results = [_read(path) for path in paths]
            todo = iter(run([task for task, known in zip(tasks, results, strict=True) if known is None]))
            for path, known in zip(paths, results, strict=True):
                replicas = next(todo) if known is None else known
                if known is None:
                    save(replicas, path)
                self.used.append(path)
                yield replicas
            for _ in todo:  # the run counts a task when it is asked for the next
                pass

        return resumed

    def clear(self) -> None:
        """Remove what was used; the folder too where nothing else is left in it."""
        for path in self.used:
            path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


def fingerprint(task: ReplicaTask) -> str:
    """A name of what a task depends on."""
    total = hashlib.sha256()
    for name, part in task._asdict().items():
        total.update(name.encode())
        total.update(_bytes(part))
    return total.hexdigest()[:40]


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
    if hasattr(part, "to_state"):
        return b"".join(name.encode() + _bytes(value) for name, value in part.to_state().items())
    if isinstance(part, list):
        return b"".join(map(_bytes, part))
    if isinstance(part, np.random.SeedSequence):
        return repr((part.entropy, part.spawn_key)).encode()
    return repr(part).encode()


def _read(path):
    """The result in a file; None where there is none, or not a whole one."""
    try:
        return load(path) if path.exists() else None
    except ModelFileError:
        return None
