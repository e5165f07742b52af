"""What ``make survive`` counts as broken is broken."""

import os
import signal
import time

import numpy as np  # noqa: F401 - used by name below
import pytest
from sklearn.base import BaseEstimator

if not hasattr(os, "fork"):
    pytest.skip("needs os.fork", allow_module_level=True)
apart = pytest.importorskip(
    "survival.apart", reason="tools are not part of an installed package"
)
from survival import hostile, inputs  # noqa: E402


def busy():
    while True:
        time.time()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: "a line", "a line"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "died: SIGSEGV"),
        (lambda: 1 / 0, "died: exit code 1"),
        (busy, "died: SIGPROF"),
        (lambda: str(len(bytes(50 << 30))), "died: exit code 1"),
    ],
)
def test_work_may_end_as_it_likes(work, said):
    assert apart.apart(work, seconds=1) == said


def test_lines_share_a_process_until_it_dies():
    lines = apart.lines_apart(lambda item: f"{item} of\n {os.getpid()}", [1, 2])
    assert [line.split()[:2] for line in lines] == [["1", "of"], ["2", "of"]]
    assert len({line.split()[-1] for line in lines}) == 1
    said = apart.lines_apart(lambda item: str(1 // item), [1, 0, 1])
    assert said == ["1", "died: exit code 1", "1"]


class Learner(BaseEstimator):
    def fit(self, X, y):
        return self

    def transform(self, X):
        return eval(X)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[1.0]", "result"),
        ("[float('nan')]", "numbers that are none"),
        ("np.linalg.inv(np.zeros((2, 2)))", "LinAlgError of _linalg.py"),
        ("np.zeros(3) @ np.zeros(2)", "ValueError of <string>"),
        ("np.ones(1) / 0", "RuntimeWarning of"),
        ("Learner().nothing", "AttributeError of"),
        ("hostile.clone(3)", "refused: Cannot clone object"),
    ],
)
def test_only_lines_for_people_are_refusals(given, said):
    assert hostile.outcome(Learner(), inputs.Given(None, None, given)).startswith(said)
