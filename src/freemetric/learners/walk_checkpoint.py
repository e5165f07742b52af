"""Monte Carlo walks on disk: every walk keeps its chain and what was noted of it in a file, and goes on from there."""

import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..files import save
from ..files.atomic import remove_with_drafts
from ..mc import Chain, Streams
from .kept_results import Claim, checkpoint_folder, fingerprint, whole_result
from .lowest import Lowest

SECONDS = 1.0  # between two writes


class KeptWalk(NamedTuple):
    """A walk in the middle: what its next step depends on, and what learners want to know of those made."""

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
        """The walk that was written down; ValueError where its parts do not belong together."""
        chain, maps, rows = state["chain"], state["maps"], state["rows"]
        if not isinstance(chain, Chain) or not isinstance(state["of"], str) or not isinstance(rows, dict):
            raise ValueError("a walk whose parts are not those of one")
        arrays = [maps, state["best_map"], *rows.values()]
        if not all(isinstance(array, np.ndarray) and array.dtype == np.float64 for array in arrays):
            raise ValueError("a walk whose parts are no arrays of numbers")
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
        """The walk in the file; None where there is none, or not a whole one. ValueError for one of another fit.

        Walks of one fit have as many random streams as they will have, and maps in the shape of A, their first ones:
        compiled code believes it.
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

    def write_now_and_then(self, chain: Chain, maps: list, rows: dict[str, list], best: Lowest) -> None:
        if time.monotonic() - self.written >= SECONDS:
            self.write(chain, maps, rows, best)

    def write(self, chain: Chain, maps: list, rows: dict[str, list], best: Lowest) -> None:
        save(KeptWalk(self.of, chain, maps, rows, best), self.path)
        self.written = time.monotonic()


class WalkCheckpoint:
    """A folder with a file for every walk of a fit; a context manager.

    The files lie in a subfolder that the fit claims. A block that ends without an error removes them.

    Parameters
    ----------
    folder : path-like
        Made where it is missing.
    parts : mapping
        All that the fit depends on. A fit with other ones has another subfolder.
    """

    def __init__(self, folder: str | PathLike, parts: Mapping[str, Any]) -> None:
        self.folder, self.of = checkpoint_folder(folder), fingerprint(parts)
        self.claim: Claim
        self.files: list[WalkFile] = []

    def __enter__(self) -> Self:
        self.claim = Claim(self.folder, self.of)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self.claim:
            for file in self.files if kind is None else ():
                remove_with_drafts(file.path)

    def file_of(self, replicas: NDArray[np.intp]) -> WalkFile:
        """The file of the walk of these replicas."""
        file = WalkFile(self.claim.path / f"replicas-{replicas[0]}-{replicas[-1]}.walk", self.of)
        self.files.append(file)
        return file
