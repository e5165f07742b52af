"""Moves under energies that are noisy: along their gradients, and by other moves with a penalty."""

from typing import Any

import numpy as np

from ..state import Array, State, evaluate
from ..streams import Streams
from .hamiltonian import HamiltonianMove
from .metropolis import MatrixMove, Move, accept, count_trials


class LangevinMove(HamiltonianMove):
    """Follow Newton's equations with friction in a heat bath that corrects for the noise of the gradient.

    One time step h, with c = exp(-friction) what is left of the velocity and xi normal:

    A += h v / 2,  v = c v - (1 + c) / 2 h g + sqrt(T (1 - c^2)) xi,  A += h v / 2.

    There is no trial to accept, so that neither the energy nor its gradient g need be exact. A gradient with the error
    covariance V heats the walk to T + h^2 V (1 + c) / (4 (1 - c)). Two gradients on independent batches estimate V:
    their mean is used, half of their difference is a draw of its error, and the heat bath gives that much less in this
    direction. ``Info.acceptance`` is the share of time steps whose noise the bath can correct; h shrinks during burn-in
    until most are. What remains is the error of the time step, of order h^2; in a harmonic well, none. For an exact
    energy ``Info.acceptance`` is the probability with which Metropolis' rule would accept the error of the time steps,
    and h shrinks until that is large.

    Costs two gradients of batches per time step and one energy per Monte Carlo step. An energy without ``draw`` is
    exact, and costs one gradient. Velocities stay from one Monte Carlo step to the next; tempering draws them anew.

    Parameters
    ----------
    step_size : float or "auto", default="auto"
        First time step h. "auto" doubles or halves it until a single step is accepted about half of the time.
    caution : float, default=0.3
        "auto" begins with this multiple of that step: nothing is rejected here that went wrong.
    n_leapfrog : int, default=10
        Time steps of a Monte Carlo step.
    friction : float, default=0.1
        What a velocity loses per time step: it keeps exp(-friction) of itself. 0 without noise is Newton's equation.
    target_acceptance : float or None, default=0.95
        Share of time steps that the heat bath shall be able to correct, or acceptance of their errors where the energy
        is exact. None keeps ``step_size``.

    References
    ----------
    T. Chen, E. Fox, C. Guestrin, Stochastic gradient Hamiltonian Monte Carlo, ICML 2014.

    B. Leimkuhler, C. Matthews, Rational construction of stochastic numerical methods for molecular sampling, Applied
    Mathematics Research eXpress 2013 (their scheme ABOBA).

    D. A. Sivak, J. D. Chodera, G. E. Crooks, Using nonequilibrium fluctuation theorems to understand and correct errors
    in equilibrium and nonequilibrium simulations of discrete Langevin dynamics, Physical Review X 3, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import MiniBatch, NCAEnergy
    >>> from freemetric.mc import Annealing, Constant, LangevinMove
    >>> energy = MiniBatch(NCAEnergy(), 50).bind(*load_iris(return_X_y=True))
    >>> sampler = Annealing(Constant(1e-3), LangevinMove(), n_steps=20)
    >>> for state, info in sampler.iterate(np.random.default_rng(0), energy, np.eye(4)[None]):
    ...     pass
    >>> bool(state.energy[0] < energy(np.eye(4)[None])[0])
    True
    """

    def __init__(self, step_size="auto", *, caution=0.3, n_leapfrog=10, friction=0.1, target_acceptance=0.95):
        self.step_size = step_size
        self.caution = caution
        self.n_leapfrog = n_leapfrog
        self.friction = friction
        self.target_acceptance = target_acceptance

    def start(self, rng, energy, state, temperature):
        if not self.friction >= 0:
            raise ValueError(f"friction must be a number >= 0; got {self.friction}.")
        if not hasattr(energy, "draw"):
            return super().start(rng, energy, state, temperature)
        batch = energy.draw(rng)
        return super().start(rng, batch, State(state.A, evaluate(batch, state.A)), temperature)

    def step(self, rng, energy, state, temperature, scale):
        tau, keep = scale[:, None, None], np.exp(-self.friction)
        bath = temperature * (1 - keep**2)
        A, v = state.A, state.velocity
        if v is None:
            v = self._velocity(rng, state, temperature)
        corrected, work, start = np.zeros(len(A)), np.zeros(len(A)), v
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging replica is noticed below
            for _ in range(self.n_leapfrog):
                A = A + tau / 2 * v
                gradient, error = noisy_gradient(rng, energy, np.where(np.isfinite(A), A, 0.0))
                kick = (1 + keep) / 2 * tau
                heat, fits = heat_beside(rng, bath, kick * error)
                before, v = v, keep * v - kick * gradient + heat
                # What the bath gave: between both halves of the kick.
                work -= ((v + tau / 2 * gradient) ** 2 - (before - tau / 2 * gradient) ** 2).sum(axis=(1, 2)) / 2
                A = A + tau / 2 * v
                corrected += fits
            lost = ~np.isfinite(A).all(axis=(1, 2))
            work += ((v**2 - start**2) / 2).sum(axis=(1, 2))
        A = np.where(lost[:, None, None], state.A, A)
        v = np.where(lost[:, None, None], self._velocity(rng, state, temperature), v)
        values = evaluate(energy, A)
        share = corrected / self.n_leapfrog
        if not hasattr(energy, "draw"):
            share = probability_of(work + values - state.energy, temperature)
        return State(A, values, velocity=v), np.where(lost, 0.0, share)

    def adapt(self, scale, accepted):
        # Only ever shorter: that the noise fits is no reason for larger errors of the time step.
        return np.minimum(scale, super().adapt(scale, accepted))


def probability_of(work: Array, temperature: Array) -> Array:
    """How probably Metropolis' rule would accept steps that changed E + |v|^2 / 2 by so much more than the bath did.

    In exact time this work is zero; in time steps h it is their error. A quench has no bath, and nothing to accept.
    """
    warm = temperature > 0
    return np.where(warm, np.exp(-np.maximum(np.nan_to_num(work), 0.0) / np.where(warm, temperature, 1.0)), 1.0)


def noisy_gradient(rng: Streams, energy: Any, A: Array) -> tuple[Array, Array]:
    """The gradient (R, p, d) and a draw of its error, independent of it: zero for an energy without batches."""
    if not hasattr(energy, "draw"):
        gradient = energy.value_and_grad(A)[1]
        return gradient, np.zeros_like(gradient)
    one, two = (energy.draw(rng).value_and_grad(A)[1] for _ in range(2))
    return (one + two) / 2, (one - two) / 2


def heat_beside(rng: Streams, bath: Array, noise: Array) -> tuple[Array, Array]:
    """Normal numbers (R, p, d) of covariance bath * I - noise noise^T, and whether there are any.

    Where noise is larger than the bath (R,), nothing is added in its direction.
    """
    xi = rng.standard_normal(noise.shape)
    size = (noise**2).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        less = np.where(size > 0, 1 - np.sqrt(np.maximum(0.0, 1 - size / bath)), 0.0)
        along = np.where(size > 0, (noise * xi).sum(axis=(1, 2)) / size, 0.0)
    heat = xi - (less * along)[:, None, None] * noise
    return np.sqrt(bath)[:, None, None] * heat, size <= bath


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
