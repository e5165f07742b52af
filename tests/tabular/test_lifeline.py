"""After kill -9 of a runner nothing that it started lives on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PARTS = """
import os, time
from pathlib import Path
from freemetric.tabular.limits import Limits, limited

def work(folder, number):
    (Path(folder) / f"{number}.pid").write_text(str(os.getpid()))
    time.sleep(60)

def one(folder, number):
    (Path(folder) / f"worker{number}.pid").write_text(str(os.getpid()))
    outcome = limited(work, folder, number, limits=Limits(seconds=50), preload=["joblib"])
    (Path(folder) / "written").write_text(str(outcome))
"""
RUNNER = """
import sys
from joblib import Parallel, delayed
from parts import one
if __name__ == "__main__":
    Parallel(n_jobs=int(sys.argv[2]))(delayed(one)(sys.argv[1], number) for number in range(2))
"""


def alive(pid):
    """Whether a process runs; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def soon(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1])
def test_kill_of_a_runner(n_jobs, tmp_path):
    script = tmp_path / "runner.py"
    script.write_text(RUNNER)
    (tmp_path / "parts.py").write_text(PARTS)
    runner = subprocess.Popen([sys.executable, script, tmp_path, str(n_jobs)], stderr=subprocess.DEVNULL)
    try:
        names = [f"{kind}{number}.pid" for number in range(n_jobs) for kind in ("", "worker")]
        assert soon(lambda: all((tmp_path / name).exists() for name in names), 60)
        started = {int((tmp_path / name).read_text()) for name in names}
        assert all(alive(pid) for pid in started)
    finally:
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
    assert soon(lambda: not any(alive(pid) for pid in started), 10), [pid for pid in started if alive(pid)]
    assert not (tmp_path / "written").exists()
