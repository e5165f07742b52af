"""A line of a program gives a warning once, however often and wherever it is fitted."""

import subprocess
import sys
from collections import Counter

import pytest

CODE = """
import warnings
import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
import freemetric as fm
from freemetric.mc import Annealing, Constant, ElementMove

RNG = np.random.default_rng(0)
y = np.arange(120) // 2 % 2
names = [f"name {row}" for row in range(120)]
sizes = RNG.normal(size=(120, 2))
table = pd.DataFrame({"size": sizes[:, 0], "width": sizes[:, 1], "name": names})
X = np.repeat(RNG.normal(size=(60, 2)), 2, axis=0)
model = fm.TableClassifier(GaussianNB())
neighbors = fm.MetricKNeighborsClassifier(fm.RCA())
fitted = fm.TableClassifier(GaussianNB()).fit(table[["size"]], y)
short = fm.MetricKNeighborsClassifier(fm.LMNN(max_iter=2))
sampler = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=4)
hasty = [(f"line {C}", LogisticRegression(C=C, max_iter=1)) for C in (0.1, 1, 10)]
"""
SERIAL = """
cross_val_score(model, table, y, cv=6)
GridSearchCV(model, {"drop": [[], ["size"]]}, cv=3).fit(table, y)
cross_val_score(neighbors, X, y, cv=6)
cross_val_score(short, sizes, y, cv=6)
for share in (1, 2, 3):
    fitted.predict(pd.DataFrame({"size": [f"${share}"]}))
"""
WORKERS = """
if __name__ == "__main__":
    cross_val_score(model, table, y, cv=6, n_jobs=2)
    grid = {"n_neighbors": [3, 5, 7]}
    GridSearchCV(short, grid, cv=3, n_jobs=2).fit(sizes, y)
"""
OWN_THREADS = """
ensemble = fm.FreeEnergyClassifier(4, estimators=hasty, n_jobs=4)
filters = list(warnings.filters)
ensemble.fit(sizes, y)
fm.DMLFE(sampler=sampler, n_jobs=4).fit(X, y)
assert warnings.filters == filters
"""
USERS_THREADS = """
with parallel_config("threading", n_jobs=2):
    cross_val_score(short, sizes, y, cv=6)
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
@pytest.mark.parametrize(("code", "n_lines"), [(SERIAL, 5), (OWN_THREADS, 2)])
def test_once_in_a_process(code, n_lines, tmp_path):
    """Filters are as before, too: threads would leave those of one another behind."""
    counts = warned_lines(code, tmp_path)
    assert list(counts.values()) == [1] * n_lines
    assert all("program.py:" in line for line in counts)


@pytest.mark.slow
def test_once_from_threads_of_the_user(tmp_path):
    assert warned_lines(USERS_THREADS, tmp_path).total() == 1


@pytest.mark.slow
def test_once_in_a_process_of_scikit_learn(tmp_path):
    """Two warnings, each once in each of two processes, which share nothing.

    The fit to all samples after the search gives one in the parent.
    """
    counts = warned_lines(WORKERS, tmp_path)
    in_parent = sum(counts[line] for line in counts if "program.py:" in line)
    assert in_parent == 1
    assert 2 <= counts.total() - in_parent <= 4
