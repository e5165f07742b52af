"""Work in a process of its own: what it gives, and every way in which it can give nothing."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from freemetric.tabular.limits import Limits, limited


def fail():
    raise ValueError("two\nlines")


def take(megabytes):
    return len(np.ones(megabytes << 17))


def test_what_it_gives_may_be_large():
    value, failure, over = limited(np.arange, 10**6, limits=Limits(seconds=60))
    assert (len(value), failure, over) == (10**6, None, False)


@pytest.mark.parametrize(
    ("work", "args", "limits", "failure", "over"),
    [
        (fail, (), Limits(), "ValueError: two lines", False),
        (os._exit, (3,), Limits(), "the process died with code 3", False),
        (time.sleep, (60,), Limits(seconds=0.5), "stopped after 0.5 s, the limit of one fit", True),
        (take, (300,), Limits(megabytes=200), "needs more than the limit of 200 MB", True),
    ],
)
def test_why_it_gives_nothing(work, args, limits, failure, over):
    start = time.monotonic()
    assert limited(work, *args, limits=limits) == (None, failure, over)
    assert time.monotonic() - start < 30


def test_within_the_limits():
    assert limited(take, 100, limits=Limits(megabytes=400)).value == 100 << 17
    assert bool(Limits()) is False
    assert bool(Limits(0.0)) is True


WITHOUT_UNIX = """
import sys
sys.modules["resource"] = sys.modules["fcntl"] = None
import subprocess
import sys
import time
import multiprocessing
multiprocessing.get_all_start_methods = lambda: {methods!r}
import freemetric.bench.runner, freemetric.cli
from freemetric.tabular import InputError, Limits
from freemetric.tabular.limits import limited
if __name__ == "__main__":
    print(limited(divmod, 7, 2, limits=Limits(60)).value)
    print(limited(time.sleep, 60, limits=Limits(0.5)).failure)
    try:
        Limits(megabytes=100)
    except InputError as problem:
        print(problem)
"""


@pytest.mark.slow
@pytest.mark.parametrize("methods", [["forkserver", "spawn"], pytest.param(["spawn"], marks=pytest.mark.slow)])
def test_without_the_modules_of_unix(methods, tmp_path):
    script = tmp_path / "script.py"  # processes that start anew read it again
    script.write_text(WITHOUT_UNIX.format(methods=methods))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "(3, 1)",
        "stopped after 0.5 s, the limit of one fit",
        "limits of memory need Python's module resource and /proc/self/statm, which this system lacks",
    ], done.stderr
