"""Thermodynamics where the answer is known, and samplers put to proof.

    python benchmarks/physics/thermodynamics.py                  # table of the records
    python benchmarks/physics/thermodynamics.py --run out.jsonl  # 203 runs, 15 minutes
    python benchmarks/physics/thermodynamics.py --proofs         # z of all samplers

A run is ``temper`` with the library's settings from a fitted map, the lowest of ten
quenches; only its length varies. z is the difference from the exact value in standard
errors, of F, S, C and U at three temperatures. The problems are those of
tests/thermodynamics. A run that stopped goes on where it was.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

BENCHMARKS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS.parent)]

from command import RECORDS, print_table, read_lines, run_lines
from tests.thermodynamics import problems, samplers
from tests.thermodynamics.calibration import calibration_test

from freemetric.thermodynamics import TemperingSettings, joint_test

COMMITTED = RECORDS / "physics/thermodynamics.jsonl"
SEEDS = {100: range(32, 48), 400: range(20, 30), 1000: range(6, 9)}
"""Seeds by number of steps; those below chose the limits of warnings (NOTES.md)."""

QUANTITIES = ("free_energy", "entropy", "heat_capacity", "energy")
FAR = 4.0  # standard errors
N_CHAINS = 400


def measure(problem, n_steps, seed):
    """Return the results of a run."""
    problem = problems.PROBLEMS[problem]()
    run = problems.run_of(problem, seed, TemperingSettings(n_steps=n_steps))
    scores, mixing = problems.scores_of(problem, run)
    record = {key: np.round(z, 3).tolist() for key, z in scores.items()}
    record |= {"warnings": mixing.problems, "round_trips": mixing.round_trips}
    record["r_hat"] = round(max(mixing.r_hat.values()), 4)
    record["samples"] = round(min(mixing.effective_samples.values()), 1)
    record["birge"] = round(float(mixing.log_z.ratio.max()), 3)
    return record


def jobs():
    """Return the jobs of a run."""
    return [
        {"problem": name, "n_steps": n_steps, "seed": seed}
        for n_steps, seeds in SEEDS.items()
        for seed in seeds
        for name in problems.PROBLEMS
    ]


def row(label, records):
    """Return a row of the table: sizes of z without a warning, and what is caught."""
    quiet = [record for record in records if not record["warnings"]]
    z = [np.array([record[name] for record in quiet]) for name in QUANTITIES]
    sizes = [f"{np.sqrt((each**2).mean()):.2f}" if quiet else "-" for each in z]
    far = [r for r in records if np.abs([r[q] for q in QUANTITIES[:3]]).max() > FAR]
    caught = sum(bool(record["warnings"]) for record in far)
    return [label, len(records), len(quiet), *sizes, f"{caught} of {len(far)}"]


def print_records(records):
    """Print the table of all problems and lengths."""
    rows = []
    for name in problems.PROBLEMS:
        rows.append(row(name, [r for r in records if r["problem"] == name]))
    for n_steps in SEEDS:
        some = [r for r in records if r["n_steps"] == n_steps]
        rows.append(row(f"{n_steps} steps", some))
    rows.append(row("all", records))
    head = ["problem", "runs", "no warning", "F", "S", "C", "U", "caught"]
    title = f"Root mean square of z without a warning; runs beyond {FAR:g} with one"
    print_table(head, rows, title)
    print("\nCommits:", *sorted({record["commit"] for record in records}))


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FILE", type=Path)
    parser.add_argument("--proofs", action="store_true")
    arguments = parser.parse_args()
    if arguments.proofs:
        proofs()
        return
    if arguments.run:
        run_lines(jobs(), arguments.run, measure)
    print_records(read_lines(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
