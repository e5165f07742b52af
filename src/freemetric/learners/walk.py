"""A Monte Carlo run as a learner sees it: the trace, the best state, and Ctrl-C as an early end."""

import warnings
from contextlib import contextmanager

import numpy as np

from ..exceptions import InterruptedFitWarning
from .base import one_blas_thread, tell

MOST_SNAPSHOTS = 60


class Walk:
    """Runs a sampler to its end and remembers what learners need of it."""

    def __init__(self, name, verbose=False, steps=None):
        self.name, self.verbose, self.steps = name, verbose, steps
        self.best, self.lowest, self.state = None, np.inf, None
        self._rows = {"temperature": [], "energy": [], "acceptance": []}
        self._maps = []

    def run(self, sampler, rng, energy, A):
        self._maps = [A[0].copy()]
        with one_blas_thread(), keeping_the_best(self.name, self):
            for state, info in sampler.iterate(rng, energy, A):
                self._note(state, info)
                if self.steps is not None and self.steps.made(len(state.A)):
                    break
        return self

    @property
    def trace(self):
        """Arrays (n_steps, R) of temperature, energy and acceptance."""
        return {name: np.array(rows) for name, rows in self._rows.items()}

    @property
    def snapshots(self):
        """The first replica along the walk: "step" (n,), 0 being the start, and "map" (n, p, d); at most 60 of them."""
        steps = np.unique(np.linspace(0, len(self._maps) - 1, MOST_SNAPSHOTS).round().astype(int))
        return {"step": steps, "map": np.array([self._maps[step] for step in steps])}

    def _note(self, state, info):
        self.state = state
        self._maps.append(state.A[0].copy())
        r = int(np.argmin(state.energy))
        if state.energy[r] < self.lowest:
            self.best, self.lowest = state.A[r].copy(), float(state.energy[r])
        for name, values in (
            ("temperature", info.temperature),
            ("energy", state.energy),
            ("acceptance", info.acceptance),
        ):
            self._rows[name].append(values)
        tell(
            self.verbose,
            "%s step %d: temperature %.2e, lowest energy %.5f, acceptance %.2f",
            self.name,
            info.step + 1,
            info.temperature[0],
            state.energy[r],
            np.mean(info.acceptance),
        )


def steps_of(sampler, n_replicas):
    """The most steps that so many replicas can make, None if the sampler does not say."""
    n_steps = getattr(sampler, "n_steps", None)
    return None if n_steps is None else n_steps * n_replicas


@contextmanager
def keeping_the_best(name, search):
    """Turn a KeyboardInterrupt into a warning if ``search.best`` holds something, else let it pass."""
    try:
        yield
    except KeyboardInterrupt:
        if search.best is None:
            raise
        warnings.warn(
            f"{name}.fit was interrupted; the best state so far is kept.", InterruptedFitWarning, stacklevel=5
        )
