"""Residual energy against the rate of cooling, at equal cost.

    python benchmarks/physics/cooling.py  # table of the records
    python benchmarks/physics/cooling.py --figure docs/images/cooling.png

Annealing of ten replicas, parallel tempering of ten and population annealing of ten
replicas made the same number of Monte Carlo steps of one replica in all. The residual
energy is the lowest energy on the way minus that of the ground state. It is known by
enumeration for 20 random signs that all interact. For NCA's energy of maps onto a
plane, on one half of three sets, it is the lowest end of all searches and of 40
descents. The exponent is that of the mean residual energy as a power of the cost.
NOTES.md names the commit whose code makes the records.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, print_table, read_lines

COMMITTED = RECORDS / "physics/cooling.jsonl"
COSTS = (200, 400, 800, 1600)
N_SEEDS = 16


def exponent(residual):
    """Return the slope of log mean residual energy by log cost, and its error by a
    bootstrap over seeds; residuals are (n_costs, n_seeds).
    """
    rng = np.random.default_rng(0)
    x = np.log(COSTS)

    def slope(some):
        mean = residual[:, some].mean(axis=1)
        on = mean > 0
        return np.polyfit(x[on], np.log(mean[on]), 1)[0] if on.sum() > 1 else np.nan

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
            power = f"{slope:+.2f} ± {error:.2f}"
            rows.append([record["problem"], search, *means, power])
    head = ["problem", "search", *(f"{cost} steps" for cost in COSTS), "exponent"]
    print_table(head, rows, f"Mean residual energy of {N_SEEDS} seeds")


def draw(records, path):
    """Draw mean residual energies over the cost."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(7, 5.6), layout="constrained")
    for ax, record in zip(axes.ravel(), records, strict=False):
        for search, residual in residuals(record).items():
            mean = np.where(residual.any(axis=1), residual.mean(axis=1), np.nan)
            error = residual.std(axis=1, ddof=1) / np.sqrt(residual.shape[1])
            ax.errorbar(COSTS, mean, error, marker="o", capsize=3, label=search)
        ax.set(xscale="log", yscale="log", title=record["problem"])
        ax.set_xticks(COSTS, [str(cost) for cost in COSTS])
        ax.set_xticks([], minor=True)
    axes[0, 0].legend(frameon=False)
    figure.supxlabel("Monte Carlo steps of one replica")
    figure.supylabel("residual energy")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    records = read_lines(COMMITTED)
    print_records(records)
    if arguments.figure:
        draw(records, arguments.figure)


if __name__ == "__main__":
    main()
