"""verbose=True says in a few lines what happens, and what it calls the lowest does not rise."""

import re

import numpy as np
import pytest

from freemetric import DMLFE, FreeEnergyClassifier
from freemetric.mc import Annealing, Constant, ElementMove


def test_a_search_says_a_line_for_every_round(iris, caplog):
    with caplog.at_level("INFO", logger="freemetric"):
        FreeEnergyClassifier(30, verbose=True, random_state=0).fit(*iris)
    lines = [record.getMessage() for record in caplog.records]
    assert 2 <= len(lines) <= 6
    found = [
        re.fullmatch(r"(\d+) replicas of \d+ candidates; best out of bag: .*, Brier score ([\d.]+)", line)
        for line in lines
    ]
    assert int(found[-1][1]) == 30
    assert all(0 <= float(match[2]) < 0.2 for match in found)


@pytest.mark.parametrize("temperature", [1e-4, 0.1])
def test_a_walk_says_ever_fewer_lines_and_its_lowest_energy_never_rises(iris, caplog, temperature):
    sampler = Annealing(Constant(temperature), ElementMove(0.5), n_steps=250, n_replicas=2)
    with caplog.at_level("INFO", logger="freemetric"):
        model = DMLFE(sampler=sampler, verbose=True, random_state=0).fit(iris[0][::3], iris[1][::3])
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 10 + 9 + 1
    lowest = [float(re.search(r"lowest so far ([\d.]+)", line)[1]) for line in lines]
    assert (np.diff(lowest) <= 0).all()
    assert lowest[-1] == pytest.approx(model.trace_["energy"][:200].min(), abs=1e-5)
