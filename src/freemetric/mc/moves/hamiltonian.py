"""All elements at once, along the gradient: Hamiltonian Monte Carlo (Duane et al.
1987), and Langevin's with noise.
"""

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..state import Array, EnergyFunction, State, evaluate, evaluate_with_gradient, near
from ..streams import Streams
from .metropolis import Move, accept

FIRST_STEP, MOST_DOUBLINGS, MOST_HALVINGS = 4.0, 30, 6


def leapfrog(
    energy: EnergyFunction,
    A: Array,
    gradient: Array,
    velocity: Array,
    time_step: Array,
    n_leapfrog: int,
) -> tuple[Array, Array, Array, Array]:
    """Maps, energies, gradients and velocities after so many steps of Newton's
    equations.

    A map that is lost ends where it began, with a velocity of NaN. An energy may do the
    same itself: ``trajectory``.
    """
    tau = time_step[:, None, None]
    start = A
    v = velocity - tau / 2 * gradient
    values = np.empty(len(A))
    for k in range(n_leapfrog):
        B = A + tau * v
        lost = ~np.isfinite(B).all(axis=(1, 2), keepdims=True)
        A, v = np.where(lost, start, B), np.where(lost, np.nan, v)
        values, gradient = evaluate_with_gradient(energy, A)
        v = v - (tau if k < n_leapfrog - 1 else tau / 2) * gradient
    return A, values, gradient, v


class HamiltonianMove(Move):
    """Give A a random velocity, follow Newton's equations for a few leapfrog steps,
    accept or go back.

    H(A, v) = E(A) + |v|^2 / 2 with v of variance T. Leapfrog is reversible and keeps
    volumes, so accepting the change of H by Metropolis' rule leaves exp(-E / T)
    invariant. At T = 0 the replica starts from rest and is kept where it lowers E:
    descent with momentum. Needs an energy with ``value_and_grad``.

    Parameters
    ----------
    step_size : float, "auto" or "single", default="auto"
        First time step of the leapfrog. "single" doubles or halves it until a single
        step is accepted about half of the time (Hoffman and Gelman 2014), and begins
        with ``caution`` times that. "auto" also halves it until a whole trajectory is
        accepted, which costs as much as one or two of them.
    caution : float, default=1.0
        Multiple of the single step that trajectories begin with.
    n_leapfrog : int, default=5
        Gradients per trajectory.
    n_trajectories : int, default=1
        Trajectories of a Monte Carlo step, each accepted or not. They share the lists
        of neighbours of an energy that has some: fewer lists are made, and fewer
        gradients since lists do not change in between.
    jitter : float, default=0.2
        Every trajectory's time step is scaled by 1 + jitter * U(-1, 1), so that no
        orbit closes on itself.
    target_acceptance : float or None, default=0.65
        The time step adapts towards this acceptance during burn-in. None keeps
        ``step_size``.
    gain : float, default=0.15
        By how much: the logarithm of the time step changes by ``gain`` times what the
        acceptance is above the target. Short walks need larger ones.
    """

    def __init__(
        self,
        step_size="auto",
        *,
        caution=1.0,
        n_leapfrog=5,
        n_trajectories=1,
        jitter=0.2,
        target_acceptance=0.65,
        gain=0.15,
    ):
        self.step_size = step_size
        self.caution = caution
        self.n_leapfrog = n_leapfrog
        self.n_trajectories = n_trajectories
        self.jitter = jitter
        self.target_acceptance = target_acceptance
        self.gain = gain

    def start(self, rng, energy, state, temperature):
        if not hasattr(energy, "value_and_grad"):
            raise ValueError(
                "HamiltonianMove needs an energy with value_and_grad; "
                "use ElementMove or MatrixMove for this one."
            )
        for name in ("n_leapfrog", "n_trajectories"):
            # not all moves that follow gradients have trajectories
            value = getattr(self, name, 1)
            if not isinstance(value, Integral) or value < 1:
                raise ValueError(
                    f"{name} of {type(self).__name__} is a positive integer; "
                    f"got {value!r}."
                )
        if isinstance(self.step_size, Real):
            return super().start(rng, energy, state, temperature)
        if self.step_size not in ("auto", "single"):
            name = type(self).__name__
            raise ValueError(
                f"step_size of {name} is a number, 'auto' or 'single'; "
                f"got {self.step_size!r}."
            )
        return self._reasonable_step(rng, energy, state, temperature)

    def step(self, rng, energy, state, temperature, scale):
        around = near(energy, state.A)
        if around is not energy:
            # another neighbourhood than that of the last step
            energy, state = (
                around,
                State(state.A, state.energy),
            )
        state, share = self._with_gradient(energy, state), np.zeros(len(scale))
        for _ in range(self.n_trajectories):
            jitter = 1 + self.jitter * rng.uniform(-1, 1, len(scale))
            velocity = self._velocity(rng, state, temperature)
            candidate, rise = self._trajectory(
                energy, state, temperature, velocity, scale * jitter, self.n_leapfrog
            )
            ok = accept(rng, temperature, rise)
            chosen = ok[:, None, None]
            state = State(
                np.where(chosen, candidate.A, state.A),
                np.where(ok, candidate.energy, state.energy),
                np.where(chosen, candidate.gradient, state.gradient),
            )
            share += ok
        return state, share / self.n_trajectories

    def _with_gradient(self, energy, state):
        if state.gradient is not None:
            return state
        return State(state.A, *evaluate_with_gradient(energy, state.A))

    def _velocity(self, rng, state, temperature):
        """Maxwell's: normal, of variance T."""
        return np.sqrt(temperature)[:, None, None] * rng.standard_normal(state.A.shape)

    def _trajectory(self, energy, state, temperature, start, time_step, n_leapfrog):
        """Where the replicas arrive that start with these velocities, and the change of
        H on the way.
        """
        follow = getattr(energy, "trajectory", partial(leapfrog, energy))
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a diverging replica is noticed and rejected
            A, values, gradient, v = follow(
                state.A, state.gradient, start, time_step, n_leapfrog
            )
            kinetic = ((v**2 - start**2) / 2).sum(axis=(1, 2))
            # A quench has no heat bath whose momenta to balance: only the energy
            # counts.
            rise = values - state.energy + np.where(temperature > 0, kinetic, 0.0)
        lost = np.isnan(v).any(axis=(1, 2))
        return State(A, values, gradient), np.where(lost | np.isnan(rise), np.inf, rise)

    def _reasonable_step(self, rng, energy, state, temperature):
        """The first time step, see the parameter ``step_size``."""
        energy = near(energy, state.A)
        state = self._with_gradient(energy, state)
        # the same for all trials: one draw, whatever the others do
        velocity = self._velocity(rng, state, temperature)

        def accepted(step, n_leapfrog):
            _, rise = self._trajectory(
                energy, state, temperature, velocity, step, n_leapfrog
            )
            return rise <= temperature * np.log(2)

        step = np.full(len(state.A), FIRST_STEP)
        direction = np.zeros(len(state.A))
        for _ in range(MOST_DOUBLINGS):
            wanted = np.where(accepted(step, 1), 1.0, -1.0)
            direction = np.where(direction == 0, wanted, direction)
            turning = wanted != direction
            if turning.all():
                break
            step = np.where(turning, step, step * 2.0**direction)
        # twice the longest that was accepted
        step = self.caution * np.where(direction < 0, 2 * step, step)
        for _ in range(MOST_HALVINGS if self.step_size == "auto" else 0):
            fine = accepted(step, self.n_leapfrog)
            if fine.all():
                break
            step = np.where(fine, step, step / 2)
        return step


