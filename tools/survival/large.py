"""Wide tables and very many classes: finished, below a gigabyte."""

import random
import subprocess
import sys
import time

from tests.ensemble.test_memory import MANY, MEASURED, WIDE

from .apart import Row

TABLES = {"100 rows x 5,000 columns": WIDE, "500 classes x 4,000 rows": MANY}
MOST = 1.0  # gigabytes


def rows(rng: random.Random) -> list[Row]:
    """A row for each table, with the defaults."""
    return [measured(name, data) for name, data in TABLES.items()]


def measured(name: str, data: str) -> Row:
    row = Row(f"FreeEnergyClassifier on {name}", 1, "finished, below 1 GB")
    started = time.monotonic()
    code = MEASURED.format(data=data, n_replicas='"auto"')
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        row.broken.append(f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
        return row
    gigabytes, score = map(float, done.stdout.split())
    row.measured = f"{gigabytes:.2f} GB, {time.monotonic() - started:.0f} s, out-of-bag accuracy {score:.2f}"
    if gigabytes >= MOST:
        row.broken.append(row.measured)
    return row
