"""A large table: a fit in bounded memory."""

import subprocess
import sys
import time

from .apart import Row

MOST = 4.0  # GB
CODE = """
import resource
import numpy as np
from freemetric import FreeEnergyClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(200_000, 20)).astype(np.float32)
y = (X[:, :3].sum(axis=1) > 0).astype(int)
model = FreeEnergyClassifier(8, random_state=0).fit(X, y)
kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(kilobytes / 1e6, model.oob_score_)
"""


def rows(rng):
    """Return one row."""
    wanted = f"a fit below {MOST:g} GB"
    row = Row("200,000 rows of 20 columns, 8 replicas", 1, wanted)
    started = time.monotonic()
    words = [sys.executable, "-W", "ignore", "-c", CODE]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        row.broken.append(f"exit code {done.returncode}: {done.stderr[-300:]}")
        return [row]
    gigabytes, score = map(float, done.stdout.split())
    seconds = time.monotonic() - started
    row.measured = f"{gigabytes:.2f} GB, {seconds:.0f} s, out-of-bag score {score:.2f}"
    if gigabytes > MOST:
        row.broken.append(row.measured)
    return [row]
