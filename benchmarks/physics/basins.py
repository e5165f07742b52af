"""Is the best metric the one of lowest free energy? Basins of NCA's landscape.

    python benchmarks/physics/basins.py  # tables of the records
    python benchmarks/physics/basins.py --run out.jsonl  # one set after another
    python benchmarks/physics/basins.py --figure docs/images/basins.png

On one half of a set, features in [0, 1], 24 walks of maps onto a plane are annealed
from random starts and quenched. A minimum A has the harmonic free energy
F = H - T log(4 pi |A| prod sqrt(2 pi T / h)), where H is the energy with its
confinement, h are the eigenvalues of the Hessian other than that of the rotation, whose
orbit and mirror image have the length 4 pi |A|. The test error is that of stochastic
neighbours on the other half. For iris, the sum over its basins is compared with a
ladder's free energy.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.special import logsumexp
from scipy.stats import spearmanr, wilcoxon

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from command import DATA, RECORDS, print_table
from descents import descend, test_errors

from freemetric.energies import NCAEnergy
from freemetric.experiments import dataset_info
from freemetric.experiments.protocol import load_source, split
from freemetric.mc import Annealing, Geometric
from freemetric.thermodynamics import Coupled, overlap, temper, thermodynamics

COMMITTED = RECORDS / "physics/basins.jsonl"
SETS = ["iris", "zoo", "newthyroid", "glass-g2", "wine", "glass", "hepatitis", "liver"]
SETS += ["heart", "breast", "heart-c", "sonar", "vote", "ionosphere", "balance"]
SETS += ["breast-w"]
RIDGE, TEMPERATURES = 1e-4, (1e-4, 1e-3, 1e-2)
N_WALKS, N_STEPS, ROWS = 24, 40, 2
SAME_ENERGY, SAME_METRIC = 1e-5, 0.999
STEP = 1e-4  # of the differences in the Hessian
FLATTEST = 1e-7  # eigenvalues are at least this


def commit():
    """Return the commit that makes the records."""
    words = ["git", "-C", str(HERE), "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def halves(name, folder):
    """Return both halves of a set, features in [0, 1] on the first one."""
    half = split(load_source(name, folder), 0, 0)
    low, high = half.X.min(axis=0), half.X.max(axis=0)
    unit = np.where(high > low, high - low, 1.0)
    return (half.X - low) / unit, half.y, (half.X_test - low) / unit, half.y_test


def basins(energy, d, rng):
    """Return different minima (n, 2, d) and their energies, the lowest first."""
    starts = 10 ** rng.random((N_WALKS, 1, 1)) * rng.standard_normal((N_WALKS, ROWS, d))
    cooling = Geometric(1e-2, 1e-2 ** (1 / N_STEPS))
    for state, _ in Annealing(cooling, n_steps=N_STEPS).iterate(rng, energy, starts):
        maps = state.A
    ends = sorted((descend(energy, A) for A in maps), key=lambda end: end[1])
    found = []
    for A, value in ends:
        new = all(
            value - other > SAME_ENERGY or overlap(A, B) < SAME_METRIC
            for B, other in found
        )
        if new:
            found.append((A, value))
    return [np.array(part) for part in zip(*found, strict=True)]


def log_volume(energy, A):
    """Return log(4 pi |A|) - sum log(h) / 2 of a minimum, and the number of h."""
    n = A.size
    moved = STEP * np.eye(n).reshape(n, *A.shape)
    up, down = (energy.value_and_grad(A + sign * moved)[1] for sign in (1, -1))
    hessian = (up - down).reshape(n, n) / (2 * STEP)
    around = np.stack([A[1], -A[0]]).ravel()
    around /= np.linalg.norm(around)
    across = np.linalg.svd(around[None])[2][1:]  # without the rotation
    h = np.linalg.eigvalsh(across @ (hessian + hessian.T) @ across.T / 2)
    h = np.maximum(h, FLATTEST)
    return np.log(4 * np.pi * np.linalg.norm(A)) - np.log(h).sum() / 2, n - 1


def measure(name, folder):
    """Return the record of a set."""
    X, y, X_test, y_test = halves(name, folder)
    energy = Coupled(NCAEnergy().bind(X, y), RIDGE)
    rng = np.random.default_rng(dataset_info(name).number)
    maps, H = basins(energy, X.shape[1], rng)
    volumes, counts = zip(*(log_volume(energy, A) for A in maps), strict=True)
    F = {
        str(T): H - T * (np.array(volumes) + counts[0] / 2 * np.log(2 * np.pi * T))
        for T in TEMPERATURES
    }
    record = {"set": name, "commit": commit(), "samples": len(X), "features": len(X.T)}
    record |= {
        "energy": H.tolist(),
        "free_energy": {T: f.tolist() for T, f in F.items()},
    }
    record["error"] = test_errors(maps, X, y, X_test, y_test).tolist()
    if name == "iris":
        record["ladder"] = ladder(energy, maps[0])
    return record


def ladder(energy, start):
    """Return F with its error by a ladder, at all temperatures."""
    run = temper(energy.energy, start, RIDGE, TEMPERATURES[::2], random_state=0)
    curves = thermodynamics(run)
    return {str(T): list(curves.at(T)["free_energy"]) for T in TEMPERATURES} | {
        "problems": curves.mixing.problems
    }


def read(path):
    """Return the records of a file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def correlations(record):
    """Return Spearman's correlations with the error: E, and F at all temperatures."""
    values = [record["energy"], *record["free_energy"].values()]
    return [float(spearmanr(value, record["error"]).statistic) for value in values]


