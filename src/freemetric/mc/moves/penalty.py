"""Metropolis' rule for an energy that is known up to noise only: the penalty method."""

import numpy as np

from ..state import Array, State, evaluate
from .base import Move, accept, count_trials
from .proposals import MatrixMove


class PenaltyMove(Move):
    """Proposals of another move, accepted by differences of energy on mini-batches.

    A trial is evaluated on n batches, before and after on the same ones, which gives the mean rise D with the variance
    estimate chi^2 T^2. Metropolis' rule is applied to the rise D + T u with the penalty

    u = chi^2 / 2 + chi^4 / (4 (n + 1)) + chi^6 / (3 (n + 1) (n + 3)),

    which keeps detailed balance on average: exactly for normal noise of known variance, where u = chi^2 / 2, and nearly
    for an estimate while chi^2 is below n / 4. Without batches it is Metropolis' rule. Costs 2 n energies of batches
    per trial, and one energy per Monte Carlo step.

    Parameters
    ----------
    move : ProposalMove or ElementMove or None, default=None
        How to propose; None is ``MatrixMove()``. Its parameters count, but for the adaptation of single elements: all
        elements of a replica have one step size here.
    n_batches : int, default=8
        n, at least 3.

    References
    ----------
    D. M. Ceperley, M. Dewing, The penalty method for random walks with uncertain energies, Journal of Chemical
    Physics 110, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import MiniBatch, NCAEnergy
    >>> from freemetric.mc import Annealing, Constant, ElementMove, PenaltyMove
    >>> energy = MiniBatch(NCAEnergy(), 50).bind(*load_iris(return_X_y=True))
    >>> sampler = Annealing(Constant(1e-2), PenaltyMove(ElementMove(0.5)), n_steps=10)
    >>> for state, info in sampler.iterate(np.random.default_rng(0), energy, np.eye(4)[None]):
    ...     pass
    >>> state.A.shape
    (1, 4, 4)
    """

    def __init__(self, move=None, *, n_batches=8):
        self.move = move
        self.n_batches = n_batches

    @property
    def _move(self):
        return MatrixMove() if self.move is None else self.move

    def start(self, rng, energy, state, temperature):
        if not hasattr(self._move, "propose"):
            raise TypeError(f"PenaltyMove needs a move that proposes, such as MatrixMove; got {self.move!r}.")
        if not self.n_batches >= 3:
            raise ValueError(f"n_batches must be at least 3, to estimate the variance; got {self.n_batches}.")
        return np.full(len(state.A), float(self._move.step_size))

    def step(self, rng, energy, state, temperature, scale):
        if not (temperature > 0).all():
            raise ValueError("The penalty of noise is infinite at temperature 0; use a positive temperature.")
        A, accepted = state.A.copy(), np.zeros(len(state.A))
        n = count_trials(self._move.n_moves, energy, A)
        for _ in range(n):
            B, log_ratio = self._move.propose(rng, A, scale)
            rise, variance = self._rise(rng, energy, A, B)
            rise = rise + temperature * penalty(variance / temperature**2, self.n_batches)
            ok = accept(rng, temperature, rise, log_ratio)
            A[ok] = B[ok]
            accepted += ok
        return State(A, evaluate(energy, A)), accepted / n

    def adapt(self, scale, accepted):
        return self._move.adapt(scale, accepted)

    def _rise(self, rng, energy, A, B):
        """The mean rise of the energy from A to B, and the variance of that mean."""
        if not hasattr(energy, "draw"):
            return evaluate(energy, B) - evaluate(energy, A), np.zeros(len(A))
        batches = (energy.draw(rng) for _ in range(self.n_batches))
        rises = np.array([evaluate(batch, B) - evaluate(batch, A) for batch in batches])
        return rises.mean(axis=0), rises.var(axis=0, ddof=1) / len(rises)


def penalty(chi2: Array, n: int) -> Array:
    """What Metropolis' rule must add to a rise in units of T whose variance was estimated as chi2 from n values."""
    return chi2 / 2 + chi2**2 / (4 * (n + 1)) + chi2**3 / (3 * (n + 1) * (n + 3))
