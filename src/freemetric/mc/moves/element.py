"""One matrix element at a time: the move of the paper's text, for any energy."""

import numpy as np

from ..state import Array, State, evaluate
from ..streams import Streams
from .base import Move, allowed_rise, count_trials


class ElementMove(Move):
    """Displace one random element of A by step * U(-1, 1).

    An energy with ``sweep`` does the whole Monte Carlo step itself; any other callable is called once per trial.

    Parameters
    ----------
    step_size : float, default=1.0
        Largest first displacement.
    n_moves : int, "elements" or "samples", default="elements"
        Trials per Monte Carlo step; the paper takes as many as there are samples.
    target_acceptance : float or None, default=0.3
        Every element's step adapts towards this acceptance during burn-in. None keeps ``step_size``.
    """

    def __init__(self, step_size=1.0, *, n_moves="elements", target_acceptance=0.3):
        self.step_size = step_size
        self.n_moves = n_moves
        self.target_acceptance = target_acceptance

    def start(self, rng, energy, state, temperature):
        return np.full(state.A.shape, float(self.step_size))

    def propose(self, rng: Streams, A: Array, scale: Array) -> tuple[Array, Array | float]:
        """One trial as a proposal, with the step sizes (R,) or (R, p, d), and the log of Hastings' ratio, 0."""
        R, p, d = A.shape
        at = np.arange(R), rng.integers(p, size=R), rng.integers(d, size=R)
        B = A.copy()
        B[at] += (scale[at] if scale.ndim == 3 else scale) * rng.uniform(-1, 1, R)
        return B, 0.0

    def step(self, rng, energy, state, temperature, scale):
        R, p, d = state.A.shape
        n = count_trials(self.n_moves, energy, state.A)
        rows, columns = rng.integers(p, size=(R, n)), rng.integers(d, size=(R, n))
        replica = np.arange(R)[:, None]
        deltas = scale[replica, rows, columns] * rng.uniform(-1, 1, (R, n))
        allowed = allowed_rise(rng, temperature, (R, n))
        run = energy.sweep if hasattr(energy, "sweep") else _TrialByTrial(energy, state.energy)
        A, values, accepted = run(state.A, rows, columns, deltas, allowed)
        tried, kept = np.zeros(scale.shape), np.zeros(scale.shape)
        np.add.at(tried, (replica, rows, columns), 1)
        np.add.at(kept, (replica, rows, columns), accepted)
        with np.errstate(invalid="ignore"):
            return State(A, values), kept / tried


class _TrialByTrial:
    """The sweep of an energy that can only be called."""

    def __init__(self, energy, values):
        self.energy, self.values = energy, values

    def __call__(self, A, rows, columns, deltas, allowed):
        A, values = A.copy(), self.values.copy()
        accepted = np.zeros(rows.shape, dtype=bool)
        for t in range(rows.shape[1]):
            B = A.copy()
            B[np.arange(len(A)), rows[:, t], columns[:, t]] += deltas[:, t]
            trial = evaluate(self.energy, B)
            accepted[:, t] = ok = trial - values <= allowed[:, t]
            A[ok], values[ok] = B[ok], trial[ok]
        return A, values, accepted
