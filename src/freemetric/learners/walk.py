"""A Monte Carlo run of DMLFE: its trace, its best state, and its file."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..kernels import one_blas_thread
from ..mc import Chain, Info, Sampler, State, Streams
from .descent import BestSoFar, logger

SECONDS = 1.0  # between two writes of a checkpoint
PARTS = ("A", "energy", "gradient", "velocity", "scale", "temperatures", "energies")
Observer = Callable[[State, Info], NDArray]  # a number for each replica


def observers(confinement: float) -> dict[str, Observer]:
    """What is noted after every step, by name."""

    def squared_norm(state):
        return (state.A**2).sum(axis=(1, 2))

    return {
        "temperature": lambda state, info: info.temperature,
        "energy": lambda state, info: state.energy,
        "acceptance": lambda state, info: info.acceptance,
        "confinement": lambda state, info: confinement * squared_norm(state),
        "norm": lambda state, info: np.sqrt(squared_norm(state)),
        "swaps": lambda state, info: info.swaps_with_next,
    }


class Walk:
    """Runs a sampler to its end; keeps the trace, the best state and the chain.

    Parameters
    ----------
    noted : dict of callable
        ``noted[name](state, info)`` makes a row (R,) of the trace.
    path : Path or None, default=None
        File that keeps the walk while it runs; a file that is there is resumed.
    """

    def __init__(
        self,
        noted: Mapping[str, Observer],
        path: Path | None = None,
    ) -> None:
        self.noted = noted
        self.path = path
        self.best = BestSoFar()
        self.rows: dict[str, list[NDArray]] = {name: [] for name in noted}
        self.state: State

    def run(self, sampler: Sampler, streams: Streams, energy: Any, A: NDArray) -> Self:
        """Make all steps from the maps A (R, p, d)."""
        for state, info in self._steps(sampler, streams, energy, A):
            self._note(state, info)
        return self

    def _steps(self, sampler, streams, energy, A) -> Iterator[tuple[State, Info]]:
        if self.path is None:
            yield from sampler.iterate(streams, energy, A)
            return
        if self.path.exists():
            chain = self._read()
        else:
            chain = sampler.begin(streams, energy, A)
        self.state = chain.state
        written = time.monotonic()
        while not sampler.ended(chain):
            chain, info = sampler.advance(chain, energy)
            yield chain.state, info
            if time.monotonic() - written >= SECONDS:
                self._write(chain)
                written = time.monotonic()
        self._write(chain)

    def _note(self, state, info):
        self.state = state
        r = int(np.argmin(state.energy))
        self.best.offer(state.energy[r], state.A[r])
        for name, row in self.noted.items():
            self.rows[name].append(row(state, info))
        step = info.step + 1
        if step % 10 ** (len(str(step)) - 1) == 0:  # 1, ..., 10, 20, ..., 100, 200, ...
            T = info.temperature[0]
            message = "step %d: temperature %.2e, lowest energy so far %.5f"
            logger.info(message, step, T, self.best.value)

    def _write(self, chain):
        """Write the walk, whole or not at all."""
        state = chain.to_state()
        plain = {"best_value": self.best.value}
        plain |= {name: state.pop(name) for name in ("streams", "step")}
        arrays = {f"chain_{name}": array for name, array in state.items()}
        arrays |= {f"row_{name}": np.array(rows) for name, rows in self.rows.items()}
        arrays["best_map"] = self.best.item
        present = {name: array for name, array in arrays.items() if array is not None}
        draft = self.path.with_suffix(".draft.npz")
        np.savez(draft, plain=json.dumps(plain), **present)
        os.replace(draft, self.path)

    def _read(self):
        """The chain in the file; the rest of the walk goes on from there, too."""
        with np.load(self.path) as file:
            arrays = dict(file)
        plain = json.loads(str(arrays["plain"]))
        state = {name: arrays.get(f"chain_{name}") for name in PARTS}
        self.rows = {name: list(arrays[f"row_{name}"]) for name in self.noted}
        self.best = BestSoFar(plain["best_value"], arrays["best_map"])
        return Chain.from_state(state | plain)


def walk_replicas(
    new_walk: Callable[[str], Walk],
    sampler: Sampler,
    rng: np.random.Generator,
    energy: Any,
    A: NDArray,
    n_jobs: int | None = None,
) -> list[Walk]:
    """Walk from the maps A (R, p, d), independent replicas in threads.

    ``new_walk(name)`` makes a walk. Every replica has random numbers of its own, so
    that the result does not depend on the number of threads.
    """
    streams = Streams.of(rng, len(A)).generators
    couples = getattr(sampler, "couples_replicas", True)
    parts = np.array_split(np.arange(len(A)), 1 if couples else len(A))

    def run(part):
        walk = new_walk(f"{part[0]}-{part[-1]}")
        own = Streams([streams[r] for r in part])
        return walk.run(sampler, own, energy, A[part])

    with one_blas_thread():
        return Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(run)(part) for part in parts
        )


def side_by_side(walks: list[Walk]) -> dict[str, NDArray]:
    """Traces (n_steps, R) of several walks as one; NaN after the end of a shorter."""
    longest = max(len(walk.rows["energy"]) for walk in walks)

    def padded(rows):
        missing = ((0, longest - len(rows)), (0, 0))
        return np.pad(np.array(rows, float), missing, constant_values=np.nan)

    return {
        name: np.hstack([padded(walk.rows[name]) for walk in walks])
        for name in walks[0].noted
    }
