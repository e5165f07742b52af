"""Thermodynamics where the answer is known, and samplers put to proof.

    python benchmarks/thermodynamics.py known     # z-scores of F, U, S, C; 30 minutes
    python benchmarks/thermodynamics.py proofs    # z-scores of all moves and samplers

A z-score is the difference from the exact value in standard errors. The problems and
the samplers are those of tests/thermodynamics, which are run here for longer.
"""

import sys

import numpy as np
from command import ROOT, print_table

from freemetric.thermodynamics import calibration_test, joint_test

sys.path.append(str(ROOT))
from tests.thermodynamics import problems, samplers

N_SEEDS = 20
N_CHAINS = 400


def known():
    """Print z-scores of estimates in problems whose thermodynamics is known."""
    rows = []
    for name, make in problems.PROBLEMS.items():
        problem = make()
        found = [problems.scores_of(problem, seed) for seed in range(N_SEEDS)]
        for quantity in found[0]:
            z = np.array([scores[quantity] for scores in found])
            share = f"{100 * (np.abs(z) <= 2).mean():.0f} %"
            rows.append([name, quantity, f"{z.mean():+.2f}", f"{z.std():.2f}", share])
    head = ["problem", "quantity", "mean z", "spread of z", "within two"]
    print_table(head, rows, f"Known answers, {N_SEEDS} seeds")


def proofs():
    """Print z-scores of right samplers, of broken ones, and of noisy gradients."""
    tests = [
        ("joint", joint_test, samplers.MOVES),
        ("calibration", calibration_test, samplers.RUNS),
        ("joint, broken", joint_test, samplers.BROKEN),
        ("calibration, broken", calibration_test, samplers.BROKEN),
        ("joint, noisy", joint_test, samplers.NOISY),
        ("calibration, noisy", calibration_test, samplers.NOISY),
    ]
    rows = [
        [kind, name, test(sampler, N_CHAINS)]
        for kind, test, some in tests
        for name, sampler in some.items()
    ]
    print_table(["test", "sampler", "result"], rows, f"{N_CHAINS} chains")


WORDS = {"known": known, "proofs": proofs}

if __name__ == "__main__":
    for word in sys.argv[1:] or WORDS:
        WORDS[word]()
