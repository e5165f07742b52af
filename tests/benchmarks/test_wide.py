"""The problems with very many features are what they say, and the units that are compared are units."""

import numpy as np
import pytest

wide = pytest.importorskip("wide", reason="benchmarks are not part of an installed package")
units = pytest.importorskip("units")


@pytest.mark.parametrize("name", wide.EVERY)
def test_problems_have_the_features_and_classes_that_they_name(name):
    draw, _, d = wide.EVERY[name]
    X, y = draw(np.random.default_rng(0), 200, d)
    assert X.shape == (200, d)
    assert np.isfinite(X).all()
    assert np.bincount(y.astype(int)).min() > 10


def test_no_problem_is_chosen_on_and_confirmed_on():
    assert not set(wide.CHOOSING) & set(wide.CONFIRMING)


def test_records_become_a_table(capsys):
    costs = {"seconds": 1.0, "megabytes": 300}
    name = next(iter(wide.CHOOSING))
    methods = {"free-energy": 10.0, "extra trees": 20.0}
    wide.show(
        [{"repeat": 0, "problem": name, "method": method, "error": error, **costs} for method, error in methods.items()]
    )
    assert capsys.readouterr().out.splitlines()[-1] == f"| {name} | 10.0 | 20.0 | 1 | 300 |"


def test_units_are_compared_by_what_a_learner_divides_by(monkeypatch):
    asked = []
    monkeypatch.setitem(units.UNITS, units.GIVEN, lambda X: asked.append(X.std()) or 1.0)
    job = {"repeat": 0, "set": "iris", "learner": "NCA", "fold": 0, "unit": units.GIVEN}
    assert 0 <= units.honest_error(job, None) < 20
    assert len(asked) == 3  # two inner folds and all of the half
    np.testing.assert_allclose(asked, 1.0)  # standardised


def test_records_of_units_become_a_table(capsys):
    errors = {"a": (5.0, 4.0), "b": (6.0, 4.0), "c": (7.0, 7.0)}
    both = (units.GIVEN, "largest range")
    records = [
        {"repeat": 0, "set": name, "learner": "NCA", "fold": 0, "unit": unit, "error": error}
        for name, pair in errors.items()
        for unit, error in zip(both, pair, strict=True)
    ]
    units.show(records, list(errors))
    assert "| NCA | largest range | 5.00 | 2/1/0 |" in capsys.readouterr().out
