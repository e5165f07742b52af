"""Tests that can fail: ``make mutants`` changes the core in one place at a time and counts what its tests notice.

A fixed sample of mutants is tried, each by the tests of its package; one that no test notices has survived. Outcomes
stand in mutation/record.jsonl as they come: a run that was stopped goes on where it was, and a finished one is only
shown. Survivors are tried again, as tests may have been added, unless mutation/explained.jsonl says why no test can
notice them. Exit code 1 where a survivor is not explained. docs/howto/deploy.md sums the table up.
"""

import argparse
import importlib
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # before numpy is imported: several mutants are tried at once
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # as the tests want it
WARM = (
    *("joblib", "numba.core.caching", "numpy.testing", "pandas", "pytest", "scipy.optimize"),
    *("scipy.stats", "sklearn.datasets", "sklearn.ensemble", "sklearn.model_selection", "sklearn.neighbors"),
    *("sklearn.utils.estimator_checks", "threadpoolctl"),
)
"""Imported once, before processes are forked; what is mutated is imported by each of them."""


def main() -> None:
    """Try what is to be tried, write every outcome as it comes, print what is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="try nothing, print what is recorded")
    parser.add_argument("--only", nargs="+", metavar="PACKAGE", help="only these packages")
    parser.add_argument("--share", type=float, default=1, help="of the sample, for a shorter run")
    parser.add_argument("--fresh", action="store_true", help="begin a new record")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, default=HERE / "mutation" / "record.jsonl")
    given = parser.parse_args()
    from mutation import core, sites
    from mutation.record import Record

    record = Record(given.record, HERE / "mutation" / "explained.jsonl")
    if given.fresh:
        record.clear()
    packages = [package for package in core.PACKAGES if given.only is None or package.name in given.only]
    sampled = {
        package.name: sites.sample(package.files(), core.SOURCES, round(given.share * package.n_mutants), given.seed)
        for package in packages
    }
    if not given.show:
        for name in WARM:
            importlib.import_module(name)
        for package in packages:
            try_package(package, sampled[package.name], record, given.jobs)
    print(record.table(sampled))
    sys.exit(bool(record.unexplained(sampled)))


def try_package(package, mutants, record, n_at_once: int) -> None:
    """Try the mutants of a package that are not known to be killed or to be equivalent."""
    from mutation import core, trying
    from mutation.covering import covering

    left = [mutant for mutant in mutants if record.is_open(mutant)]
    if not left:
        return
    started, folder = time.monotonic(), core.ROOT / "out" / "mutants"
    known = covering(package, folder, n_at_once)
    say(f"{package.name}: {len(left)} mutants, {len(known.seconds)} tests, {time.monotonic() - started:.0f} s")
    trying.try_package(package, left, known, n_at_once, folder / "logs", lambda *done: record.add(package.name, *done))
    record.read()
    say(f"{package.name}: {time.monotonic() - started:.0f} s")


def say(line: str) -> None:
    """Tell how far the run has come."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