class LangevinMove(HamiltonianMove):
    """Follow Newton's equations with friction in a heat bath that corrects for the
    noise of the gradient.

    One time step h, with c = exp(-friction) what is left of the velocity and xi normal:

    A += h v / 2,  v = c v - (1 + c) / 2 h g + sqrt(T (1 - c^2)) xi,  A += h v / 2.

    There is no trial to accept, so that neither the energy nor its gradient g need be
    exact. A gradient with the error covariance V heats the walk to T + h^2 V (1 + c) /
    (4 (1 - c)). Two gradients on independent batches estimate V: their mean is used,
    half of their difference is a draw of its error, and the heat bath gives that much
    less in this direction. ``Info.acceptance`` is the share of time steps whose noise
    the bath can correct; h shrinks during burn-in until most are. What remains is the
    error of the time step, of order h^2; in a harmonic well, none. For an exact energy
    ``Info.acceptance`` is the probability with which Metropolis' rule would accept the
    error of the time steps, and h shrinks until that is large.

    Costs two gradients of batches per time step and one energy per Monte Carlo step. An
    energy without ``draw`` is exact, and costs one gradient. Velocities stay from one
    Monte Carlo step to the next; tempering draws them anew.

    Parameters
    ----------
    step_size : float or "auto", default="auto"
        First time step h. "auto" doubles or halves it until a single step is accepted
        about half of the time.
    caution : float, default=0.3
        "auto" begins with this multiple of that step: nothing is rejected here that
        went wrong.
    n_leapfrog : int, default=10
        Time steps of a Monte Carlo step.
    friction : float, default=0.1
        What a velocity loses per time step: it keeps exp(-friction) of itself. 0
        without noise is Newton's equation.
    target_acceptance : float or None, default=0.95
        Share of time steps that the heat bath shall be able to correct, or acceptance
        of their errors where the energy is exact. None keeps ``step_size``.

    References
    ----------
    T. Chen, E. Fox, C. Guestrin, Stochastic gradient Hamiltonian Monte Carlo, ICML
    2014.

    B. Leimkuhler, C. Matthews, Rational construction of stochastic numerical methods
    for molecular sampling, Applied Mathematics Research eXpress 2013 (their scheme
    ABOBA).

    D. A. Sivak, J. D. Chodera, G. E. Crooks, Using nonequilibrium fluctuation theorems
    to understand and correct errors in equilibrium and nonequilibrium simulations of
    discrete Langevin dynamics, Physical Review X 3, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import MiniBatch, NCAEnergy
    >>> from freemetric.mc import Annealing, Constant, LangevinMove
    >>> energy = MiniBatch(NCAEnergy(), 50).bind(*load_iris(return_X_y=True))
    >>> sampler = Annealing(Constant(1e-3), LangevinMove(), n_steps=20)
    >>> start = np.eye(4)[None]
    >>> for state, info in sampler.iterate(np.random.default_rng(0), energy, start):
    ...     pass
    >>> bool(state.energy[0] < energy(np.eye(4)[None])[0])
    True
    """

    gain = 0.15

    def __init__(
        self,
        step_size="auto",
        *,
        caution=0.3,
        n_leapfrog=10,
        friction=0.1,
        target_acceptance=0.95,
    ):
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
        return super().start(
            rng, batch, State(state.A, evaluate(batch, state.A)), temperature
        )

    def step(self, rng, energy, state, temperature, scale):
        A, v = state.A, state.velocity
        if v is None:
            v = self._velocity(rng, state, temperature)
        corrected = np.zeros(len(A))
        work = np.zeros(len(A))
        start = v
        with np.errstate(over="ignore", invalid="ignore"):
            # a diverging replica is noticed below
            for _ in range(self.n_leapfrog):
                A, v, heat, fits = self._time_step(
                    rng, energy, A, v, temperature, scale
                )
                work -= heat
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

    def _time_step(self, rng, energy, A, v, temperature, scale):
        """Maps and velocities after a time step, the energy (R,) that the bath gave,
        and whether it could correct for the noise.
        """
        tau = scale[:, None, None]
        keep = np.exp(-self.friction)
        bath = temperature * (1 - keep**2)
        A = A + tau / 2 * v
        gradient, error = noisy_gradient(rng, energy, np.where(np.isfinite(A), A, 0.0))
        kick = (1 + keep) / 2 * tau
        heat, fits = heat_beside(rng, bath, kick * error)
        before, v = v, keep * v - kick * gradient + heat
        # What the bath gave: between both halves of the kick.
        late, early = v + tau / 2 * gradient, before - tau / 2 * gradient
        received = (late**2 - early**2).sum(axis=(1, 2)) / 2
        return A + tau / 2 * v, v, received, fits

    def adapt(self, scale, accepted):
        # Only ever shorter: that the noise fits is no reason for larger errors of the
        # time step.
        return np.minimum(scale, super().adapt(scale, accepted))


