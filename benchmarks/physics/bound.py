"""A PAC-Bayes bound on the Gibbs classifier from its free energy.

    python benchmarks/physics/bound.py                  # table of the records
    python benchmarks/physics/bound.py --run out.jsonl  # one set after another

One half of a set is for training. Half of that, S0, holds the neighbours; the other
half, S1 of n samples, decides about maps A onto a plane. The loss of a sample is the
probability that its stochastic neighbour in S0 has another class. It lies in [0, 1],
and given S0 the samples of S1 count as independent. With a normal prior and the Gibbs
posterior at beta = g n, Catoni's bound holds with probability 1 - delta [1]:

    risk <= (1 - exp((log Z - log(1 / delta)) / n)) / (1 - exp(-g)),

where Z is the prior's mean of exp(-beta loss): a ladder that switches the loss on gives
it. A union bound pays for the choice of g. Two standard errors are taken off log Z.

[1] O. Catoni, PAC-Bayesian supervised classification, IMS Lecture Notes 56, 2007.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from basins import commit, halves, read
from command import DATA, RECORDS, print_table

from freemetric import FreeEnergyClassifier
from freemetric.thermodynamics import TemperingSettings, temper, thermodynamics

COMMITTED = RECORDS / "physics/bound.jsonl"
SETS = ["iris", "wine", "newthyroid", "zoo", "glass-g2", "liver", "heart", "vote"]
SETS += ["breast", "sonar", "balance", "breast-w"]
DELTA = 0.05
STRENGTHS = (0.5, 1.0)  # g
WIDTH = 2.0  # of the prior of an element of A


class SplitLoss:
    """Mean loss of the samples S1 with neighbours in S0, of maps (R, p, d)."""

    def __init__(self, X0, y0, X1, y1):
        self.X0, self.X1, self.same = X0, X1, y1[:, None] == y0

    def chances(self, A):
        """Probabilities of neighbours (R, n1, n0), and of the right class (R, n1)."""
        turned = np.swapaxes(A, 1, 2)
        Z0, Z1 = self.X0 @ turned, self.X1 @ turned
        D = (Z1**2).sum(axis=2)[:, :, None] + (Z0**2).sum(axis=2)[:, None]
        D = D - 2 * Z1 @ np.swapaxes(Z0, 1, 2)
        p = np.exp(D.min(axis=2, keepdims=True) - D)
        p /= p.sum(axis=2, keepdims=True)
        return p, (p * self.same).sum(axis=2)

    def __call__(self, A):
        return 1 - self.chances(A)[1].mean(axis=1)

    def value_and_grad(self, A):
        p, right = self.chances(A)
        W = p * (self.same - right[:, :, None]) / len(self.X1)
        rows = self.X1.T @ (W.sum(axis=2)[:, :, None] * self.X1)
        columns = self.X0.T @ (W.sum(axis=1)[:, :, None] * self.X0)
        mixed = self.X1.T @ W @ self.X0
        total = rows + columns - mixed - np.swapaxes(mixed, 1, 2)
        return 1 - right.mean(axis=1), 2 * A @ total


def measure(name, folder):
    """Return the record of a set: the bound, its parts, and other errors."""
    X, y, X_test, y_test = halves(name, folder)
    order = np.random.default_rng(0).permutation(len(X))
    some, rest = order[: len(X) // 2], order[len(X) // 2 :]
    loss = SplitLoss(X[some], y[some], X[rest], y[rest])
    test = SplitLoss(X[some], y[some], X_test, y_test)
    record = {"set": name, "commit": commit(), "samples": len(rest), "strengths": []}
    for g in STRENGTHS:
        record["strengths"].append(bound(loss, test, g, len(rest)))
    model = FreeEnergyClassifier(random_state=0).fit(X, y)
    record["out_of_bag"] = 100 * (1 - model.oob_score_)
    record["ensemble"] = 100 * (1 - model.score(X_test, y_test))
    share = np.unique(y, return_counts=True)[1].max() / len(y)
    record["largest_class"] = 100 * (1 - share)
    return record


def bound(loss, test, g, n):
    """Return Catoni's bound in % at a strength, and what belongs to it."""
    T = 1 / (g * n)
    start = np.zeros((2, loss.X0.shape[1]))
    settings = TemperingSettings(n_steps=100)
    run = temper(loss, start, T / (2 * WIDTH**2), (T, T), settings, random_state=0)
    curves = thermodynamics(run)
    F = curves.at(T)["free_energy"]
    log_z = -F.value / T - run.log_reference - 2 * F.error / T
    rest = np.log(len(STRENGTHS) / DELTA)
    risk = (1 - np.exp((log_z - rest) / n)) / (1 - np.exp(-g))
    maps = run.maps.reshape(-1, *start.shape)[
        :: max(1, run.maps[:, :, 0, 0].size // 100)
    ]
    found = {"g": g, "bound": 100 * float(risk), "log_z": float(log_z)}
    found["error"] = F.error / T
    found["train"] = 100 * float(run.energy[:, :, -1].mean())
    found["test"] = 100 * float(test(maps).mean())
    return found | {"problems": curves.mixing.problems}


def print_records(records):
    """Print the best bound of every set beside the errors."""
    rows = []
    for record in records:
        best = min(record["strengths"], key=lambda found: found["bound"])
        vacuous = best["bound"] >= record["largest_class"]
        numbers = [best["train"], best["test"], best["bound"]]
        numbers += [record["out_of_bag"], record["ensemble"], record["largest_class"]]
        words = [f"{number:.1f}" for number in numbers]
        doubt = "yes" if best["problems"] else "no"
        says = "no more than the largest class" if vacuous else "something"
        rows.append([record["set"], record["samples"], best["g"], *words, doubt, says])
    head = ["set", "n", "g", "Gibbs, S1", "Gibbs, test", "bound", "out-of-bag"]
    head += ["ensemble, test", "largest class", "warning", "the bound says"]
    print_table(head, rows, f"Errors in %, bounds with probability {1 - DELTA:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FILE", type=Path)
    parser.add_argument("--folder", type=Path, default=DATA, help="of the data sets")
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


if __name__ == "__main__":
    main()
