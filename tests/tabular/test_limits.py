"""Work in a process of its own: what it gives, and every way in which it can give nothing."""

import os
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
