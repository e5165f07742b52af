"""A Monte Carlo run as a learner sees it: the trace, and the best state."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..forking import effective_n_threads
from ..mc import Chain, Info, Sampler, State, Streams
from .base import one_blas_thread, tell
from .fitting import FitSteps, Lowest, keeping_the_best
from .kept_results import WalkCheckpoint, WalkFile

MOST_SNAPSHOTS = 60
TRACED = ("temperature", "energy", "acceptance")


class Walk:
    """Runs a sampler to its end and remembers what learners need of it.

    An interrupt from the keyboard passes, unless ``keeps_best`` and ``keep_interrupted_fits`` asks for the best so far:
    the walk, and those that begin after it, then end early.
    """

    def __init__(self, name: str, verbose: bool = False, steps: FitSteps | None = None, keeps_best: bool = True):
        self.name, self.verbose, self.steps, self.keeps_best = name, verbose, steps, keeps_best
        self.best = Lowest()
        self.state: State | None = None
        self._rows: dict[str, list] = {name: [] for name in TRACED}
        self._maps: list[NDArray] = []

    def run(
        self,
        sampler: Sampler,
        rng: np.random.Generator | Streams,
        energy: Any,
        A: NDArray,
        file: WalkFile | None = None,
    ) -> "Walk":
        """Make all steps from the maps A (R, p, d), or as many as the callbacks want.

        A walk with a file goes on from what is there, and keeps itself in it.
        """
        self._maps, is_over = [A[0].copy()], False
        with one_blas_thread(), keeping_the_best(self.name, self.best) if self.keeps_best else nullcontext():
            run = sampler.iterate(rng, energy, A) if file is None else self._resumed(sampler, rng, energy, A, file)
            for state, info in run:
                self._note(state, info)
                if self.steps is not None and self.steps.made(len(state.A)):
                    break
            is_over = True
        if not is_over and self.steps is not None:
            self.steps.stop()
        return self

    def _resumed(self, sampler, rng, energy, A, file) -> Iterator[tuple[State, Info]]:
        """The steps of the chain in the file, or of a new one, each with those before it kept."""
        noted = file.read(Streams.of(rng, len(A)), A)
        if noted is None:
            chain: Chain = sampler.begin(rng, energy, A)
        else:
            chain = noted.chain
            self._maps, self._rows, self.best, self.state = noted.maps, noted.rows, noted.best, chain.state
            if self.steps is not None:
                self.steps.made(chain.step * len(A))
        while not sampler.ended(chain):
            chain, info = sampler.advance(chain, energy)
            yield chain.state, info
            file.write_now_and_then(chain, self._maps, self._rows, self.best)
        file.write(chain, self._maps, self._rows, self.best)

    @property
    def trace(self) -> dict[str, NDArray]:
        """Arrays (n_steps, R) of temperature, energy and acceptance."""
        return {name: np.array(rows) for name, rows in self._rows.items()}

    @property
    def snapshots(self) -> dict[str, NDArray]:
        """The first replica along the walk: "step" (n,), 0 being the start, and "map" (n, p, d); at most 60 of them."""
        steps = np.unique(np.linspace(0, len(self._maps) - 1, MOST_SNAPSHOTS).round().astype(int))
        return {"step": steps, "map": np.array([self._maps[step] for step in steps])}

    def _note(self, state, info):
        self.state = state
        self._maps.append(state.A[0].copy())
        r = int(np.argmin(state.energy))
        self.best.offer(state.energy[r], state.A[r])
        for name, values in zip(TRACED, (info.temperature, state.energy, info.acceptance), strict=True):
            self._rows[name].append(values)
        if is_told(info.step + 1):
            tell(
                self.verbose,
                "%s step %d: temperature %.2e, energy %.5f, lowest so far %.5f, acceptance %.2f",
                self.name,
                info.step + 1,
                info.temperature[0],
                np.mean(state.energy),
                self.best.value,
                np.mean(info.acceptance),
            )


def is_told(step: int) -> bool:
    """Whether to log a step: 1 to 10, then every tenth, from 100 on every hundredth, and so on."""
    return step % 10 ** (len(str(step)) - 1) == 0


class Walks:
    """One walk, or several that were run apart, as one."""

    def __init__(self, walks: Sequence[Walk]):
        self.walks = walks
        self.best: Lowest = min((walk.best for walk in walks), key=lambda best: best.value)
        self.replicas = np.concatenate([_last(walk).A for walk in walks])
        self.trace = side_by_side([walk.trace for walk in walks])
        self.snapshots = walks[0].snapshots


def run_replicas(
    walk_of: Callable[[], Walk],
    sampler: Sampler,
    rng: np.random.Generator,
    energy: Any,
    A: NDArray,
    n_jobs: int | None,
    checkpoint: WalkCheckpoint | None = None,
) -> Walks:
    """Run the replicas A (R, p, d), in threads where they do not depend on each other.

    ``walk_of()`` makes a new Walk. The result does not depend on the number of threads: every replica has its stream.
    """
    streams = Streams.of(rng, len(A))
    n_jobs, n_parts = effective_n_threads(n_jobs), 1
    if not getattr(sampler, "couples_replicas", True):  # a checkpoint does not ask how many threads there were
        n_parts = len(A) if checkpoint is not None else min(len(A), n_jobs)
    parts = np.array_split(np.arange(len(A)), n_parts)
    walks = [walk_of() for _ in parts]
    tasks = (
        delayed(walk.run)(
            sampler,
            Streams([streams.generators[r] for r in part]),
            energy,
            A[part],
            None if checkpoint is None else checkpoint.file_of(part),
        )
        for walk, part in zip(walks, parts, strict=True)
    )
    with one_blas_thread():
        try:
            Parallel(n_jobs=min(n_jobs, n_parts), require="sharedmem")(tasks)
        except KeyboardInterrupt:
            for walk in walks:
                if walk.steps is not None:
                    walk.steps.stop()
            raise
    return Walks(walks)


def side_by_side(traces: Sequence[dict[str, NDArray]]) -> dict[str, NDArray]:
    """Traces (n_steps, R) of several walks as one; NaN after the end of a shorter walk."""
    if not traces:
        return {}
    longest = max(len(trace["energy"]) for trace in traces)
    return {name: np.hstack([_padded(trace[name], longest) for trace in traces]) for name in TRACED}


def _padded(rows, length):
    rows = np.asarray(rows, dtype=float)
    return np.vstack([rows, np.full((length - len(rows), rows.shape[1]), np.nan)])


def _last(walk: Walk) -> State:
    if walk.state is None:
        raise ValueError("The sampler has made no step.")
    return walk.state


def steps_of(sampler: Sampler, n_replicas: int) -> int | None:
    """The most steps that so many replicas can make, None if the sampler does not say."""
    n_steps = getattr(sampler, "n_steps", None)
    return None if n_steps is None else n_steps * n_replicas
