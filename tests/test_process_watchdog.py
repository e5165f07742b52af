"""What we start ends with us, whatever ends us; nothing else is ever ended."""

import ast
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from joblib import parallel_config

import freemetric
from freemetric.process_watchdog import in_processes  # and nothing else of ours: workers import this file, too

PARTS = """
import os, time
from pathlib import Path

def sleep(path):
    path.write_text(str(os.getpid()))
    time.sleep(60)

def run_limited(folder):
    from freemetric.tabular.limits import Limits, limited
    limited(sleep, folder / "0.pid", limits=Limits(seconds=50), preload=["joblib"])

def run_executor(folder):
    from freemetric.process_watchdog import in_processes
    list(in_processes(sleep, [folder / "0.pid", folder / "1.pid", folder / "2.pid"], 2))
"""
RUNNER = """
import sys
from pathlib import Path
import parts
if __name__ == "__main__":
    getattr(parts, sys.argv[1])(Path(sys.argv[2]))
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
@pytest.mark.parametrize(
    ("runner", "n_started", "ended_by"),
    [
        ("run_executor", 2, "SIGKILL"),
        pytest.param("run_limited", 1, "SIGKILL", marks=pytest.mark.slow),
        *(pytest.param("run_executor", 2, end, marks=pytest.mark.slow) for end in ("SIGTERM", "SIGHUP", "SIGINT")),
    ],
)
def test_what_we_started_ends_with_us(runner, n_started, ended_by, tmp_path):
    (tmp_path / "runner.py").write_text(RUNNER)
    (tmp_path / "parts.py").write_text(PARTS)
    words = [sys.executable, tmp_path / "runner.py", runner, tmp_path]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    paths = [tmp_path / f"{number}.pid" for number in range(n_started)]
    try:
        assert soon(lambda: all(path.exists() and path.read_text() for path in paths), 60)
        started = [int(path.read_text()) for path in paths]
        assert all(map(alive, started))
    finally:
        process.send_signal(signal.Signals[ended_by])
        process.wait(20)
    assert soon(lambda: not any(map(alive, started)), 10), [pid for pid in started if alive(pid)]


def own_number(task):
    return task, os.getpid()


def test_results_come_in_order_from_other_processes():
    tasks = list(range(5))
    found = list(in_processes(own_number, tasks, 2))
    assert [task for task, _ in found] == tasks
    numbers = {number for _, number in found}
    assert os.getpid() not in numbers
    assert len(numbers) <= 2
    assert list(in_processes(own_number, [], 2)) == []


@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_the_backend_of_the_user_is_used(backend):
    with parallel_config(backend):
        assert list(in_processes(own_number, [1, 2, 3], 2)) == [(task, os.getpid()) for task in (1, 2, 3)]


def one_over(number):
    return 1 / number


def test_an_exception_of_the_work_is_raised():
    results = in_processes(one_over, [1, 2, 0, 4], 2)
    assert [next(results), next(results)] == [1, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)


def in_daemon(seconds):
    """What a worker of multiprocessing.Pool gets; warnings are errors there."""
    from freemetric.tabular.limits import InputError, Limits, limited

    warnings.simplefilter("error")
    unlimited = list(in_processes(one_over, [1, 2], 2)), limited(one_over, 2, limits=Limits()).value
    try:
        limited(one_over, 2, limits=Limits(seconds))
    except InputError as problem:
        return unlimited, str(problem)


def test_a_daemonic_worker_does_the_work_itself_or_says_why_not():
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        unlimited, problem = pool.apply(in_daemon, [10.0])
    assert unlimited == ([1, 0.5], 0.5)
    assert problem.startswith("limits of time and memory need a process of their own")
    assert "\n" not in problem


def test_nothing_else_ends_a_process_or_asks_for_its_parent():
    """A fit once took the worker of a grid search for its own and killed it: only two modules may kill at all."""
    root, found = Path(freemetric.__file__).parent, set()
    ways = {"kill", "killpg", "getppid", "parent_process", "prctl"}
    for path in root.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if any(way in text for way in ways) else ():
            if isinstance(node, ast.Attribute) and node.attr in ways:
                found.add((path.relative_to(root).as_posix(), node.attr))
    assert found == {
        ("process_watchdog.py", "kill"),  # itself, in a process that was started for it
        ("process_watchdog.py", "killpg"),
        ("tabular/limits.py", "kill"),  # the process that it has just started
        ("serve/jobs.py", "kill"),
        ("serve/jobs.py", "killpg"),
    }
