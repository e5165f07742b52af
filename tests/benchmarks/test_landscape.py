"""The landscape study: basins, scores and tables by hand, and the page holds the tables of the committed records."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from ..pages import ROOT

landscape = pytest.importorskip("landscape", reason="benchmarks are not part of an installed package")
melting = pytest.importorskip("landscape_temperatures", reason="benchmarks are not part of an installed package")
tables = pytest.importorskip("landscape_tables", reason="tables need matplotlib")


def test_one_basin_is_one_energy_and_one_metric(rng):
    A, B = rng.standard_normal((2, 3, 3))
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    maps, values = np.array([A, turn @ A, A, B]), np.array([0.1, 0.1, 0.2, 0.1])
    labels = landscape.basins(maps, values)
    assert labels[0] == labels[1]
    assert len(set(labels)) == 3


def test_scores_are_those_of_scikit_learn():
    problem = landscape.Problem("iris", 0)
    A = np.diag([1.0, 2.0, 3.0, 4.0])
    found, of_mean = problem.scores([A])
    nearest = KNeighborsClassifier(landscape.N_NEIGHBORS).fit(problem.X @ A, problem.y)
    assert found[0, 2] == pytest.approx(100 * (1 - nearest.score(problem.X_test @ A, problem.y_test)))
    wrong = expected = 0.0
    for x, label in zip(problem.X_test, problem.y_test, strict=True):
        p = np.exp(-(((problem.X - x) @ A) ** 2).sum(axis=1))
        shares = np.bincount(problem.y, p) / p.sum()
        wrong += shares.argmax() != label
        expected += 1 - shares[label]
    assert found[0, 0] == pytest.approx(100 * expected / len(problem.y_test))
    assert found[0, 1] == of_mean == pytest.approx(100 * wrong / len(problem.y_test))


def record(energy, polished=0.1, **more):
    return {"energy": energy, "polished": polished, "seconds": 2.0, **more}


def test_what_a_row_says():
    searches = {name: record([0.3], 0.2) for name in landscape.SEARCHES}
    descents = record([0.1, 0.10005, 0.2, 0.4], test_energy=[5.0, 7.0, 8.0, 9.0])
    minima = {"samples": 9, "features": 2, "starts": 4, "basins": 3, "overlap_of_ends": [0, 0, 0.5, 1, 1]}
    of_set = {"L-BFGS": descents, **searches, "minima": {**minima, "barrier": [0.001, 0.002]}}
    row = tables.ruggedness(of_set)
    assert row == {"reach": 0.5, "overlap": 0.5, "pass": 0.002, "rank": 1.0, "lowest": 5.0, "median": 7.5}
    lines = tables.lines_of(tables.minima_rows({"toy": of_set}))
    assert lines[2] == "|toy|9|2|2.0|4|3|50%|0.50|20.0|0.0|2000.0|2000.0|2000.0|2000.0|2000.0|"
    assert lines[4] == "|sets where lowest|||||||||1|0|0|0|0|0|"


def test_temperatures_where_ladders_agree_are_those_that_count():
    record = {"temperature": [1.0, 0.1, 0.01], "rows": 1, "features": 2, "r_hat": [1.0, 1.05, 2.0]}
    record |= {"heat_capacity": [1.0, 2.0, 9.0], "heat_capacity_error": [0.1, 0.2, 0.9]}
    record |= {"test_energy": [8.0, 9.0, 1.0], "test_energy_error": [0.1] * 3, "test_error_of_mean": [5.0, 4.0, 0.0]}
    found = tables.Melting({**record, "minimum": {"scores": [7.0, 6.0, 5.0]}})
    assert (found.peak, found.best, found.best_of_mean) == (1, 0, 1)  # the third is no equilibrium
    assert found.heat[found.peak] == 1.0  # per element


def test_a_ladder_gets_the_rungs_of_the_temperatures():
    tuned = melting.Ladder.along([0.0, 0.5, 1.0, 1.3, 2.0], melting.TEMPERATURES[0], melting.TEMPERATURES[-1])
    ladder = melting.with_temperatures(tuned)
    assert len(ladder.temperature) == 3 + len(melting.TEMPERATURES)  # both ends are there already
    assert (np.diff(ladder.coupling) >= 0).all()
    assert (np.diff(ladder.temperature) <= 1e-12).all()
    for T in melting.TEMPERATURES:
        assert np.isclose(ladder.temperature[ladder.coupling == 1], T, rtol=1e-6).sum() == 1


def test_heat_capacity_of_a_harmonic_well(rng):
    T = np.array([2.0, 0.5])
    C, error = melting.heat_capacity(T * rng.chisquare(6, (4000, 2, 2)) / 2, T)
    assert (np.abs(C - 3) < 4 * error).all()
    assert (error < 0.2).all()


def test_the_pages_hold_the_tables():
    found = tables.committed()
    page = (ROOT / "docs" / "explanation" / "thermodynamics.md").read_text()
    whole, melted = (tables.with_records(found, name) for name in ("minima", "temperatures"))
    rows = (tables.minima_rows(whole), tables.answer_rows(whole), tables.temperature_rows(melted))
    for table in (*rows, tables.mean_rows(melted)):
        for line in tables.lines_of(table):
            assert line in page, line
    words = " ".join(tables.summary(whole))
    for number in ("0.01", "0.5 ± 0.3 points less expected error", "1.6 ± 0.5 points", "0.0 ± 0.3 points less"):
        assert number in words
        assert number in page
    about = (ROOT / "docs" / "paper.md").read_text()
    for line in tables.lines_of(tables.paper_rows(found)):
        assert line in about, line
