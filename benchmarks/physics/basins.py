"""Is the best metric the one of lowest free energy? Basins of NCA's landscape.

    python benchmarks/physics/basins.py  # tables of the records
    python benchmarks/physics/basins.py --figure docs/images/basins.png

On one half of a set, features in [0, 1], 24 walks of maps onto a plane were annealed
from random starts and quenched. A minimum A has the harmonic free energy
F = H - T log(4 pi |A| prod sqrt(2 pi T / h)), where H is the energy with its
confinement, h are the eigenvalues of the Hessian other than that of the rotation, whose
orbit and mirror image have the length 4 pi |A|. The test error is that of stochastic
neighbours on the other half. For iris, the sum over its basins is compared with a
ladder's free energy. NOTES.md names the commit whose code makes the records.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, print_table, read_lines
from scipy.special import logsumexp
from scipy.stats import spearmanr, wilcoxon

COMMITTED = RECORDS / "physics/basins.jsonl"
TEMPERATURES = (1e-4, 1e-3, 1e-2)
NAMES = ("E", *(f"F({T:g})" for T in TEMPERATURES))
FEWEST = 4  # basins of a set that has a row


def correlations(record):
    """Return Spearman's correlations with the error: E, and F at all temperatures."""
    values = [record["energy"], *record["free_energy"].values()]
    return [float(spearmanr(value, record["error"]).statistic) for value in values]


def chosen(record):
    """Return the errors of the lowest E and F, and the mean error."""
    error = np.array(record["error"])
    values = [record["energy"], *record["free_energy"].values()]
    return [error[np.argmin(value)] for value in values] + [error.mean()]


def cells(rho, errors):
    """Return correlations and errors as texts."""
    return [*(f"{r:+.2f}" for r in rho), *(f"{error:.1f}" for error in errors)]


def print_basins(used, rho, errors):
    """Print a row for every set, and tests over sets."""
    rows = [
        [record["set"], record["features"], len(record["energy"]), *cells(*values)]
        for record, *values in zip(used, rho, errors, strict=True)
    ]
    rows.append(["mean", "", "", *cells(rho.mean(axis=0), errors.mean(axis=0))])
    head = ["set", "features", "basins", *(f"rho {name}" for name in NAMES)]
    head += [*(f"error, lowest {name}" for name in NAMES), "mean error"]
    title = "Rank correlation with the test error, over basins of a set"
    print_table(head, rows, title)


def print_tests(rho, errors):
    """Print Wilcoxon's tests of correlations and errors over sets."""
    for k, name in enumerate(NAMES):
        print(f"rho of {name} against 0: p = {wilcoxon(rho[:, k]).pvalue:.2g}")
        if k:
            p_rho = wilcoxon(rho[:, k] - rho[:, 0]).pvalue
            difference = errors[:, k] - errors[:, 0]
            p_error = wilcoxon(difference).pvalue if difference.any() else 1.0
            print(
                f"rho of {name} against that of E: p = {p_rho:.2g}; "
                f"error of the lowest {difference.mean():+.2f}, p = {p_error:.2g}"
            )


def print_ladder(record):
    """Print the sum over basins beside the free energy of a ladder."""
    for T in TEMPERATURES:
        total = -T * logsumexp(-np.array(record["free_energy"][str(T)]) / T)
        value, error = record["ladder"][str(T)]
        found = f"harmonic {total:.5f}, ladder {value:.5f} ± {error:.5f}"
        print(f"{record['set']}, T = {T:g}: {found}")


def draw(rho, path):
    """Draw the correlations of E and F with the test error."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(4.8, 4.6), layout="constrained")
    for k, T in enumerate(TEMPERATURES, 1):
        ax.scatter(rho[:, 0], rho[:, k], label=f"T = {T:g}")
    ax.axline((0, 0), slope=1, color="gray", linewidth=0.8)
    ax.axhline(0, color="gray", linewidth=0.5)
    ax.axvline(0, color="gray", linewidth=0.5)
    ax.set(xlabel="rank correlation of E and test error", xlim=(-0.5, 1.05))
    ax.set(ylabel="rank correlation of F and test error", ylim=(-0.5, 1.05))
    ax.legend(frameon=False)
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    records = read_lines(COMMITTED)
    used = [record for record in records if len(record["energy"]) >= FEWEST]
    rho = np.array([correlations(record) for record in used])
    errors = np.array([chosen(record) for record in used])
    print_basins(used, rho, errors)
    print(f"\nSets with fewer than four basins: {len(records) - len(used)}.")
    print_tests(rho, errors)
    for record in (r for r in records if "ladder" in r):
        print_ladder(record)
    if arguments.figure:
        draw(rho, arguments.figure)


if __name__ == "__main__":
    main()
