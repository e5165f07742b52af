"""The bias of samplers under noise, on cases whose answer is known: against time step, noise and batch.

    python benchmarks/noisy_energy.py run   # some minutes; writes benchmarks/noisy_energy.csv
    python benchmarks/noisy_energy.py       # the tables of docs/explanation/physics.md from it

Bias is that of the mean square of a coordinate, in percent of that of Boltzmann's distribution; its standard error
comes from independent replicas.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from freemetric.energies import Confinement, Diagonal, MiniBatch, NCAEnergy
from freemetric.mc import Annealing, Constant, LangevinMove, MatrixMove, PenaltyMove, Streams

RECORDS = Path(__file__).with_suffix(".csv")
FIELDS = ["case", "move", "step", "noise", "batch", "bias", "error", "corrected", "untold", "bias_to_all"]
FRICTION = 0.2


class Together(Streams):
    """One stream for all replicas: as good for statistics as one for each, and faster."""

    def _rows(self, size, draw):
        return draw(self.generators[0], size)


class Curve:
    """An energy of one coordinate; batches have normal errors: of the gradient, or of the slope of the whole."""

    def __init__(self, value, slope, noise):
        self.value, self.slope, self.noise = value, slope, np.sqrt(2) * noise  # of one batch: a gradient is of two

    def __call__(self, A):
        return self.value(A).sum(axis=(1, 2))

    def draw(self, rng):
        return CurveBatch(self, rng)


class CurveBatch:
    def __init__(self, energy, rng):
        self.energy, self.tilt = energy, energy.noise * rng.standard_normal((len(rng), 1, 1))

    def __call__(self, A):
        return self.energy(A) + (self.tilt * A).sum(axis=(1, 2))

    def value_and_grad(self, A):
        return self(A), self.energy.slope(A) + self.tilt


CURVES = {
    "harmonic well, T = 1": (lambda x: x**2 / 2, lambda x: x, 1.0),
    "two wells, T = 0.5": (lambda x: (x**2 - 1) ** 2, lambda x: 4 * x * (x**2 - 1), 0.5),
}


def langevin(step):
    return LangevinMove(step, friction=FRICTION, target_acceptance=None)


def mean_square(energy, move, T, A, rng, n_steps):
    """Of the coordinates, its standard error over replicas, and the share of accepted or corrected steps."""
    run = Annealing(Constant(T), move, n_steps=n_steps, burn_in=0).iterate(rng, energy, A)
    squares, shares = zip(*(((s.A**2).mean(axis=(1, 2)), info.acceptance) for s, info in run), strict=True)
    kept = np.mean(squares[n_steps // 5 :], axis=0)
    return kept.mean(), kept.std(ddof=1) / np.sqrt(len(kept)), np.mean(shares)


def curves(R=4000, n_steps=150):
    for name, (value, slope, T) in CURVES.items():
        density = [quad(lambda x, k=k: x**k * np.exp(-value(x) / T), -8, 8)[0] for k in (0, 2)]  # noqa: B023
        expected = density[1] / density[0]
        for step in (0.05, 0.1, 0.2, 0.4):
            for noise in (0.0, 0.5, 1.0, 2.0):
                energy, rng = Curve(value, slope, noise), Together(np.random.default_rng(0).spawn(R))
                A = np.random.default_rng(1).standard_normal((R, 1, 1))
                mean, error, share = mean_square(energy, langevin(step), T, A, rng, n_steps)
                c = np.exp(-FRICTION)
                untold = (step * noise) ** 2 * (1 + c) / (4 * (1 - c)) / T  # what noise adds to T uncorrected
                biases = 100 * np.array([mean / expected - 1, error / expected, share, untold])
                keep(case=name, move="LangevinMove", step=step, noise=noise, **named(biases))
        for noise in (0.0, 0.5, 1.0, 2.0):
            energy, rng = Curve(value, slope, noise), Together(np.random.default_rng(0).spawn(R))
            A = np.random.default_rng(1).standard_normal((R, 1, 1))
            move = PenaltyMove(MatrixMove(1.5, n_moves=3, target_acceptance=None))
            mean, error, share = mean_square(energy, move, T, A, rng, n_steps)
            biases = 100 * np.array([mean / expected - 1, error / expected, share])
            keep(case=name, move="PenaltyMove", step=1.5, noise=noise, **named(biases))


def iris(R=32, T=0.03):
    """The weights of two features; Boltzmann's distribution on a grid, by many batches and by all samples."""
    X, y = load_iris(return_X_y=True)
    X = minmax_scale(X[:, 2:])
    axis = np.linspace(0, 16, 33)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 1, 2)  # even in both weights
    whole = np.where(grid == 0, 0.5, 1.0).prod(axis=(1, 2))

    def expected(values):
        density = whole * np.exp(-(values - values.min()) / T)
        return (density * (grid**2).mean(axis=(1, 2))).sum() / density.sum()

    energy = Diagonal(NCAEnergy()) + 1e-3 * Confinement()
    of_all = expected(energy.bind(X, y)(grid))
    for batch in (15, 30, 60, 120):
        bound = MiniBatch(energy, batch).bind(X, y)
        stream = Streams.of(np.random.default_rng(0), 1)
        own = expected(np.mean([bound.draw(stream)(grid) for _ in range(100)], axis=0))
        moves = [(step, langevin(step)) for step in (0.5, 1.0, 2.0)]
        moves += [(4.0, PenaltyMove(MatrixMove(4.0, n_moves=5, target_acceptance=None)))]
        for step, move in moves:
            A = np.random.default_rng(1).normal(0, 4, (R, 1, 2))
            mean, error, share = mean_square(bound, move, T, A, np.random.default_rng(2), 60)
            biases = 100 * np.array([mean / own - 1, error / own, share])
            more = {"bias_to_all": round(100 * (own / of_all - 1), 2)}
            keep(case="iris", move=type(move).__name__, step=step, batch=batch, **named(biases), **more)


