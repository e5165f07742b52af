"""A line of a program gives a warning once, however often and wherever it is fitted."""

import subprocess
import sys
from collections import Counter

import pytest

CODE = """
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
import freemetric as fm

RNG = np.random.default_rng(0)
y = np.arange(120) // 2 % 2
names = [f"name {row}" for row in range(120)]
sizes = RNG.normal(size=(120, 2))
table = pd.DataFrame({"size": sizes[:, 0], "width": sizes[:, 1], "name": names})
X = np.repeat(RNG.normal(size=(60, 2)), 2, axis=0)
model = fm.TableClassifier(GaussianNB())
neighbors = fm.MetricKNeighborsClassifier(fm.RCA())
fitted = fm.TableClassifier(GaussianNB()).fit(table[["size"]], y)
"""
SERIAL = """
cross_val_score(model, table, y, cv=6)
GridSearchCV(model, {"drop": [[], ["size"]]}, cv=3).fit(table, y)
cross_val_score(neighbors, X, y, cv=6)
for share in (1, 2, 3):
    fitted.predict(pd.DataFrame({"size": [f"${share}"]}))
"""
WORKERS = """
if __name__ == "__main__":
    cross_val_score(model, table, y, cv=6, n_jobs=2)
"""


def warned_lines(code, tmp_path):
    """Return how many warnings each line of a program gives."""
    program = tmp_path / "program.py"
    program.write_text(CODE + code)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True
    )
    found = [line for line in done.stderr.splitlines() if "Warning: " in line]
    return Counter(line.partition(": ")[0] for line in found)


@pytest.mark.slow
def test_once_in_a_process(tmp_path):
    counts = warned_lines(SERIAL, tmp_path)
    assert len(counts) == 4
    assert set(counts.values()) == {1}
    assert all("program.py:" in line for line in counts)


@pytest.mark.slow
def test_once_in_a_worker(tmp_path):
    assert 1 <= warned_lines(WORKERS, tmp_path).total() <= 2
