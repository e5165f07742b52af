"""Energies whose thermodynamics is known: closed forms, quadrature, a grid and a sum
over states.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from freemetric.energies import Diagonal, NCAEnergy
from freemetric.mc import HamiltonianMove
from freemetric.thermodynamics import (
    PopulationSettings,
    TemperingSettings,
    population_annealing,
    temper,
    thermodynamics,
)
from freemetric.thermodynamics.estimates import CURVES


class Problem(NamedTuple):
    """An energy with its confinement, and log Z, U and Var H at temperatures (n,) from
    elsewhere.
    """

    energy: object
    shape: tuple[int, int]
    ridge: float
    range: tuple[float, float]
    moments: object
    settings: TemperingSettings = TemperingSettings(
        n_steps=400, n_rungs=10, n_ladders=4, n_rounds=4
    )
    herd: PopulationSettings = PopulationSettings()

    def exact(self, T):
        """F, U, S and C, (4, n)."""
        log_z, U, variance = self.moments(T)
        return np.array([-T * log_z, U, U / T + log_z, variance / T**2])


class QuadraticWells:
    """sum k a^2 / 2 of four parameters: everything in closed form."""

    stiffness = np.array([[1.0, 3.0], [10.0, 30.0]])

    def __call__(self, A):
        return (self.stiffness * A**2).sum(axis=(1, 2)) / 2

    def value_and_grad(self, A):
        return self(A), self.stiffness * A


def quadratic(ridge=0.5):
    total = QuadraticWells.stiffness.ravel() + 2 * ridge

    def moments(T):
        log_z = 0.5 * np.log(2 * np.pi * T[:, None] / total).sum(axis=1)
        return log_z, len(total) * T / 2, len(total) * T**2 / 2

    return Problem(QuadraticWells(), (2, 2), ridge, (0.05, 2.0), moments)


class DoubleWell:
    """(a^2 - 1)^2 + a / 4: two wells of unequal depth."""

    def __call__(self, A):
        a = A[:, 0, 0]
        return (a**2 - 1) ** 2 + a / 4

    def value_and_grad(self, A):
        return self(A), 4 * A * (A**2 - 1) + 0.25


def double_well(ridge=0.1):
    a = np.linspace(-6, 6, 20_001)
    H = DoubleWell()(a[:, None, None]) + ridge * a**2
    return Problem(
        DoubleWell(),
        (1, 1),
        ridge,
        (0.05, 1.0),
        lambda T: on_grid(H, np.log(a[1] - a[0]), T),
    )


def two_features(ridge=0.01, n=121):
    """Weights of two features of 50 flowers, by integration over a grid: E is even in
    both, one quadrant is enough.
    """
    X, y = load_iris(return_X_y=True)
    energy = Diagonal(NCAEnergy()).bind(minmax_scale(X[:, 2:])[::3], y[::3])
    coldest, hottest = 2e-3, 0.05
    w = np.linspace(0, 7 * np.sqrt(hottest / (2 * ridge)), n)
    grid = np.stack(np.meshgrid(w, w, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    E = np.concatenate([energy(part) for part in np.array_split(grid, 40)])
    weights = 2 * np.log(2 * (w[1] - w[0])) + np.log(np.where(grid == 0, 0.5, 1.0)).sum(
        axis=(1, 2)
    )
    H = E + ridge * (grid**2).sum(axis=(1, 2))
    few = TemperingSettings(
        n_steps=400,
        n_rungs=7,
        n_ladders=2,
        n_rounds=3,
        move=HamiltonianMove(n_leapfrog=3),
    )
    herd = PopulationSettings(n_steps=2, move=HamiltonianMove(n_leapfrog=3))
    return Problem(
        energy,
        (1, 2),
        ridge,
        (coldest, hottest),
        lambda T: on_grid(H, weights, T),
        few,
        herd,
    )


class RandomEnergies:
    """Derrida's random-energy model: each of the 2^n patterns of signs of n parameters
    has a random energy.
    """

    def __init__(self, n=6, seed=0):
        self.levels = np.random.default_rng(seed).normal(0, np.sqrt(n / 2), 2**n)
        self.places = 2 ** np.arange(n)

    def __call__(self, A):
        return self.levels[(A[:, 0] > 0) @ self.places]


def spin_glass(ridge=1.0, n=6):
    energy = RandomEnergies(n)

    def moments(T):
        log_z, U, variance = on_grid(
            energy.levels,
            0.5 * n * np.log(np.pi * T / ridge)[:, None] - n * np.log(2),
            T,
        )
        return log_z, U + n * T / 2, variance + n * T**2 / 2

    return Problem(energy, (1, n), ridge, (0.3, 3.0), moments)


def on_grid(H, log_weights, T):
    """log Z, U and Var H at temperatures, as sums over points."""
    logs = -H / T[:, None] + log_weights
    log_z = logsumexp(logs, axis=1)
    p = np.exp(logs - log_z[:, None])
    U = p @ H
    return log_z, U, p @ H**2 - U**2


PROBLEMS = {
    "quadratic wells": quadratic,
    "double well": double_well,
    "two features of iris": two_features,
}
PROBLEMS["random energies"] = spin_glass


def scores_of(problem, seed, n_steps=None, n_temperatures=3):
    """z-scores {name: (n,)} of one run: the four curves, and log Z by population
    annealing.
    """
    T, settings = (
        np.geomspace(*problem.range, n_temperatures + 2)[1:-1],
        problem.settings,
    )
    settings = settings if n_steps is None else replace(settings, n_steps=n_steps)
    run = temper(
        problem.energy,
        np.zeros(problem.shape),
        problem.ridge,
        problem.range,
        settings,
        random_state=seed,
    )
    curves, exact = thermodynamics(run, T), problem.exact(T)
    z = {
        name: (getattr(curves, name) - true) / curves.errors[name]
        for name, true in zip(CURVES, exact, strict=True)
    }
    cold = problem.moments(np.array(problem.range[:1]))[0]
    own = 1000 + seed  # other random numbers than those that the ladder was tuned with
    found = population_annealing(
        problem.energy, problem.shape, problem.ridge, run.ladder, problem.herd, own
    )
    z["population annealing"] = (found.log_z[-1:] - cold) / found.log_z_error[-1]
    return z
