"""Thermodynamics where the answer is known, samplers put to proof, and R-hat of the classifier's short walks.

    python benchmarks/thermodynamics.py known     # z-scores of F, U, S and C in four problems, 20 seeds; 30 minutes
    python benchmarks/thermodynamics.py proofs    # z-scores of every move and sampler, and of three broken ones
    python benchmarks/thermodynamics.py walks     # R-hat of the classifier's walks on one bag
    python benchmarks/thermodynamics.py iris      # curves of DMLFE on iris

A z-score is the difference from the exact value in standard errors. Without a word all tables are printed.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from noisy_energy import CurveBatch
from scipy.special import logsumexp
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from freemetric import DMLFE, Recipe
from freemetric.energies import Confinement, Diagonal, LogNCAEnergy, NCAEnergy
from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    HamiltonianMove,
    LangevinMove,
    Linear,
    MatrixMove,
    ParallelTempering,
    PenaltyMove,
    Streams,
    StretchRotateMove,
)
from freemetric.mc.diagnostics import split_r_hat
from freemetric.thermodynamics import (
    PopulationSettings,
    TemperingSettings,
    calibration_test,
    joint_test,
    population_annealing,
    temper,
    thermodynamics,
)
from freemetric.thermodynamics.estimates import CURVES

FIXED = {"target_acceptance": None}


class Problem(NamedTuple):
    """An energy with its confinement, and log Z, U and Var H at temperatures (n,) from elsewhere."""

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
    """Weights of two features of 50 flowers, by integration over a grid: E is even in both, one quadrant is enough."""
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
    """Derrida's random-energy model: each of the 2^n patterns of signs of n parameters has a random energy."""

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
    """z-scores {name: (n,)} of one run: the four curves, log Z by stepping stones and by population annealing."""
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
    z["stepping stones"] = (
        curves.stepping_stone.value - cold
    ) / curves.stepping_stone.error
    own = 1000 + seed  # other random numbers than those that the ladder was tuned with
    found = population_annealing(
        problem.energy, problem.shape, problem.ridge, run.ladder, problem.herd, own
    )
    z["population annealing"] = (found.log_z[-1:] - cold) / found.log_z_error[-1]
    return z


def known(n_seeds=20):
    print(
        f"\nKnown answers: z-scores of {n_seeds} seeds; F, U, S and C at three temperatures\n"
    )
    print(
        "| problem | quantity | mean z | spread of z | within two |\n|---|---|---|---|---|"
    )
    for name, make in PROBLEMS.items():
        problem = make()
        found = [scores_of(problem, seed) for seed in range(n_seeds)]
        for quantity in found[0]:
            z = np.array([scores[quantity] for scores in found])
            share = f"{(np.abs(z) <= 2).mean():.0%}".replace("%", " %")
            print(
                f"| {name} | {quantity.replace('_', ' ')} | {z.mean():+.2f} | {z.std():.2f} | {share} |",
                flush=True,
            )


MOVES = {
    "ElementMove": ElementMove(1.0, **FIXED),
    "MatrixMove": MatrixMove(1.0, **FIXED),
    "StretchRotateMove": StretchRotateMove(0.5, **FIXED),
    "HamiltonianMove": HamiltonianMove(0.6, **FIXED),
    "LangevinMove, step 0.1": LangevinMove(0.1, **FIXED),
    "PenaltyMove": PenaltyMove(MatrixMove(1.0, **FIXED)),
    "ParallelTempering": ParallelTempering((0.5, 1.0, 2.0), MatrixMove(1.0, **FIXED)),
}
"""Moves and samplers with fixed step sizes, for the joint test."""

