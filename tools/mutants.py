"""Tests that can fail: ``make mutants`` changes one place at a time in the library.

Every change is a mutant; one that the tests of its package do not notice survives. The
sample of a seed is always the same. Outcomes stand in out/mutants.jsonl as they come: a
run that was stopped goes on, and survivors are tried again. Exit code 1 where one
survives that mutation/equivalent.jsonl does not explain.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from mutation.changes import mutants_of
from mutation.trying import ROOT, SOURCES, outcome_of, seconds_of_tests

PATIENCE = 3
"""Tests come to no end where they take so many times as long as without a mutant."""
EQUIVALENT = Path(__file__).parent / "mutation" / "equivalent.jsonl"
PACKAGES = {
    "kernels": ("reference.py", "formulas.py", "devices.py"),
    "mc": ("**/*.py",),
    "energies": ("*.py",),
    "learners": ("**/*.py",),
    "ensemble": ("*.py",),
    "inspection": ("*.py",),
    "tables": ("*.py",),
    "thermodynamics": ("*.py",),
    "files": ("*.py",),
    "metric_learn": ("*.py",),
}
"""Modules that are mutated. Compiled kernels are compared with the reference by tests,
and a mutant of one would have to be compiled.
"""
NEED_EXTRAS = {"onnx.py", "onnx_ensemble.py", "graph.py"}
"""Modules whose tests are skipped without the extra ``onnx``."""


def sample(package, n_mutants, seed):
    """Return mutants of a package, the same for the same sources and seed."""
    found = []
    for pattern in PACKAGES[package]:
        paths = sorted((SOURCES / package).glob(pattern))
        if not paths:
            sys.exit(f"No module of {package} is called {pattern}.")
        for path in paths:
            if path.name not in NEED_EXTRAS:
                found += mutants_of(path)
    return random.Random(seed).sample(found, min(n_mutants, len(found)))


def known(path):
    """Return the last outcome of every mutant that was tried."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {line["key"]: line for line in map(json.loads, lines)}


def explained():
    """Return (module, line, changed line) of mutants that no test can notice."""
    lines = map(json.loads, EQUIVALENT.read_text().splitlines())
    return {(line["module"], line["was"], line["now"]) for line in lines}


def try_package(package, mutants, path):
    """Try the mutants that are not known to be killed; return those that survive."""
    outcomes = known(path)
    equivalent = explained()
    survivors = []
    seconds = seconds_of_tests(package)
    if seconds is None:
        sys.exit(f"Tests of {package} fail without any mutant.")
    for number, mutant in enumerate(mutants):
        if mutant.place in equivalent:
            continue
        if outcomes.get(mutant.key, {}).get("outcome") != "killed":
            outcome = outcome_of(mutant, package, PATIENCE * (seconds + 60))
            write(path, mutant, outcome)
            say(f"{package} {number + 1}/{len(mutants)}: {outcome}, {mutant}")
            if outcome == "survived":
                survivors.append(mutant)
    return survivors


def write(path, mutant, outcome):
    module, was, now = mutant.place
    line = {"key": mutant.key, "module": module, "was": was, "now": now}
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        print(json.dumps(line | {"outcome": outcome}), file=file)


def say(line):
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def main():
    """Try the mutants of all packages or of a few, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PACKAGES, default=[*PACKAGES])
    parser.add_argument("--mutants", type=int, default=20, help="of each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, default=ROOT / "out" / "mutants.jsonl")
    options = parser.parse_args()
    print("| package | mutants | survived |\n|---|---|---|")
    survivors = []
    for package in options.only:
        mutants = sample(package, options.mutants, options.seed)
        survived = try_package(package, mutants, options.record)
        print(f"| {package} | {len(mutants)} | {len(survived)} |", flush=True)
        survivors += survived
    print("", *survivors, sep="\n")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
