"""A Monte Carlo run as a learner sees it: the trace, and the best state."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..forking import effective_n_threads
from ..mc import Chain, Info, Sampler, State, Streams
from .base import one_blas_thread
from .fitting import FitSteps, Lowest, keeping_the_best, tell
from .kept_results import WalkCheckpoint, WalkFile

MOST_SNAPSHOTS = 60
Observer = Callable[[State, Info], NDArray]  # a number for each replica, after every step
OBSERVERS: dict[str, Observer] = {
    "temperature": lambda state, info: info.temperature,
    "energy": lambda state, info: state.energy,
    "acceptance": lambda state, info: info.acceptance,
}


@dataclass(eq=False)
class Walk:
    """Runs a sampler to its end and keeps the trace and the best state.

    With ``keeps_best``, an interrupt inside of ``keep_interrupted_fits`` ends this walk and those that begin after it.
    ``observers`` make the columns of the trace.
    """

    name: str
    verbose: bool = False
    steps: FitSteps = field(default_factory=lambda: FitSteps(None, None, None))
    keeps_best: bool = True
    followed: int | list[int] = 0
    observers: Mapping[str, Observer] = field(default_factory=lambda: OBSERVERS)

    def __post_init__(self) -> None:
        self.best, self.state = Lowest(), cast(State | None, None)
        self._rows: dict[str, list] = {name: [] for name in self.observers}
        self._maps: list[NDArray] = []

    def run(
        self,
        sampler: Sampler,
        rng: np.random.Generator | Streams,
        energy: Any,
        A: NDArray,
        file: WalkFile | None = None,
    ) -> Self:
        """Make all steps from the maps A (R, p, d), until a callback stops; with a file, resume and keep the walk."""
        self._maps, is_over = [A[self.followed].copy()], False
        with one_blas_thread(), keeping_the_best(self.name, self.best) if self.keeps_best else nullcontext():
            run = sampler.iterate(rng, energy, A) if file is None else self._resumed(sampler, rng, energy, A, file)
            for state, info in run:
                self._note(state, info)
                if self.steps.made(len(state.A)):
                    break
            is_over = True
        if not is_over:
            self.steps.stopped = True
        return self

    def _resumed(self, sampler, rng, energy, A, file) -> Iterator[tuple[State, Info]]:
        """The steps of the chain in the file, or of a new one."""
        noted = file.read(Streams.of(rng, len(A)), A)
        if noted is None:
            chain: Chain = sampler.begin(rng, energy, A)
        else:
            chain = noted.chain
            self._maps, self._rows, self.best, self.state = noted.maps, noted.rows, noted.best, chain.state
            self.steps.made(chain.step * len(A))
        while not sampler.ended(chain):
            chain, info = sampler.advance(chain, energy)
            yield chain.state, info
            file.write(chain, self._maps, self._rows, self.best)
        file.write(chain, self._maps, self._rows, self.best, is_over=True)

    @property
    def trace(self) -> dict[str, NDArray]:
        """Arrays (n_steps, R) of what was observed: temperature, energy, acceptance and perhaps more."""
        return {name: np.array(rows) for name, rows in self._rows.items()}

    @property
    def snapshots(self) -> dict[str, NDArray]:
        """The replica that is followed: "step" (n,), 0 being the start, and "map" (n, p, d); at most 60 of them."""
        steps = np.unique(np.linspace(0, len(self._maps) - 1, MOST_SNAPSHOTS).round().astype(int))
        return {"step": steps, "map": np.array([self._maps[step] for step in steps])}

    def _note(self, state, info):
        self.state = state
        self._maps.append(state.A[self.followed].copy())
        r = int(np.argmin(state.energy))
        self.best.offer(state.energy[r], state.A[r])
        for name, observe in self.observers.items():
            self._rows[name].append(observe(state, info))
        step = info.step + 1
        if step % 10 ** (len(str(step)) - 1) == 0:  # 1 to 10, then every tenth, from 100 on every hundredth, ...
            message = "%s step %d: temperature %.2e, energy %.5f, lowest so far %.5f, acceptance %.2f"
            values = info.temperature[0], np.mean(state.energy), self.best.value, np.mean(info.acceptance)
            tell(self.verbose, message, self.name, step, *values)


class Walks:
    """Walks of R replicas, in threads if they are independent; results do not depend on the number of threads."""

    def __init__(
        self, new_walk: Callable[[], Walk], n_jobs: int | None = None, checkpoint: WalkCheckpoint | None = None
    ) -> None:
        self.new_walk, self.n_jobs, self.checkpoint = new_walk, effective_n_threads(n_jobs), checkpoint

    def run(self, sampler: Sampler, rng: np.random.Generator, energy: Any, A: NDArray) -> Self:
        """Walk from the maps A (R, p, d)."""
        streams, n_parts = Streams.of(rng, len(A)), 1
        if not getattr(sampler, "couples_replicas", True):  # a checkpoint must not depend on the number of threads
            n_parts = len(A) if self.checkpoint is not None else min(len(A), self.n_jobs)
        self.walks = [self.new_walk() for _ in range(n_parts)]

        def go(walk, part):
            file = None if self.checkpoint is None else self.checkpoint.file_of(part)
            walk.run(sampler, Streams([streams.generators[r] for r in part]), energy, A[part], file)

        parts = zip(self.walks, np.array_split(np.arange(len(A)), n_parts), strict=True)
        with one_blas_thread():
            try:
                Parallel(n_jobs=min(self.n_jobs, n_parts), require="sharedmem")(delayed(go)(*part) for part in parts)
            except KeyboardInterrupt:
                for walk in self.walks:
                    walk.steps.stopped = True
                raise
        return self

    @property
    def best(self) -> Lowest:
        return min((walk.best for walk in self.walks), key=lambda best: best.value)

    @property
    def replicas(self) -> NDArray:
        """The last maps of the replicas, (R, p, d)."""
        states = [walk.state for walk in self.walks]
        if None in states:
            raise ValueError("The sampler has made no step.")
        return np.concatenate([state.A for state in states if state is not None])

    @property
    def trace(self) -> dict[str, NDArray]:
        return side_by_side([walk.trace for walk in self.walks])


def side_by_side(traces: Sequence[dict[str, NDArray]]) -> dict[str, NDArray]:
    """Traces (n_steps, R) of several walks as one; NaN after the end of a shorter walk."""
    if not traces:
        return {}
    longest = max(len(trace["energy"]) for trace in traces)

    def padded(rows):
        return np.pad(np.asarray(rows, dtype=float), ((0, longest - len(rows)), (0, 0)), constant_values=np.nan)

    return {name: np.hstack([padded(trace[name]) for trace in traces]) for name in traces[0]}


def steps_of(sampler: Sampler, n_replicas: int) -> int | None:
    """Maximum number of steps of all replicas; None if the sampler does not have one."""
    n_steps = getattr(sampler, "n_steps", None)
    return None if n_steps is None else n_steps * n_replicas
