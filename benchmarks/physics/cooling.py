"""Residual energy against the rate of cooling, at equal cost.

    python benchmarks/physics/cooling.py                    # table of the records
    python benchmarks/physics/cooling.py --run out.jsonl    # a problem after another
    python benchmarks/physics/cooling.py --figure docs/images/cooling.png

Annealing of ten replicas, parallel tempering of ten and population annealing of ten
replicas make the same number of Monte Carlo steps of one replica in all. The residual
energy is the lowest energy on the way minus that of the ground state. It is known by
enumeration for 20 random signs that all interact. For NCA's energy of maps onto a
plane, on one half of three sets, it is the lowest end of all searches and of 40
descents. The exponent is that of the mean residual energy as a power of the cost.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from basins import RIDGE, commit, halves, read
from command import DATA, RECORDS, print_table
from descents import descend

from freemetric.energies import NCAEnergy
from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    Geometric,
    HamiltonianMove,
    ParallelTempering,
)
from freemetric.thermodynamics import Coupled
from freemetric.thermodynamics.population import copies

COMMITTED = RECORDS / "physics/cooling.jsonl"
SETS = ("glass-g2", "liver", "heart")
SIGNS = "20 random signs"
N_SIGNS, N_REPLICAS, N_RUNGS = 20, 10, 10
COSTS, SEEDS, N_DESCENTS = (200, 400, 800, 1600), range(4), 40


class Signs:
    """Sherrington and Kirkpatrick's energy; an element's sign is that of its interval,
    [0, 1) up, [1, 2) down, and so on, so that nothing needs to be confined.
    """

    def __init__(self, n=N_SIGNS, seed=0):
        couplings = np.random.default_rng(seed).standard_normal((n, n)) / np.sqrt(n)
        self.couplings = np.triu(couplings, 1)

    def __call__(self, A):
        return self.of_signs(1 - 2 * (np.floor(A[:, 0]) % 2))

    def of_signs(self, signs):
        return -((signs @ self.couplings) * signs).sum(axis=1)

    def ground(self):
        """The lowest energy of all signs; the first one is up."""
        n = len(self.couplings)
        parts = np.array_split(np.arange(2 ** (n - 1)), 64)
        bits = np.arange(n)
        return min(
            float(self.of_signs(1.0 - 2 * (part[:, None] >> bits & 1)).min())
            for part in parts
        )


class Problem:
    """An energy, starts, a move and a range of temperatures."""

    def __init__(self, name, folder):
        self.is_signs = name == SIGNS
        if self.is_signs:
            self.energy, self.shape = Signs(), (1, N_SIGNS)
            self.move, self.range = (
                ElementMove(2.0, n_moves=2, target_acceptance=None),
                (2.0, 0.1),
            )
            return
        X, y, _, _ = halves(name, folder)
        self.energy = Coupled(NCAEnergy().bind(X, y), RIDGE)
        self.shape, self.move = (2, X.shape[1]), HamiltonianMove()
        self.range = (1e-2, 1e-5)

    def starts(self, rng, n):
        """Return random maps."""
        size = 1.0 if self.is_signs else 10 ** rng.random((n, 1, 1))
        return size * rng.standard_normal((n, *self.shape))

    def ground(self, rng):
        """Return the ground state, or the lowest end of descents."""
        if self.is_signs:
            return self.energy.ground()
        ends = [descend(self.energy, A)[1] for A in self.starts(rng, N_DESCENTS)]
        return min(ends)


def lowest(problem, sampler, rng, A):
    """Return the last maps of a walk and the lowest energy on it."""
    best = np.inf
    for state, _ in sampler.iterate(rng, problem.energy, A):
        best = min(best, float(state.energy.min()))
    return state.A, state.energy, best


def by_annealing(problem, rng, cost):
    """Return the lowest energy of replicas that cool."""
    n_steps = cost // N_REPLICAS
    hot, cold = problem.range
    cooling = Geometric(hot, (cold / hot) ** (1 / n_steps))
    sampler = Annealing(cooling, problem.move, n_steps=n_steps)
    return lowest(problem, sampler, rng, problem.starts(rng, N_REPLICAS))[2]


def by_tempering(problem, rng, cost):
    """Return the lowest energy of replicas that exchange their temperatures."""
    temperatures = tuple(np.geomspace(*problem.range[::-1], N_REPLICAS))
    n_steps = cost // N_REPLICAS
    sampler = ParallelTempering(temperatures, problem.move, n_steps=n_steps)
    return lowest(problem, sampler, rng, problem.starts(rng, N_REPLICAS))[2]


def by_population(problem, rng, cost):
    """Return the lowest energy of replicas that are copied as they cool."""
    A, best = problem.starts(rng, N_REPLICAS), np.inf
    temperatures = np.geomspace(*problem.range, N_RUNGS)
    before = 0.0
    energies = np.zeros(N_REPLICAS)
    for T in temperatures:
        log_weights = (before - 1 / T) * energies
        A = A[copies(rng, log_weights[None])[0]]
        before = 1 / T
        n_steps = cost // (N_REPLICAS * N_RUNGS)
        sampler = Annealing(Constant(T), problem.move, n_steps=n_steps)
        A, energies, lower = lowest(problem, sampler, rng, A)
        best = min(best, lower)
    return best


SEARCHES = {
    "annealing": by_annealing,
    "tempering": by_tempering,
    "population annealing": by_population,
}


def measure(name, folder):
    """Return the record of a problem: its ground state and the ends of all searches."""
    problem = Problem(name, folder)
    ground = problem.ground(np.random.default_rng(0))
    found = {search: [] for search in SEARCHES}
    for search, run in SEARCHES.items():
        for cost in COSTS:
            ends = [run(problem, np.random.default_rng(s), cost) for s in SEEDS]
            found[search].append(ends)
    return {"problem": name, "commit": commit(), "ground": ground, "energy": found}


def exponent(residual):
    """Return the slope of log mean residual energy by log cost, and its error by a
    bootstrap over seeds; residuals are (n_costs, n_seeds).
    """
    rng = np.random.default_rng(0)
    x = np.log(COSTS)

    def slope(some):
        mean = residual[:, some].mean(axis=1)
        some = mean > 0
        return (
            np.polyfit(x[some], np.log(mean[some]), 1)[0] if some.sum() > 1 else np.nan
        )

    n = residual.shape[1]
    again = [slope(rng.integers(n, size=n)) for _ in range(200)]
    return slope(np.arange(n)), float(np.nanstd(again))


def residuals(record):
    """Return residual energies (n_costs, n_seeds) by the name of the search."""
    values = {name: np.array(found) for name, found in record["energy"].items()}
    ground = min([record["ground"], *(value.min() for value in values.values())])
    return {name: value - ground for name, value in values.items()}


def print_records(records):
    """Print mean residual energies and exponents."""
    rows = []
    for record in records:
        for search, residual in residuals(record).items():
            slope, error = exponent(residual)
            means = [f"{value:.4f}" for value in residual.mean(axis=1)]
            rows.append(
                [record["problem"], search, *means, f"{slope:+.2f} ± {error:.2f}"]
            )
    head = ["problem", "search", *(f"{cost} steps" for cost in COSTS), "exponent"]
    print_table(head, rows, f"Mean residual energy of {len(SEEDS)} seeds")


def draw(records, path):
    """Draw mean residual energies over the cost."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(7, 5.6), layout="constrained")
    for ax, record in zip(axes.ravel(), records, strict=False):
        for search, residual in residuals(record).items():
            ax.plot(COSTS, residual.mean(axis=1), marker="o", label=search)
        ax.set(xscale="log", yscale="log", title=record["problem"])
    axes[0, 0].legend(frameon=False)
    figure.supxlabel("Monte Carlo steps of one replica")
    figure.supylabel("residual energy")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FILE", type=Path)
    parser.add_argument("--folder", type=Path, default=DATA, help="of the data sets")
    parser.add_argument("--figure", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    path = arguments.run or COMMITTED
    if arguments.run:
        path.parent.mkdir(parents=True, exist_ok=True)
        done = {record["problem"] for record in read(path)}
        for name in (name for name in (SIGNS, *SETS) if name not in done):
            line = json.dumps(measure(name, arguments.folder))
            with path.open("a") as file:
                file.write(line + "\n")
    print_records(read(path))
    if arguments.figure:
        draw(read(path), arguments.figure)


if __name__ == "__main__":
    main()