def probability_of(work: Array, temperature: Array) -> Array:
    """How probably Metropolis' rule would accept steps that changed E + |v|^2 / 2 by so
    much more than the bath did.

    In exact time this work is zero; in time steps h it is their error. A quench has no
    bath, and nothing to accept.
    """
    warm = temperature > 0
    return np.where(
        warm,
        np.exp(
            -np.maximum(np.nan_to_num(work), 0.0) / np.where(warm, temperature, 1.0)
        ),
        1.0,
    )


def noisy_gradient(rng: Streams, energy: Any, A: Array) -> tuple[Array, Array]:
    """The gradient (R, p, d) and a draw of its error, independent of it: zero for an
    energy without batches.
    """
    if not hasattr(energy, "draw"):
        gradient = energy.value_and_grad(A)[1]
        return gradient, np.zeros_like(gradient)
    one, two = (energy.draw(rng).value_and_grad(A)[1] for _ in range(2))
    return (one + two) / 2, (one - two) / 2


def heat_beside(rng: Streams, bath: Array, noise: Array) -> tuple[Array, Array]:
    """Normal numbers (R, p, d) of covariance bath * I - noise noise^T, and whether
    there are any.

    Where noise is larger than the bath (R,), nothing is added in its direction.
    """
    xi = rng.standard_normal(noise.shape)
    size = (noise**2).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        less = np.where(size > 0, 1 - np.sqrt(np.maximum(0.0, 1 - size / bath)), 0.0)
        along = np.where(size > 0, (noise * xi).sum(axis=(1, 2)) / size, 0.0)
    heat = xi - (less * along)[:, None, None] * noise
    return np.sqrt(bath)[:, None, None] * heat, size <= bath