def chosen(record):
    """Return the errors of the lowest E and F, and the mean error."""
    error = np.array(record["error"])
    values = [record["energy"], *record["free_energy"].values()]
    return [error[np.argmin(value)] for value in values] + [error.mean()]


def print_records(records):
    """Print a row for every set with four basins or more, and tests over sets."""
    used = [record for record in records if len(record["energy"]) >= 4]
    rows, rho, errors = [], [], []
    for record in used:
        rho.append(correlations(record))
        errors.append(chosen(record))
        words = [f"{r:+.2f}" for r in rho[-1]] + [f"{e:.1f}" for e in errors[-1]]
        rows.append([record["set"], record["features"], len(record["energy"]), *words])
    rho, errors = np.array(rho), np.array(errors)
    means = [f"{r:+.2f}" for r in rho.mean(axis=0)]
    means += [f"{e:.1f}" for e in errors.mean(axis=0)]
    rows.append(["mean", "", "", *means])
    names = ["E", *(f"F({T:g})" for T in TEMPERATURES)]
    head = ["set", "features", "basins", *(f"rho {name}" for name in names)]
    head += [*(f"error, lowest {name}" for name in names), "mean error"]
    print_table(
        head, rows, "Rank correlation with the test error, over basins of a set"
    )
    print(f"\nSets with fewer than four basins: {len(records) - len(used)}.")
    for k, name in enumerate(names):
        against = wilcoxon(rho[:, k]).pvalue
        print(f"rho of {name} against 0: p = {against:.2g}")
        if k:
            p_rho = wilcoxon(rho[:, k] - rho[:, 0]).pvalue
            difference = errors[:, k] - errors[:, 0]
            p_error = wilcoxon(difference).pvalue if difference.any() else 1.0
            print(
                f"rho of {name} against that of E: p = {p_rho:.2g}; "
                f"error of the lowest {difference.mean():+.2f}, p = {p_error:.2g}"
            )
    for record in records:
        for T in TEMPERATURES if "ladder" in record else ():
            total = -T * logsumexp(-np.array(record["free_energy"][str(T)]) / T)
            value, error = record["ladder"][str(T)]
            print(
                f"{record['set']}, T = {T:g}: harmonic {total:.5f}, "
                f"ladder {value:.5f} ± {error:.5f}"
            )


def draw(records, path):
    """Draw the correlations of E and F with the test error."""
    import matplotlib.pyplot as plt

    used = [record for record in records if len(record["energy"]) >= 4]
    rho = np.array([correlations(record) for record in used])
    figure, ax = plt.subplots(figsize=(4.8, 4.6), layout="constrained")
    for k, T in enumerate(TEMPERATURES, 1):
        ax.scatter(rho[:, 0], rho[:, k], label=f"T = {T:g}")
    ax.axline((0, 0), slope=1, color="gray", linewidth=0.8)
    ax.axhline(0, color="gray", linewidth=0.5)
    ax.axvline(0, color="gray", linewidth=0.5)
    ax.set(xlabel="rank correlation of E and test error", xlim=(-1, 1))
    ax.set(ylabel="rank correlation of F and test error", ylim=(-1, 1))
    ax.legend(frameon=False)
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
        done = {record["set"] for record in read(path)}
        for name in (name for name in SETS if name not in done):
            line = json.dumps(measure(name, arguments.folder))
            with path.open("a") as file:
                file.write(line + "\n")
    print_records(read(path))
    if arguments.figure:
        draw(read(path), arguments.figure)


if __name__ == "__main__":
    main()
