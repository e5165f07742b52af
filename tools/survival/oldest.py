"""Every package as old as pyproject.toml allows, by ``make test-minima``."""

import random
import subprocess
import sys

from minima import PYPROJECT, minima

from .apart import Row
from .tested import ROOT, counted

REPORT = ROOT / "out" / "test-minima.xml"


def rows(rng: random.Random) -> list[Row]:
    """One row; pip takes what is needed from the index that it is configured for."""
    name = f"the oldest releases allowed of {len(minima(PYPROJECT.read_text()))} packages (tests)"
    wanted = "contract, files, tables and benchmarks as with the newest"
    REPORT.unlink(missing_ok=True)
    done = subprocess.run(["make", "test-minima"], cwd=ROOT, stdout=sys.stderr, check=False)
    if REPORT.exists():
        return [counted(REPORT, name, wanted)]
    return [Row(name, 0, wanted, [f"`make test-minima` ended with {done.returncode} and without a report"])]