RUNS = {
    "ElementMove": ElementMove(),
    "MatrixMove": MatrixMove(n_moves=3),
    "StretchRotateMove": StretchRotateMove(),
    "HamiltonianMove": HamiltonianMove(),
    "LangevinMove": LangevinMove(),
    "PenaltyMove": PenaltyMove(MatrixMove(n_moves=3)),
    "Annealing, Linear": Annealing(
        Linear(5.0, 0.5, 100), MatrixMove(n_moves=3), n_steps=400, burn_in=0.4
    ),
    "ParallelTempering": ParallelTempering(
        (0.5, 1.0, 2.0), MatrixMove(n_moves=3), n_steps=150
    ),
}
"""The same with their adaptation, for calibration."""


class WrongSign(MatrixMove):
    """Metropolis' rule with the sign of the paper's Algorithm 1: it accepts every rise."""

    def step(self, rng, energy, state, temperature, scale):
        upside_down = state._replace(energy=-state.energy)
        new, accepted = super().step(
            rng, lambda A: -energy(A), upside_down, temperature, scale
        )
        return new._replace(energy=-new.energy), accepted


class ForgottenFactor(StretchRotateMove):
    """Stretches without Hastings' factor, their Jacobian."""

    def propose(self, rng, A, scale):
        return super().propose(rng, A, scale)[0], 0.0


class FrozenTooLate(Annealing):
    """A step size that is found anew where the walk stands, in steps that are called samples."""

    def _advance(self, chain, energy):
        temperature = np.full(len(chain.state.A), self.schedule.temperature)
        scale = self.move.start(chain.streams, energy, chain.state, temperature)
        return super()._advance(chain._replace(scale=scale), energy)


BROKEN = {
    "wrong sign": WrongSign(1.0, **FIXED),
    "forgotten Hastings factor": ForgottenFactor(0.5, **FIXED),
    "frozen too late": FrozenTooLate(
        Constant(0.5), HamiltonianMove(**FIXED), n_steps=300, burn_in=0.3
    ),
}


class Noisy:
    """An energy by batches: a gradient, the mean of two, has normal errors of standard deviation two."""

    noise = 2 * np.sqrt(2)  # of one batch

    def __init__(self, energy):
        self.energy = energy

    def __call__(self, A):
        return self.energy(A)

    def slope(self, A):
        return self.energy.value_and_grad(A)[1]

    def draw(self, rng):
        return CurveBatch(self, rng)


class OfBatches:
    """A move that sees the energy by batches."""

    def start(self, rng, energy, state, temperature):
        return super().start(rng, Noisy(energy), state, temperature)

    def step(self, rng, energy, state, temperature, scale):
        return super().step(rng, Noisy(energy), state, temperature, scale)


class NoisyLangevin(OfBatches, LangevinMove): ...


class NoisyPenalty(OfBatches, PenaltyMove): ...


class OneBatch:
    """An energy with the noise of ``Noisy`` in its gradient, but without batches that a move could see it by."""

    def __init__(self, energy, rng):
        self.energy, self.rng = energy, rng

    def __call__(self, A):
        return self.energy(A)

    def value_and_grad(self, A):
        values, gradient = self.energy.value_and_grad(A)
        return values, gradient + Noisy.noise / np.sqrt(2) * self.rng.standard_normal(
            (len(A), 1, 1)
        )


class UncorrectedLangevin(LangevinMove):
    """Langevin dynamics that takes a noisy gradient for the exact one."""

    def step(self, rng, energy, state, temperature, scale):
        return super().step(rng, OneBatch(energy, rng), state, temperature, scale)


NOISY = {
    "LangevinMove, step 0.1": NoisyLangevin(0.1, **FIXED),
    "LangevinMove, step 0.2": NoisyLangevin(0.2, **FIXED),
    "the same, uncorrected, 0.1": UncorrectedLangevin(0.1, **FIXED),
    "PenaltyMove": NoisyPenalty(MatrixMove(1.0, **FIXED)),
}
"""Samplers by stochastic gradients and energies."""


