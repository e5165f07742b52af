"""Velocities that persist: a non-reversible walk along the gradient."""

import numpy as np

from ..state import State, near
from .hamiltonian import HamiltonianMove, leapfrog
from .metropolis import accept


class PersistentMove(HamiltonianMove):
    """Follow Newton's equations a short way, again and again with nearly one velocity.

    A Monte Carlo step is ``n_trajectories`` times: v = c v + sqrt(T (1 - c^2)) xi, with
    c = exp(-friction) and xi normal; then ``n_leapfrog`` steps of leapfrog, accepted by
    Metropolis' rule; where they are rejected, v turns round. Both parts leave
    exp(-(E(A) + |v|^2 / 2) / T) as it is; one after the other they are not reversible,
    so that the walk goes on in one direction where a Hamiltonian one draws another
    after every trajectory. At T = 0 it is descent with momentum, which is lost where
    the energy would rise. The first walk after an exchange of replicas draws a new v.

    Parameters
    ----------
    step_size : float, "auto" or "single", default="auto"
        First time step, as in :class:`HamiltonianMove`.
    caution : float, default=0.5
        Multiple of the single step that "auto" begins with. A rejection turns the walk
        round: they must be rare.
    n_leapfrog : int, default=1
        Gradients between two decisions.
    n_trajectories : int, default=5
        Decisions of a Monte Carlo step.
    friction : float, default=0.2
        What a velocity loses between two decisions: it keeps exp(-friction) of itself.
    target_acceptance : float or None, default=0.9
        The time step adapts towards this acceptance during burn-in. None keeps
        ``step_size``.
    gain : float, default=0.15
        By how much, as in :class:`HamiltonianMove`.

    References
    ----------
    A. M. Horowitz, A generalized guided Monte Carlo algorithm, Physics Letters B 268,
    1991.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> from freemetric.mc import Annealing, Constant, PersistentMove
    >>> energy = NCAEnergy().bind(*load_iris(return_X_y=True))
    >>> sampler = Annealing(Constant(1e-3), PersistentMove(), n_steps=20)
    >>> start = np.eye(4)[None]
    >>> for state, info in sampler.iterate(np.random.default_rng(0), energy, start):
    ...     pass
    >>> bool(state.energy[0] < energy(start)[0])
    True
    """

    def __init__(
        self,
        step_size="auto",
        *,
        caution=0.5,
        n_leapfrog=1,
        n_trajectories=5,
        friction=0.2,
        target_acceptance=0.9,
        gain=0.15,
    ):
        self.step_size = step_size
        self.caution = caution
        self.n_leapfrog = n_leapfrog
        self.n_trajectories = n_trajectories
        self.friction = friction
        self.target_acceptance = target_acceptance
        self.gain = gain

    def start(self, rng, energy, state, temperature):
        if not self.friction >= 0:
            raise ValueError(f"friction must be a number >= 0; got {self.friction}.")
        return super().start(rng, energy, state, temperature)

    def step(self, rng, energy, state, temperature, scale):
        around = near(energy, state.A)
        if around is not energy:  # another neighbourhood than that of the last step
            state = state._replace(gradient=None)
        v = state.velocity
        state = self._with_gradient(around, state)
        if v is None:
            v = self._velocity(rng, state, temperature)
        keep = np.exp(-self.friction)
        turned = np.where(temperature > 0, -1.0, 0.0)[:, None, None]
        share = np.zeros(len(scale))
        for _ in range(self.n_trajectories):
            noise = self._velocity(rng, state, temperature)
            v = keep * v + np.sqrt(1 - keep**2) * noise
            candidate, rise = self._followed(around, state, temperature, v, scale)
            ok = accept(rng, temperature, rise)
            chosen = ok[:, None, None]
            v = np.where(chosen, candidate.velocity, turned * v)
            state = State(
                np.where(chosen, candidate.A, state.A),
                np.where(ok, candidate.energy, state.energy),
                np.where(chosen, candidate.gradient, state.gradient),
                v,
            )
            share += ok
        return state, share / self.n_trajectories

    def _followed(self, energy, state, temperature, v, time_step):
        """Where the replicas arrive, and the change of E + |v|^2 / 2 on the way."""
        path = energy, state.A, state.gradient, v, time_step, self.n_leapfrog
        with np.errstate(over="ignore", invalid="ignore"):  # what diverges is rejected
            A, values, gradient, end = leapfrog(*path)
            kinetic = ((end**2 - v**2) / 2).sum(axis=(1, 2))
            rise = values - state.energy + np.where(temperature > 0, kinetic, 0.0)
        is_lost = ~np.isfinite(kinetic) | np.isnan(rise)
        return State(A, values, gradient, end), np.where(is_lost, np.inf, rise)
