"""Methods from outside: chosen on the training half alone, recorded once, rated as the arena rates."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from freemetric.bench.protocol import halves
from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.bench.results import load_compact

outside = pytest.importorskip("outside", reason="benchmarks are not part of an installed package")

import outside_tables  # noqa: E402
import standing  # noqa: E402
from outside_methods import METHODS, Outsider, pretuned, refusal  # noqa: E402
from outside_methods.families import FAMILIES, Plain  # noqa: E402
from outside_methods.folds import inner_folds  # noqa: E402
from outside_methods.random_search import RandomSearch  # noqa: E402


def scores(rows, methods="ab"):
    """A DataFrame of (set, repeat, fold) by method."""
    index = pd.MultiIndex.from_tuples([(name, i, 0) for i, (name, *_) in enumerate(rows)])
    return pd.DataFrame([values for _, *values in rows], index=index, columns=list(methods))


def installed(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


# --- standing


def test_a_tie_is_half_a_win_and_a_set_counts_once():
    won = standing.duels(scores([("iris", 1.0, 2.0), ("iris", 1.0, 1.0), ("wine", 3.0, 2.0)]))
    np.testing.assert_allclose(won[:, 0, 1], [0.75, 0.0])
    np.testing.assert_allclose(won + won.swapaxes(1, 2), 1.0)


def test_elo_of_two_is_the_logarithm_of_their_odds():
    ratings = standing.elo(np.array([[0, 24.0], [5.0, 0]]), anchor=1)
    np.testing.assert_allclose(ratings, [1000 + 400 * np.log10(24 / 5), 1000], atol=0.01)


def test_elo_finds_the_ratings_that_the_wins_were_made_with():
    ratings = np.array([1000.0, 1266, 1407, 850])
    wins = 38 / (1 + 10 ** ((ratings - ratings[:, None]) / 400))
    np.testing.assert_allclose(standing.elo(wins, anchor=0), ratings, atol=0.05)


def test_elo_stays_finite_where_one_wins_everything():
    ratings = standing.elo(np.array([[0, 9.0], [0, 0]]), anchor=1)
    assert 1000 < ratings[0] < 1e5
    assert ratings[1] == 1000


def test_the_interval_of_elo_holds_the_rating(rng):
    won = standing.duels(scores([(f"set {i}", *rng.normal([0, 0.5])) for i in range(30)]))
    low, high = standing.elo_interval(won, 1, n_draws=100)
    assert low[0] < standing.elo(won.sum(axis=0), 1)[0] < high[0]
    assert low[1] == high[1] == 1000


def test_holm_by_hand():
    np.testing.assert_allclose(standing.holm([0.01, 0.04, 0.03, 0.6]), [0.04, 0.09, 0.09, 0.6])
    np.testing.assert_allclose(standing.holm([0.5, 0.9]), [1.0, 1.0])


# --- the registry


def test_a_method_whose_package_is_missing_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr("outside_methods.find_spec", lambda name: None)
    assert refusal("extra-trees") is None
    for name in ("lightgbm", "catboost-tuned", "realmlp", "tabm-bagged"):
        line = refusal(name)
        assert name in line
        assert METHODS[name].needs in line
        assert "pip install 'freemetric[outside]'" in line
        assert "\n" not in line
    assert "known methods: forest-500" in refusal("no-such-method")


def test_the_command_line_refuses_alike(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("outside_methods.find_spec", lambda name: None)
    monkeypatch.setattr("sys.argv", ["outside.py", "--run", str(tmp_path), "--methods", "catboost"])
    with pytest.raises(SystemExit, match="1"):
        outside.main()
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_splits_are_those_of_the_committed_records():
    jobs = outside.plan(outside.small_sets(), ["extra-trees", "forest-tuned"], outside.REPEATS)
    assert {(job.method, job.setting) for job in jobs} == {("extra-trees", "default"), ("forest-tuned", "tuned")}
    planned = {(job.dataset, job.repeat, job.fold) for job in jobs}
    records = outside.all_records([])
    for method in ("free-energy", "rf", "svm", "hist-boosting"):
        there = [r.job for r in records if r.job.method == method]
        assert planned <= {(job.dataset, job.repeat, job.fold) for job in there}
    assert len(planned) == 290


# --- honesty


class Spy:
    """A family that remembers the rows it was shown; the first feature is the number of the row."""

    first = {"n_neighbors": 1}

    def __init__(self):
        self.shown, self.final = [], None

    def draw(self, rng):
        return {"n_neighbors": int(rng.integers(2, 9))}

    def fit(self, parameters, seed, X, y, held_out=None, rounds=None):
        rows = set(X[:, 0].astype(int).tolist())
        if held_out is None:
            self.final = rows, rounds
        else:
            self.shown.append((rows, set(held_out[0][:, 0].astype(int).tolist())))
        return KNeighborsClassifier(**parameters).fit(X[:, 1:], y), 10 * parameters["n_neighbors"]


def numbered_iris():
    X, y = load_iris(return_X_y=True)
    return np.column_stack([np.arange(len(X)), X]), y


def test_a_search_scores_on_rows_it_did_not_learn_on_and_ends_with_all(monkeypatch):
    X, y = numbered_iris()
    spy = Spy()
    monkeypatch.setattr(
        KNeighborsClassifier, "predict_proba", drop_number(KNeighborsClassifier.predict_proba), raising=True
    )
    search = RandomSearch(spy, n_configurations=4, n_folds=3, random_state=0).fit(X[::2], y[::2])
    everything = set(range(0, 150, 2))
    assert len(spy.shown) == 12
    for learned, held_out in spy.shown:
        assert not learned & held_out
        assert learned | held_out == everything
    assert spy.final == (everything, 10 * search.parameters_["n_neighbors"])


def drop_number(predict_proba):
    return lambda model, X: predict_proba(model, X[:, 1:] if X.shape[1] == 5 else X)


def test_nothing_of_the_test_half_is_seen_before_it_is_scored(monkeypatch):
    seen = []

    class Watching(KNeighborsClassifier):
        def fit(self, X, y):
            seen.append(X[:, 0].astype(int))
            return super().fit(X, y)

    monkeypatch.setitem(METHODS, "watching", Outsider(lambda seed: Watching(), ""))
    X, y = numbered_iris()
    record = outside.evaluate(BenchJob("iris", "watching", 3, 1), X, y)
    train, test = halves(y, 3)[1]
    np.testing.assert_array_equal(seen[0], train)
    expected = KNeighborsClassifier().fit(X[train], y[train]).score(X[test], y[test])
    assert record.honest_error == pytest.approx(100 * (1 - expected))
    assert record.shape == (75, 5, 3)


def test_every_class_is_in_what_is_learned_on(rng):
    y = np.repeat([0, 1, 2, 3], [20, 9, 2, 1])
    folds = list(inner_folds(y, 3, 0))
    for train, held_out in folds:
        assert set(y[train]) == {0, 1, 2, 3}
        assert 3 not in y[held_out]
        assert not set(train) & set(held_out)
    assert sorted(np.concatenate([held_out for _, held_out in folds])) == list(range(31))


# --- records


def made_of(fit):
    class Counting(KNeighborsClassifier):
        def fit(self, X, y):
            fit()
            return super().fit(X, y)

    return Outsider(lambda seed: Counting(), "")


def test_records_are_made_once_and_a_stopped_run_goes_on(monkeypatch, tmp_path):
    fits = []

    def fit():
        fits.append(1)
        if len(fits) == 3:
            raise KeyboardInterrupt

    monkeypatch.setitem(METHODS, "counting", made_of(fit))
    jobs = outside.plan(["iris", "wine"], ["counting"], 1)
    with pytest.raises(KeyboardInterrupt):
        outside.run_missing(jobs, tmp_path)
    assert len(read_all(tmp_path)[0]) == 2
    outside.run_missing(jobs, tmp_path)
    outside.run_missing(jobs, tmp_path)
    records, broken = read_all(tmp_path)
    assert (len(records), len(fits), broken) == (4, 5, [])


def test_a_failed_fit_is_recorded_reported_and_left_out_of_tables(monkeypatch, tmp_path, capsys):
    def fit():
        raise ValueError("too\nhard")

    monkeypatch.setitem(METHODS, "failing", made_of(fit))
    outside.run_missing(outside.plan(["iris"], ["failing"], 1), tmp_path)
    assert "iris, failing, repeat 0, fold 1: ValueError: too hard\n" in capsys.readouterr().out
    records = read_all(tmp_path)[0]
    assert [r.failure for r in records] == ["ValueError: too hard"] * 2
    assert not outside_tables.common(records)


# --- tables


def record(name, method, error, loss, repeat=0):
    probabilities = {} if loss is None else {"brier": loss / 2, "log_loss": loss}
    return Record(
        BenchJob(name, method, repeat, 0), [error], None, error, seconds=1.0, shape=(9, 2, 2), **probabilities
    )


def test_tables_say_what_the_records_hold(capsys):
    records = []
    for i in range(10):
        records += [record(f"set{i}", "free-energy", 10.0, 0.3), record(f"set{i}", "rf", 12.0, 0.2 + 0.2 * (i < 7))]
        records += [record(f"set{i}", "svm", 10.0, None)]
    records.append(record("other", "rf", 99.0, 9.0))  # no split of the others
    outside_tables.tables(records, "free-energy")
    printed = capsys.readouterr().out
    assert "10 splits of 10 sets" in printed
    assert "| free-energy | 10.00 | 0.1500 | 0.3000 | 1.50 | 10 | 1.0 |" in printed
    assert "| svm | 10.00 |  |  | 1.50 | 10 | 1.0 |" in printed
    assert "| rf | -2.00, 10-0-0, p = 0.002, Holm 0.0039 |" in printed
    assert "| svm | +0.00, 0-10-0, p = 1, Holm 1 |  |  |" in printed
    rows = {row.split(" | ")[0]: row for row in printed.split("wins on the same splits")[1].splitlines()}
    assert rows["| rf"].startswith("| rf |  | 1000 |  | 1000 |")
    assert rows["| free-energy"].startswith("| free-energy | 100 | ")
    assert "| 70 | 1147 (" in rows["| free-energy"]  # 400 log10(7 / 3)


@pytest.mark.slow
def test_the_forest_under_another_name_is_rated_as_the_forest():
    committed = outside.all_records([])
    twins = [
        Record(BenchJob(r.job.dataset, "forest-500", r.job.repeat, r.job.fold), r.errors, None, r.honest_error)
        for r in committed
        if r.job.method == "rf" and r.job.dataset in outside.small_sets()
    ]
    table = outside_tables.by_split(outside_tables.common(outside.all_records(twins)), "honest_error")
    won = standing.duels(table)
    names = list(table)
    rf, twin = names.index("rf"), names.index("forest-500")
    assert won.shape == (29, 5, 5)
    assert won[:, twin, rf].tolist() == [0.5] * 29
    assert standing.elo(won.sum(axis=0), rf)[twin] == pytest.approx(1000, abs=0.01)


# --- the methods themselves


@pytest.mark.slow
def test_forests_are_searched_small_and_end_large():
    X, y = numbered_iris()
    search = RandomSearch(FAMILIES["forest"](), n_configurations=2, n_folds=2, random_state=0).fit(X[:, 1:], y)
    assert search.model_.n_estimators == 500
    np.testing.assert_allclose(search.predict_proba(X[:, 1:]).sum(axis=1), 1)


@pytest.mark.parametrize("name", [pytest.param(name, marks=installed(name)) for name in ("lightgbm", "catboost")])
@pytest.mark.filterwarnings("ignore")
def test_boosting_learns_iris_plain_and_tuned(name):
    X, y = load_iris(return_X_y=True)
    plain = Plain(FAMILIES[name](), random_state=0).fit(X[::2], y[::2])
    tuned = RandomSearch(FAMILIES[name](), n_configurations=2, n_folds=2, random_state=0).fit(X[::2], y[::2])
    for model in (plain, tuned):
        assert (model.predict_proba(X[1::2]).argmax(axis=1) == y[1::2]).mean() > 0.85
    assert 1 <= tuned.rounds_ <= 500


# --- methods of pytabkit


def test_pretuned_methods_are_asked_for_with_one_thread_and_five_folds(monkeypatch):
    asked = []
    names = [f"{kind}_{task}" for kind, _ in pretuned.KINDS.values() for task in ("Classifier", "Regressor")]
    stand_in = SimpleNamespace(**{name: lambda name=name, **options: asked.append((name, options)) for name in names})
    monkeypatch.setattr(pretuned, "require", lambda module, extra: stand_in)
    METHODS["realmlp"].make(3)
    METHODS["tabm-bagged"].make(4)
    pretuned.make_pretuned("xgb-td", 5, "Regressor")
    usual = {"device": "cpu", "n_threads": 1}
    assert asked == [
        ("RealMLP_TD_Classifier", {**usual, "random_state": 3, "n_cv": 1}),
        ("TabM_D_Classifier", {**usual, "random_state": 4, "n_cv": 5}),
        ("XGB_TD_Regressor", {**usual, "random_state": 5, "n_cv": 1}),
    ]


@pytest.mark.slow
@installed("pytabkit")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(pretuned.KINDS))
def test_pretuned_methods_learn_iris(name):
    X, y = load_iris(return_X_y=True)
    P = METHODS[name].make(0).fit(X[::2], y[::2]).predict_proba(X[1::2])
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
    assert (P.argmax(axis=1) == y[1::2]).mean() > 0.85


def test_records_of_our_modern_nca_stay_readable_and_it_is_not_run(capsys, monkeypatch, tmp_path):
    assert "pytabkit has none" in refusal("modern-nca")
    monkeypatch.setattr("sys.argv", ["outside.py", "--run", str(tmp_path), "--methods", "modern-nca-bagged"])
    with pytest.raises(SystemExit, match="1"):
        outside.main()
    assert "modern-nca-bagged cannot be run" in capsys.readouterr().err
    committed = outside.all_records(load_compact(outside.OUTSIDE))
    assert {"modern-nca", "modern-nca-bagged"} <= {r.job.method for r in committed}