def named(values):
    return dict(zip(("bias", "error", "corrected", "untold"), np.round(values, 2).tolist(), strict=False))


def keep(**record):
    print(record, flush=True)
    with RECORDS.open("a", newline="") as file:
        csv.DictWriter(file, FIELDS).writerow(record)


def show():
    with RECORDS.open(newline="") as file:
        records = list(csv.DictReader(file, FIELDS))
    for name in dict.fromkeys(record["case"] for record in records):
        of_case = [record for record in records if record["case"] == name]
        across = "batch" if name == "iris" else "noise"
        columns = list(dict.fromkeys(record[across] for record in of_case))
        print(f"\n{name}\n\n| move, step | " + " | ".join(f"{across} {column}" for column in columns) + " |")
        print("|---" * (len(columns) + 1) + "|")
        for which in dict.fromkeys((record["move"], record["step"]) for record in of_case):
            cells = [cell(r) for r in of_case if (r["move"], r["step"]) == which]
            print(f"| {', '.join(which)} | " + " | ".join(cells) + " |")
        if name == "iris":
            shifts = {record["batch"]: f"{float(record['bias_to_all']):+.1f}" for record in of_case}
            print("| the distribution of batches against that of all | " + " | ".join(shifts.values()) + " |")


def cell(record):
    """Bias, its error, what it would be uncorrected, and the share of steps that were corrected."""
    if not np.isfinite(float(record["bias"])):
        return "diverges"
    untold = f", uncorrected {float(record['untold']):+.1f}" if float(record["untold"] or 0) else ""
    return f"{float(record['bias']):+.1f} ± {float(record['error']):.1f}{untold} ({float(record['corrected']):.0f} %)"


if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        RECORDS.unlink(missing_ok=True)
        curves()
        iris()
    show()
