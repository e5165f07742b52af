"""Records of the zoo are made once, and tables and comparisons say what the records hold."""

import json

import numpy as np
import pytest

bayes = pytest.importorskip("bayes", reason="benchmarks are not part of an installed package")
FAST = ("logistic", "k-nn")


def record(problem, n, repeat, method, excess):
    return {"problem": problem, "n": n, "repeat": repeat, "method": method, "excess": excess}


def test_records_are_made_once_and_continued(tmp_path):
    path = tmp_path / "out" / "records.jsonl"
    bayes.run_missing(path, ["moons"], [60], 1, FAST[:1])
    first = path.read_text()
    bayes.run_missing(path, ["moons"], [60], 1, FAST)
    assert path.read_text().startswith(first)
    assert [r["method"] for r in bayes.read(path)] == list(FAST)
    bayes.run_missing(path, ["moons"], [60], 1, FAST)
    assert len(bayes.read(path)) == 2


def test_methods_meet_the_same_rows_and_the_excess_is_that_of_their_labels():
    one, other = (bayes.measure("linear", 100, 0, method) for method in FAST)
    assert one["bayes"] == other["bayes"]
    X, y, Q, X_test = bayes.rows_of("linear", 100, 0)
    model = bayes.made("logistic", 0, X.shape[1]).fit(X, y)
    P = bayes.PROBLEMS["linear"].posterior(X_test)
    wrong = 1 - P[np.arange(len(P)), model.predict(Q)]
    assert one["excess"] == pytest.approx(100 * wrong.mean() - one["bayes"], abs=2e-4)
    assert 0 < one["excess"] < 10


def test_holes_are_filled_alike_for_all_and_recorded():
    X, _, Q, X_test = bayes.rows_of("missing", 100, 0)
    assert X.shape == (100, 12)
    assert not np.isnan(Q).any()
    np.testing.assert_array_equal(Q[:, 6:], np.isnan(X_test))


def test_a_change_of_the_recipe_is_a_method():
    assert bayes.made("dict(n_steps=3)", 0, 2).recipe.n_steps == 3
    with pytest.raises(TypeError):
        bayes.made("dict(no_such_constant=3)", 0, 2)


def test_tables_use_repeats_that_all_methods_have():
    records = [record("xor", 100, r, m, e) for r, m, e in ((0, "a", 5.0), (0, "b", 2.0), (1, "a", 7.0))]
    np.testing.assert_array_equal(bayes.by_cell(records, 100, ["a", "b"])["xor"], [[5.0, 2.0]])


def test_where_ours_is_behind_is_listed(capsys):
    excess = {"xor": (5.0, 2.0, 3.0), "moons": (1.0, 0.5, 4.0)}
    records = [
        record(problem, 100, repeat, method, value + repeat)
        for problem, values in excess.items()
        for repeat in range(2)
        for method, value in zip(("free-energy", "forest", "svm"), values, strict=True)
    ]
    bayes.tables(records, ["free-energy", "forest", "svm"])
    printed = capsys.readouterr().out
    assert "| mean, N = 100, 2 problems | 3.50 | 1.75 | 4.00 |" in printed
    assert "| lowest, N = 100 | 0 | 2 | 0 |" in printed
    assert "| 100 | xor | 5.50 | forest | +3.00 ± 0.00 |" in printed
    assert "moons | 1.50 | forest" not in printed.split("best other")[1]


def test_committed_records_are_whole():
    records = [json.loads(line) for line in bayes.COMMITTED.read_text().splitlines()]
    keys = [bayes.key(r) for r in records]
    assert len(set(keys)) == len(keys)
    assert {r["problem"] for r in records} == set(bayes.PROBLEMS)
    assert all(r["excess"] >= 0 for r in records)
