"""All elements at once, along the gradient: Hamiltonian Monte Carlo (Duane et al. 1987)."""

from functools import partial

import numpy as np

from ..state import Array, EnergyFunction, State, evaluate_with_gradient, near
from .metropolis import Move, accept

MOST_DOUBLINGS, MOST_HALVINGS = 30, 6


def leapfrog(
    energy: EnergyFunction, A: Array, gradient: Array, velocity: Array, time_step: Array, n_leapfrog: int
) -> tuple[Array, Array, Array, Array]:
    """Maps, energies, gradients and velocities after so many steps of Newton's equations.

    A map that is lost ends where it began, with a velocity of NaN. An energy may do the same itself: ``trajectory``.
    """
    tau, start = time_step[:, None, None], A
    v, values = velocity - tau / 2 * gradient, np.empty(len(A))
    for k in range(n_leapfrog):
        B = A + tau * v
        lost = ~np.isfinite(B).all(axis=(1, 2), keepdims=True)
        A, v = np.where(lost, start, B), np.where(lost, np.nan, v)
        values, gradient = evaluate_with_gradient(energy, A)
        v = v - (tau if k < n_leapfrog - 1 else tau / 2) * gradient
    return A, values, gradient, v


class HamiltonianMove(Move):
    """Give A a random velocity, follow Newton's equations for a few leapfrog steps, accept or go back.

    H(A, v) = E(A) + |v|^2 / 2 with v of variance T. Leapfrog is reversible and keeps volumes, so accepting
    the change of H by Metropolis' rule leaves exp(-E / T) invariant. At T = 0 the replica starts from rest
    and is kept where it lowers E: descent with momentum. Needs an energy with ``value_and_grad``.

    Parameters
    ----------
    step_size : float or "auto", default="auto"
        First time step of the leapfrog. "auto" doubles or halves it until a single step is accepted about half
        of the time (Hoffman and Gelman 2014), and halves ``caution`` times that until a whole trajectory is.
    caution : float, default=1.0
        Multiple of the single step that trajectories are tried with at first.
    n_leapfrog : int, default=5
        Gradients per trajectory.
    jitter : float, default=0.2
        Every trajectory's time step is scaled by 1 + jitter * U(-1, 1), so that no orbit closes on itself.
    target_acceptance : float or None, default=0.65
        The time step adapts towards this acceptance during burn-in. None keeps ``step_size``.
    """

    gain = 0.15

    def __init__(self, step_size="auto", *, caution=1.0, n_leapfrog=5, jitter=0.2, target_acceptance=0.65):
        self.step_size = step_size
        self.caution = caution
        self.n_leapfrog = n_leapfrog
        self.jitter = jitter
        self.target_acceptance = target_acceptance

    def start(self, rng, energy, state, temperature):
        if not hasattr(energy, "value_and_grad"):
            raise ValueError(
                "HamiltonianMove needs an energy with value_and_grad; use ElementMove or MatrixMove for this one."
            )
        if self.step_size != "auto":
            return super().start(rng, energy, state, temperature)
        return self._reasonable_step(rng, energy, state, temperature)

    def step(self, rng, energy, state, temperature, scale):
        around = near(energy, state.A)
        if around is not energy:
            energy, state = around, State(state.A, state.energy)  # another neighbourhood than that of the last step
        state = self._with_gradient(energy, state)
        jitter = 1 + self.jitter * rng.uniform(-1, 1, len(scale))
        velocity = self._velocity(rng, state, temperature)
        candidate, rise = self._trajectory(energy, state, temperature, velocity, scale * jitter, self.n_leapfrog)
        ok = accept(rng, temperature, rise)
        chosen = ok[:, None, None]
        new = State(
            np.where(chosen, candidate.A, state.A),
            np.where(ok, candidate.energy, state.energy),
            np.where(chosen, candidate.gradient, state.gradient),
        )
        return new, ok.astype(float)

    def _with_gradient(self, energy, state):
        if state.gradient is not None:
            return state
        return State(state.A, *evaluate_with_gradient(energy, state.A))

    def _velocity(self, rng, state, temperature):
        """Maxwell's: normal, of variance T."""
        return np.sqrt(temperature)[:, None, None] * rng.standard_normal(state.A.shape)

    def _trajectory(self, energy, state, temperature, start, time_step, n_leapfrog):
        """Where the replicas arrive that start with these velocities, and the change of H on the way."""
        follow = getattr(energy, "trajectory", partial(leapfrog, energy))
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging replica is noticed and rejected
            A, values, gradient, v = follow(state.A, state.gradient, start, time_step, n_leapfrog)
            kinetic = ((v**2 - start**2) / 2).sum(axis=(1, 2))
            # A quench has no heat bath whose momenta to balance: only the energy counts.
            rise = values - state.energy + np.where(temperature > 0, kinetic, 0.0)
        lost = np.isnan(v).any(axis=(1, 2))
        return State(A, values, gradient), np.where(lost | np.isnan(rise), np.inf, rise)

    def _reasonable_step(self, rng, energy, state, temperature):
        """The first time step, see the parameter ``step_size``."""
        energy = near(energy, state.A)
        state = self._with_gradient(energy, state)
        velocity = self._velocity(rng, state, temperature)  # the same for all trials: one draw, whatever the others do

        def accepted(step, n_leapfrog):
            _, rise = self._trajectory(energy, state, temperature, velocity, step, n_leapfrog)
            return rise <= temperature * np.log(2)

        step, direction = np.ones(len(state.A)), np.zeros(len(state.A))
        for _ in range(MOST_DOUBLINGS):
            wanted = np.where(accepted(step, 1), 1.0, -1.0)
            direction = np.where(direction == 0, wanted, direction)
            turning = wanted != direction
            if turning.all():
                break
            step = np.where(turning, step, step * 2.0**direction)
        step = self.caution * step
        for _ in range(MOST_HALVINGS):
            fine = accepted(step, self.n_leapfrog)
            if fine.all():
                break
            step = np.where(fine, step, step / 2)
        return step