def proofs(n_chains=400):
    print(f"\nProof of sampling: z-scores of {n_chains} chains\n")
    for name, sampler in MOVES.items():
        print(f"joint test    {name:26} {joint_test(sampler, n_chains)}", flush=True)
    for name, sampler in RUNS.items():
        print(
            f"calibration   {name:26} {calibration_test(sampler, n_chains)}", flush=True
        )
    for name, sampler in {
        **BROKEN,
        "LangevinMove, first step": LangevinMove(**FIXED),
    }.items():
        print(f"joint test    {name:26} {joint_test(sampler, n_chains)}", flush=True)
        print(
            f"calibration   {name:26} {calibration_test(sampler, n_chains)}", flush=True
        )
    print(f"\nGradients with errors of {Noisy.noise / np.sqrt(2):.0f}\n")
    for name, sampler in NOISY.items():
        print(f"joint test    {name:26} {joint_test(sampler, n_chains)}", flush=True)
        print(
            f"calibration   {name:26} {calibration_test(sampler, n_chains)}", flush=True
        )


def walks(n_replicas=8):
    """R-hat of walks like those of the classifier, on one bag of half of the samples, beside longer ones."""
    recipe = Recipe()
    T, ridge = 1e-3, 3e-4
    move = HamiltonianMove(
        "single",
        caution=recipe.caution,
        n_trajectories=recipe.n_trajectories,
        gain=recipe.gain,
    )
    print(f"\nWalks on one bag at T = {T}, lambda = {ridge}, {n_replicas} replicas\n")
    print(
        "| data | steps | R-hat of the energy | R-hat of \\|A\\| | energy | norm of A |\n|---|---|---|---|---|---|"
    )
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        X, y = minmax_scale(X)[::2], y[::2]
        energy = (LogNCAEnergy(recipe.listed_neighbors) + ridge * Confinement()).bind(
            X, y
        )
        scale = max(1.0, np.sqrt(recipe.start_distance / (2 * X.var(axis=0).sum())))
        start = np.repeat(scale * np.eye(X.shape[1])[None], n_replicas, axis=0)
        for n_steps in (recipe.n_steps, 10 * recipe.n_steps, 60 * recipe.n_steps):
            sampler = Annealing(Constant(T), move, n_steps=n_steps)
            streams = Streams.from_seeds(np.random.SeedSequence(0).spawn(n_replicas))
            states = [state for state, _ in sampler.iterate(streams, energy, start)][
                -max(1, int(0.3 * n_steps)) :
            ]
            E = np.array([state.energy for state in states])
            norm = np.array(
                [np.sqrt((state.A**2).sum(axis=(1, 2))) for state in states]
            )
            hats = (
                f"{split_r_hat(E):.2f} | {split_r_hat(norm):.2f}"
                if len(E) > 1
                else "- | -"
            )
            ends = (
                f"{E.mean():.4f} ± {E.std():.4f} | {norm.mean():.1f} ± {norm.std():.1f}"
            )
            print(f"| {load.__name__[5:]} | {n_steps} | {hats} | {ends} |", flush=True)


def iris():
    """Curves of DMLFE with its default energy and confinement."""
    X, y = load_iris(return_X_y=True)
    X = minmax_scale(X)
    found = DMLFE(random_state=0).fit(X, y).thermodynamics(X, y, random_state=0)
    print(f"\n{found}\n{found.mixing}\n\n| T | F | U | S | C |\n|---|---|---|---|---|")
    for T in (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2):
        at = found.curves.at(T)
        cells = [f"{at[name].value:.4f} ± {at[name].error:.4f}" for name in CURVES[:2]]
        cells += [f"{at[name].value:.1f} ± {at[name].error:.1f}" for name in CURVES[2:]]
        print(f"| {T:.0e} | " + " | ".join(cells) + " |")


WORDS = {"known": known, "proofs": proofs, "walks": walks, "iris": iris}

if __name__ == "__main__":
    for word in sys.argv[1:] or WORDS:
        WORDS[word]()
