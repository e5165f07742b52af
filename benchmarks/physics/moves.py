"""Do persistent velocities find lower energies, or sample more, per gradient?

    python benchmarks/physics/moves.py --repeats 3

Ground states: the energy of DMLFE, NCA's with a confinement of 1e-4, on halves of the
paper's sets, features in [0, 1]. Annealing cools from 1e-2 to 0; 8 replicas and about
500 gradients each. Harmonic system: 20 springs with constants from 1 to 100 at
temperature 1; effective samples of the slowest spring per 1,000 gradients.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import arguments_of, print_table

from freemetric.energies import Confinement, NCAEnergy
from freemetric.experiments.protocol import load_source, split
from freemetric.mc import (
    Annealing,
    Constant,
    HamiltonianMove,
    LangevinMove,
    Linear,
    PersistentMove,
)
from freemetric.mc.diagnostics import effective_sample_size

SETS = ("iris", "wine", "glass", "ionosphere", "sonar", "vowel", "liver", "heart")
MOVES = {
    "Hamiltonian": HamiltonianMove(),
    "Langevin": LangevinMove(),
    "persistent": PersistentMove(),
    "persistent, friction 0.05": PersistentMove(friction=0.05),
}
N_GRADIENTS = 500
N_REPLICAS = 8


class Counted:
    """An energy that counts gradients per replica."""

    def __init__(self, energy):
        self.energy = energy
        self.n = 0

    def __call__(self, A):
        return self.energy(A)

    def value_and_grad(self, A):
        self.n += 1
        return self.energy.value_and_grad(A)


class Springs:
    """E = sum_i k_i a_i^2 / 2."""

    constants = np.geomspace(1, 100, 20)

    def __call__(self, A):
        return (self.constants * A**2).sum(axis=(1, 2)) / 2

    def value_and_grad(self, A):
        return self(A), self.constants * A


def steps_of(move, n_gradients):
    return n_gradients // (move.n_leapfrog * getattr(move, "n_trajectories", 1))


def ground_state(move, energy, start, seed):
    """Return the lowest energy of each replica, and the gradients it took."""
    counted = Counted(energy)
    n_steps = steps_of(move, N_GRADIENTS)
    sampler = Annealing(Linear(1e-2, 0.0, n_steps), move, n_steps=n_steps, burn_in=1)
    run = sampler.iterate(np.random.default_rng(seed), counted, start)
    energies = np.array([state.energy for state, _ in run])
    return energies.min(axis=0), counted.n


def samples_per_gradient(move, seed):
    """Return effective samples of the slowest spring per 1,000 gradients."""
    n_steps = steps_of(move, 20_000)
    sampler = Annealing(Constant(1.0), move, n_steps=n_steps, burn_in=0.2)
    start = np.random.default_rng(seed).standard_normal((4, 1, 20))
    run = sampler.iterate(np.random.default_rng(seed), Springs(), start)
    walk = np.array([state.A[:, 0, 0] for state, info in run if not info.adapting])
    return 1000 * effective_sample_size(walk) / (4 * 0.8 * 20_000)


def main():
    arguments = arguments_of(__doc__).parse_args()
    seeds = range(arguments.repeats)
    rows = []
    for name in arguments.sets or SETS:
        half = split(load_source(name, arguments.folder), 0, 0)
        low, high = half.X.min(axis=0), half.X.max(axis=0)
        X = (half.X - low) / np.where(high > low, high - low, 1.0)
        energy = (NCAEnergy() + 1e-4 * Confinement()).bind(X, half.y)
        start = np.repeat(np.eye(X.shape[1])[None], N_REPLICAS, axis=0)
        row = [name]
        for move in MOVES.values():
            found = [ground_state(move, energy, start, seed) for seed in seeds]
            lowest = np.array([energies for energies, _ in found]).ravel()
            gradients = np.mean([n for _, n in found])
            error = lowest.std(ddof=1) / np.sqrt(lowest.size)
            row.append(f"{lowest.mean():.4f} ± {error:.4f} ({gradients:.0f})")
        rows.append(row)
    print_table(["set", *MOVES], rows, "Lowest energy by annealing (gradients)")
    found = [[samples_per_gradient(m, s) for s in seeds] for m in MOVES.values()]
    row = [f"{np.mean(x):.1f} ± {np.std(x):.1f}" for x in found]
    print_table(list(MOVES), [row], "Effective samples per 1,000 gradients, springs")


if __name__ == "__main__":
    main()
