"""Schedules: Monte Carlo step -> temperature."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from .state import Array


class Schedule(BaseEstimator):
    """``schedule(step, temperatures, energies)``: the temperature of a step, given those before it.

    ``temperatures`` (one number a step) and ``energies`` (R numbers a step) hold all earlier steps. A schedule that
    does not look at the energies may say so by ``reads_energies = False``: replicas then do not depend on each other,
    and can run apart.
    """

    reads_energies = True

    def __call__(self, step: int, temperatures: Sequence[float], energies: Sequence[Array]) -> float:
        raise NotImplementedError


class Constant(Schedule):
    """Always ``temperature``. Constant(0) is a quench: only what lowers the energy is kept."""

    reads_energies = False

    def __init__(self, temperature=0.0):
        self.temperature = temperature

    def __call__(self, step, temperatures, energies):
        return self.temperature


class Geometric(Schedule):
    """start * factor**step: the paper's annealing is Geometric(0.1, 0.9)."""

    reads_energies = False

    def __init__(self, start=0.1, factor=0.9):
        self.start = start
        self.factor = factor

    def __call__(self, step, temperatures, energies):
        if not 0 < self.factor <= 1:
            raise ValueError(f"factor must be in (0, 1]; got {self.factor}.")
        return self.start * self.factor**step


class Linear(Schedule):
    """From ``start`` down to ``stop`` in ``n_steps`` equal steps, then ``stop``."""

    reads_energies = False

    def __init__(self, start=0.1, stop=0.0, n_steps=100):
        self.start = start
        self.stop = stop
        self.n_steps = n_steps

    def __call__(self, step, temperatures, energies):
        done = min(step / max(self.n_steps - 1, 1), 1.0)
        return self.start + (self.stop - self.start) * done


class Adaptive(Schedule):
    """Cool by the measured fluctuation of the energy: T <- T exp(-speed T / sigma_E) every ``window`` steps.

    Keeps successive Boltzmann distributions overlapping: slow where the specific heat is large, that is where
    the energy changes much with temperature, and fast elsewhere (Huang, Romeo and Sangiovanni-Vincentelli 1986).

    Parameters
    ----------
    start : float, default=0.01
        First temperature.
    speed : float, default=0.7
        Distance of successive distributions in standard deviations of the energy.
    window : int, default=5
        Steps at one temperature; sigma_E is measured over them, averaged over replicas.
    fastest : float, default=0.5
        Smallest factor by which one window may cool.
    """

    def __init__(self, start=0.01, *, speed=0.7, window=5, fastest=0.5):
        self.start = start
        self.speed = speed
        self.window = window
        self.fastest = fastest

    def __call__(self, step, temperatures, energies):
        if step == 0:
            return self.start
        T = temperatures[-1]
        if step % self.window:
            return T
        sigma = np.std(energies[-self.window :], axis=0).mean()
        return T * max(np.exp(-self.speed * T / sigma), self.fastest) if sigma > 0 else T * self.fastest
