"""What parts of the regressor's recipe are worth: lines of fits, and what tables say of them."""

import json

import pytest

choices = pytest.importorskip("regression_choices", reason="benchmarks are not part of an installed package")

NO_TRENDS = "dict(trends=())"


def line(name, change, fold, r2, **more):
    both = {"set": name, "change": change, "repeat": 0, "fold": fold, "r2": r2, "coverage": [0.8, 0.9, 0.95]}
    return {**both, "pinball": 0.1, "seconds": 2.0, **more}


def lines():
    """Without trends auto loses ten points, boston gains two, and quakes has no second fit."""
    found = []
    for fold in range(2):
        found += [line("auto", "dict()", fold, 0.8), line("auto", NO_TRENDS, fold, 0.7, seconds=1.0)]
        found += [line("boston", "dict()", fold, 0.5 + fold / 10), line("boston", NO_TRENDS, fold, 0.52 + fold / 10)]
        found += [line("ridge-2000", "dict()", fold, 0.9, excess=0.1 + fold / 5)]
    return [*found, line("quakes", "dict()", 0, 0.1), line("wage", "dict()", 0, 0.3)]


def test_tables_of_lines(tmp_path, capsys):
    path = tmp_path / "choices.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines()))
    choices.show(path, "choosing")
    printed = capsys.readouterr().out
    assert printed.startswith("4 choosing sets, 11 fits")
    assert "| no trends | 63.50 | -4.00 | 1-1 |" in printed
    assert "| the default | 48.33 |" in printed  # with quakes, where nothing else was tried
    assert "| the default | 20.0 | 1.00 |" in printed  # of the problem
    choices.show(path, "confirming")
    assert "1 confirming sets, 1 fits" in capsys.readouterr().out


def test_a_run_goes_on_where_it_was_killed(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(choices, "sets_of", lambda role, sample_rows: ["auto", "boston"])
    monkeypatch.setattr(choices, "fitted", lambda *job: made.append(job) or line(*job[:2], job[3], 0.5))
    path = tmp_path / "choices.jsonl"
    path.write_text(json.dumps(line("auto", "dict()", 1, 0.5)) + "\n")
    arguments = choices.arguments_of(["--run", str(path), "--changes", NO_TRENDS, "--repeats", "1"])
    choices.run_missing(arguments)
    assert len(made) == 7
    assert ("auto", "dict()", 0, 1, None) not in made
    choices.run_missing(arguments)
    assert len(made) == 7
    assert len(choices.read(path)) == 8


def test_a_fit_is_of_the_half_and_the_recipe_that_it_names(monkeypatch):
    met = []

    class Stand:
        def __init__(self, recipe, random_state):
            met.append((recipe.trends, random_state))

        def fit(self, X, y):
            self.mean = y.mean()
            return self

        def predict(self, X):
            return 0 * X[:, 0] + self.mean

        def predict_quantiles(self, X, q):
            return self.predict(X)[:, None] + 0 * choices.np.asarray(q)

    monkeypatch.setattr(choices, "FreeEnergyRegressor", Stand)
    found = choices.fitted("linear-50", NO_TRENDS, 1, 1)
    assert met == [((), 3)]
    assert found["set"] == "linear-50"
    assert abs(found["r2"]) < 0.2  # a mean explains nothing
    assert found["excess"] > 1


def test_records_that_are_not_there(tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text("")
    with pytest.raises(SystemExit, match="no records of confirming sets"):
        choices.show(path, "confirming")
