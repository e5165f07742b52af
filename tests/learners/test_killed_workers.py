"""kill -9 of a fit with two workers of joblib: nothing is half-written."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import freemetric
from tests.test_process_watchdog import soon

PROGRAM = """
import sys
from joblib import parallel_config
from sklearn.datasets import make_classification
from freemetric import FreeEnergyClassifier, Recipe
X, y = make_classification(400, 8, n_informative=4, random_state=0)
with parallel_config("loky"):
    model = FreeEnergyClassifier(200, n_jobs=2, random_state=0, recipe=Recipe(checkpoint=sys.argv[1])).fit(X, y)
model.save(sys.argv[2])
"""


def descendants(pid):
    """Numbers of the processes below one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children] + [below for child in children for below in descendants(int(child))]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_kill_of_a_fit_with_workers(tmp_path):
    kept, result = tmp_path / "kept", tmp_path / "model.fm"
    fit = subprocess.Popen([sys.executable, "-c", PROGRAM, str(kept), str(result)], stderr=subprocess.DEVNULL)
    try:
        assert soon(lambda: len(list(kept.rglob("*.task"))) > 1, 200)
        time.sleep(0.2)
        assert fit.poll() is None
        started = descendants(fit.pid)
        assert len(started) >= 2
    finally:
        os.kill(fit.pid, signal.SIGKILL)
        fit.wait()
        for pid in started:  # joblib's workers wait for more work, for minutes
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert not result.exists()
    for path in kept.rglob("*.task*"):  # whole files, and at most a draft of one that was being written
        assert path.name.startswith(".") or freemetric.load(path) is not None
