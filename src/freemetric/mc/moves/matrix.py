"""All elements at once, without a gradient: the move of the paper's Algorithm 1."""

import numpy as np

from ..metropolis import accept
from ..state import Array, State, evaluate
from ..streams import Streams
from .base import Move, count_trials


class ProposalMove(Move):
    """A Monte Carlo step of ``n_moves`` whole-matrix proposals; subclasses say which."""

    n_moves: int | str

    def propose(self, rng: Streams, A: Array, scale: Array) -> tuple[Array, Array | float]:
        """Proposed maps (R, p, d) and the log of Hastings' ratio, (R,) or 0."""
        raise NotImplementedError

    def step(self, rng, energy, state, temperature, scale):
        A, values = state.A.copy(), state.energy.copy()
        n = count_trials(self.n_moves, energy, A)
        accepted = np.zeros(len(A))
        for _ in range(n):
            B, log_ratio = self.propose(rng, A, scale)
            trial = evaluate(energy, B)
            ok = accept(rng, temperature, trial - values, log_ratio)
            A[ok], values[ok] = B[ok], trial[ok]
            accepted += ok
        return State(A, values), accepted / n


class MatrixMove(ProposalMove):
    """Displace every element of A by step * U(-1, 1).

    Parameters
    ----------
    step_size : float, default=1.0
        Largest first displacement.
    n_moves : int, "elements" or "samples", default=1
        Trials per Monte Carlo step.
    target_acceptance : float or None, default=0.3
        The step adapts towards this acceptance during burn-in. None keeps ``step_size``.
    """

    def __init__(self, step_size=1.0, *, n_moves=1, target_acceptance=0.3):
        self.step_size = step_size
        self.n_moves = n_moves
        self.target_acceptance = target_acceptance

    def propose(self, rng: Streams, A: Array, scale: Array) -> tuple[Array, Array | float]:
        return A + scale[:, None, None] * rng.uniform(-1, 1, A.shape), 0.0
