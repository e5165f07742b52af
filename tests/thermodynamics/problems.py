"""Energies whose thermodynamics is known: closed forms, quadrature, a grid and a sum
over states.
"""

from dataclasses import replace
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.thermodynamics import (
    Coupled,
    TemperingSettings,
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
    move: object = None

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


class SmallNCA:
    """The expected error of stochastic neighbours, plainly, for few samples."""

    def __init__(self, X, y, is_diagonal=False):
        self.X, self.same, self.is_diagonal = X, y[:, None] == y, is_diagonal

    def __call__(self, A):
        maps = A[:, 0, :, None] * np.eye(A.shape[2]) if self.is_diagonal else A
        Z = self.X @ np.swapaxes(maps, 1, 2)
        D = ((Z[:, :, None] - Z[:, None]) ** 2).sum(axis=3)
        D[:, np.eye(len(self.X), dtype=bool)] = np.inf
        p = np.exp(D.min(axis=2, keepdims=True) - D)
        return 1 - ((p * self.same).sum(axis=2) / p.sum(axis=2)).mean(axis=1)


def of_a_grid(energy, ridge, temperatures, grid, E, weights):
    """A problem of maps (1, 2) whose integrals are sums over a grid."""
    H = E + ridge * (grid**2).sum(axis=(1, 2))

    def exact(T):
        return on_grid(H, weights, T)

    move = ElementMove(1.0, n_moves=4)
    return Problem(energy, (1, 2), ridge, temperatures, exact, move)


def two_features(ridge=0.01, n=121):
    """Weights of two features of 30 flowers, by integration over a grid: E is even in
    both, one quadrant is enough.
    """
    X, y = load_iris(return_X_y=True)
    energy = SmallNCA(minmax_scale(X[:, 2:])[::5], y[::5], is_diagonal=True)
    coldest, hottest = 2e-3, 0.05
    w = np.linspace(0, 7 * np.sqrt(hottest / (2 * ridge)), n)
    grid = np.stack(np.meshgrid(w, w, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    E = np.concatenate([energy(part) for part in np.array_split(grid, 200)])
    weights = 2 * np.log(2 * (w[1] - w[0])) + np.log(np.where(grid == 0, 0.5, 1.0)).sum(
        axis=(1, 2)
    )
    return of_a_grid(energy, ridge, (coldest, hottest), grid, E, weights)


def map_of_two_classes(ridge=0.02, n=161):
    """A map (1, 2) of 24 samples in the corners of a square, by integration over half
    of a plane: E(-A) = E(A), and several directions separate something.
    """
    rng = np.random.default_rng(0)
    X = np.tile([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], (6, 1))
    X = X + 0.25 * rng.standard_normal(X.shape)
    energy = SmallNCA(X, np.tile([0, 0, 1, 1], 6))
    coldest, hottest = 5e-3, 0.1
    w = np.linspace(0, 6.5 * np.sqrt(hottest / (2 * ridge)), n)
    both = np.concatenate([-w[:0:-1], w])
    grid = np.stack(np.meshgrid(w, both, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    E = np.concatenate([energy(part) for part in np.array_split(grid, 200)])
    weights = np.log(2 * (w[1] - w[0]) ** 2 * np.where(grid[:, 0, 0] == 0, 0.5, 1.0))
    return of_a_grid(energy, ridge, (coldest, hottest), grid, E, weights)


class NarrowAndWide:
    """The lower one of two quadratic wells in n dimensions: one is wide, the other
    one is narrow, far away and deeper.
    """

    stiffness, depth, apart = np.array([2.0, 30.0]), 0.8, 1.5

    def along(self, x, squared_radius):
        """E at x on the line through both wells, and beside it."""
        a, b = self.stiffness / 2
        wide = a * (x**2 + squared_radius)
        return wide, b * ((x - self.apart) ** 2 + squared_radius) - self.depth

    def __call__(self, A):
        x = A[:, 0, 0]
        return np.minimum(*self.along(x, (A**2).sum(axis=(1, 2)) - x**2))

    def value_and_grad(self, A):
        x = A[:, 0, 0]
        wells = self.along(x, (A**2).sum(axis=(1, 2)) - x**2)
        k = self.stiffness[np.argmin(wells, axis=0)][:, None, None]
        centre = np.zeros_like(A)
        centre[:, 0, 0] = np.where(k[:, 0, 0] == self.stiffness[1], self.apart, 0)
        return np.minimum(*wells), k * (A - centre)


def narrow_and_wide(ridge=0.1, n=2):
    """By integration over the line and the radius beside it."""
    energy = NarrowAndWide()
    coldest, hottest = 0.05, 1.0
    x, r = np.linspace(-6, 7, 2601), np.linspace(0, 6, 1201)[1:]
    X, R = (part.ravel() for part in np.meshgrid(x, r, indexing="ij"))
    H = np.minimum(*energy.along(X, R**2)) + ridge * (X**2 + R**2)
    sphere = np.log(2) + (n - 1) / 2 * np.log(np.pi) - gammaln((n - 1) / 2)
    weights = sphere + (n - 2) * np.log(R) + np.log((x[1] - x[0]) * (r[1] - r[0]))
    return Problem(
        energy,
        (1, n),
        ridge,
        (coldest, hottest),
        lambda T: on_grid(H, weights, T),
    )


class Potts:
    """Mean-field Potts model: the angle of every column of A is one of q states, and
    columns in one state attract each other.
    """

    def __init__(self, q=6, n=10):
        self.q, self.n = q, n

    def __call__(self, A):
        angle = np.arctan2(A[:, 1], A[:, 0]) / (2 * np.pi) % 1.0
        state = np.minimum((self.q * angle).astype(int), self.q - 1)
        counts = (state[:, :, None] == np.arange(self.q)).sum(axis=1)
        return self.of_counts(counts)

    def of_counts(self, counts):
        return -(counts**2).sum(axis=-1) / (2 * self.n)


def potts(ridge=0.5, q=6, n=10):
    """By a sum over all numbers of columns in each state; below the jump of the energy
    q patterns are apart.
    """
    energy = Potts(q, n)
    places = combinations_with_replacement(range(q), n)
    counts = np.array([np.bincount(place, minlength=q) for place in places])
    degeneracy = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) - n * np.log(q)

    def moments(T):
        confined = n * np.log(np.pi * T / ridge)[:, None]
        log_z, U, variance = on_grid(energy.of_counts(counts), degeneracy + confined, T)
        return log_z, U + n * T, variance + n * T**2

    return Problem(energy, (2, n), ridge, (0.12, 0.6), moments, ElementMove(1.0))


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
    "narrow and wide well": narrow_and_wide,
    "Potts model": potts,
    "random energies": spin_glass,
    "two features of iris": two_features,
    "map of two classes": map_of_two_classes,
}


def fitted_map(problem, rng):
    """The lowest end of ten quenches from draws of the confinement, as of a fit."""
    hot = Coupled(problem.energy, problem.ridge)
    start = hot.draw_reference(rng, (10, *problem.shape), problem.range[1])
    quench = Annealing(Constant(0.0), ElementMove(0.5), n_steps=40)
    for state, _ in quench.iterate(rng, hot, start):
        last = state
    return last.A[last.energy.argmin()]


def run_of(problem, seed, settings=None):
    """A run as a user would make it, from a fitted map."""
    settings = replace(settings or TemperingSettings(), move=problem.move)
    start = fitted_map(problem, np.random.default_rng(seed))
    return temper(problem.energy, start, problem.ridge, problem.range, settings, seed)


def scores_of(problem, run, n_temperatures=3):
    """z-scores {name: (n,)} of the four curves, and the problems that were noticed."""
    T = np.geomspace(*problem.range, n_temperatures + 2)[1:-1]
    curves = thermodynamics(run, T)
    z = {
        name: (getattr(curves, name) - true) / curves.errors[name]
        for name, true in zip(CURVES, problem.exact(T), strict=True)
    }
    return z, curves.mixing
