"""Samplers: the loop over Monte Carlo steps. Progress, traces, stopping and pictures all read its iterator."""

from collections.abc import Iterator

import numpy as np
from sklearn.base import BaseEstimator

from .metropolis import accept, check_temperature
from .moves import as_move
from .schedules import Constant
from .state import Array, EnergyFunction, Info, State, evaluate


class Sampler(BaseEstimator):
    """``iterate(rng, energy, A)`` yields (State, Info) once per Monte Carlo step.

    Step sizes adapt during the first ``burn_in`` share of the steps and are then frozen: a step size that follows
    the walk for ever breaks detailed balance.
    """

    def iterate(self, rng: np.random.Generator, energy: EnergyFunction, A: Array) -> Iterator[tuple[State, Info]]:
        raise NotImplementedError

    def _start(self, rng, energy, A, temperature):
        if not 0 <= self.burn_in <= 1:
            raise ValueError(f"burn_in is a share of the steps, in [0, 1]; got {self.burn_in}.")
        state = State(A, evaluate(energy, A))
        move = as_move(self.move)
        return move, state, move.start(rng, energy, state, temperature)

    def _adapting(self, step):
        return step < self.burn_in * self.n_steps


class Annealing(Sampler):
    """R independent replicas at the temperatures of a schedule.

    Parameters
    ----------
    schedule : Schedule, default=Constant(1e-4)
        Temperature of every step. Constant(0) makes R quenches.
    move : Move or its name, default=HamiltonianMove()
        How to propose.
    n_steps : int, default=40
        Most Monte Carlo steps.
    n_replicas : int, default=1
        Replicas that a learner starts.
    burn_in : float, default=0.7
        Share of the steps in which step sizes adapt.
    tol : float or None, default=None
        Stop when no replica's energy varied by more than this over ``window`` steps. None: never.
    window : int, default=10
        Steps that decide about convergence.
    """

    def __init__(self, schedule=None, move=None, *, n_steps=40, n_replicas=1, burn_in=0.7, tol=None, window=10):
        self.schedule = schedule
        self.move = move
        self.n_steps = n_steps
        self.n_replicas = n_replicas
        self.burn_in = burn_in
        self.tol = tol
        self.window = window

    def iterate(self, rng, energy, A):
        schedule = Constant(1e-4) if self.schedule is None else self.schedule
        temperatures: list[float] = []
        energies: list[Array] = []
        for step in range(self.n_steps):
            T = float(check_temperature(schedule(step, temperatures, energies)))
            temperature = np.full(len(A), T)
            if step == 0:
                move, state, scale = self._start(rng, energy, A, temperature)
            state, accepted = move.step(rng, energy, state, temperature, scale)
            if self._adapting(step):
                scale = move.adapt(scale, accepted)
            temperatures.append(T)
            energies.append(state.energy)
            yield state, Info(step, temperature, per_replica(accepted), self._adapting(step))
            if self._converged(energies):
                return

    def _converged(self, energies):
        if self.tol is None or len(energies) < self.window:
            return False
        return bool(np.all(np.ptp(energies[-self.window :], axis=0) <= self.tol))


class ParallelTempering(Sampler):
    """One replica per temperature; neighbours exchange their maps, so that the cold ones escape through the hot.

    A swap of replicas i and j is accepted with probability min(1, exp((1/T_i - 1/T_j) (E_i - E_j))).

    Parameters
    ----------
    temperatures : sequence of float, default=(1e-4, 3e-4, 1e-3, 3e-3)
        Ascending; the first may be zero.
    move : Move or its name, default=HamiltonianMove()
        How to propose.
    n_steps : int, default=100
        Monte Carlo steps.
    swap_every : int, default=1
        Steps between exchanges; even and odd pairs take turns.
    burn_in : float, default=0.5
        Share of the steps in which step sizes adapt. They stay with their temperature.
    """

    def __init__(self, temperatures=(1e-4, 3e-4, 1e-3, 3e-3), move=None, *, n_steps=100, swap_every=1, burn_in=0.5):
        self.temperatures = temperatures
        self.move = move
        self.n_steps = n_steps
        self.swap_every = swap_every
        self.burn_in = burn_in

    @property
    def n_replicas(self):
        return len(self.temperatures)

    def iterate(self, rng, energy, A):
        temperature = check_temperature(self.temperatures)
        if len(A) != len(temperature):
            raise ValueError(f"{len(temperature)} temperatures need as many replicas; got {len(A)}.")
        if np.any(np.diff(temperature) <= 0):
            raise ValueError(f"temperatures must ascend; got {temperature.tolist()}.")
        move, state, scale = self._start(rng, energy, A, temperature)
        for step in range(self.n_steps):
            state, accepted = move.step(rng, energy, state, temperature, scale)
            if self._adapting(step):
                scale = move.adapt(scale, accepted)
            swaps = None
            if step % self.swap_every == 0:
                state, swaps = exchange(rng, state, temperature, first=step // self.swap_every % 2)
            yield state, Info(step, temperature, per_replica(accepted), self._adapting(step), swaps)


def exchange(rng: np.random.Generator, state: State, temperature: Array, first: int) -> tuple[State, Array]:
    """Try to swap the pairs (first, first + 1), (first + 2, first + 3), ... of neighbouring temperatures."""
    cold = np.arange(first, len(temperature) - 1, 2)
    hot = cold + 1
    # Metropolis' rule for the cold replica taking the hot one's map, at 1/T = 1/T_cold - 1/T_hot.
    between = temperature[cold] * temperature[hot] / (temperature[hot] - temperature[cold])
    ok = accept(rng, between, state.energy[hot] - state.energy[cold])
    order = np.arange(len(temperature))
    order[cold[ok]], order[hot[ok]] = hot[ok], cold[ok]
    swaps = np.full(len(temperature) - 1, np.nan)
    swaps[cold] = ok
    gradient = None if state.gradient is None else state.gradient[order]
    return State(state.A[order], state.energy[order], gradient), swaps


def per_replica(accepted: Array) -> Array:
    """Mean acceptance of each replica over whatever was tried."""
    return np.nanmean(accepted.reshape(len(accepted), -1), axis=1)
