"""Comparisons of predicted numbers: errors of a plain loop, scores of scikit-learn's, and what would mislead."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, r2_score, root_mean_squared_error
from sklearn.model_selection import GroupKFold, RepeatedKFold

from freemetric import FreeEnergyRegressor
from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Settings, compare, evaluate
from freemetric.tabular.held_out import LEVELS, QUANTILES, REGRESSION_SCORES, NumberPredictions

PARAMETERS = {
    "free-energy": {"n_replicas": 6, "recipe__candidates": ["scaled/diagonal"]},
    "euclidean": {"n_neighbors": 3},
    "rf": {"n_estimators": 10},
}
QUICK = Settings(folds=3, repeats=1, seed=5, parameters=PARAMETERS, task="regress")


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((120, 3)), columns=["a", "b", "c"])
    X["group"] = [f"g{i % 12}" for i in range(120)]
    X["y"] = (50 * X["a"] - 20 * X["b"] + rng.normal(size=120)).round(3)
    return X


def test_errors_are_those_of_a_plain_loop(points):
    X, y = points[["a", "b", "c"]], points["y"].to_numpy()
    found = compare({"p": evaluate_table(X, y)}, "y", ["rf"], replace(QUICK, repeats=2))
    folds = RepeatedKFold(n_splits=3, n_repeats=2, random_state=5).split(X)
    for split, (train, test) in zip(found, folds, strict=True):
        low, span = X.iloc[train].min(), np.ptp(X.iloc[train], axis=0)
        scaled = ((X - low) / span).to_numpy()
        forest = RandomForestRegressor(10, random_state=5 + split.number).fit(scaled[train], y[train])
        forecast = forest.predict(scaled[test])
        assert split.scores["rmse"] == pytest.approx(root_mean_squared_error(y[test], forecast))
        assert split.scores["mae"] == pytest.approx(mean_absolute_error(y[test], forecast))
        assert split.scores["r2"] == pytest.approx(r2_score(y[test], forecast))
        assert split.error == pytest.approx(100 * root_mean_squared_error(y[test], forecast) / y.std())


def evaluate_table(X, y):
    from freemetric.tabular.frames import as_table

    return as_table(X).with_target("y", np.asarray(y, dtype=float))


def test_intervals_and_quantiles_are_those_of_the_regressor(points):
    X, y = points[["a", "b", "c"]], points["y"].to_numpy()
    found = evaluate(X, y, ["free-energy"], QUICK)
    split = found.cells["X", "free-energy"][0]
    train, test = next(RepeatedKFold(n_splits=3, n_repeats=1, random_state=5).split(X))
    scaled = ((X - X.iloc[train].min()) / np.ptp(X.iloc[train], axis=0)).to_numpy()
    model = FreeEnergyRegressor(random_state=5).set_params(**PARAMETERS["free-energy"]).fit(scaled[train], y[train])
    quantiles = model.predict_quantiles(scaled[test], QUANTILES)
    for q, forecast in zip(QUANTILES, quantiles.T, strict=True):
        assert split.scores[f"pinball_{q}"] == pytest.approx(mean_pinball_loss(y[test], forecast, alpha=q))
    for level in LEVELS:
        low, high = model.predict_interval(scaled[test], 1 - level).T
        name = f"{100 * level:g}"
        assert split.scores[f"coverage_{name}"] == np.mean((low <= y[test]) & (y[test] <= high))
        assert split.scores[f"width_{name}"] == pytest.approx((high - low).mean())
    shown = found.interval_table().markdown()
    assert "| X | free-energy |" in shown
    assert "| X | constant |" in shown
    assert "| Coverage (80) in % | Width (80) |" in shown
    assert found.best("X") == "free-energy"


def test_the_constant_is_the_mean_with_quantiles_of_the_training_numbers(points):
    y = points["y"].to_numpy()
    found = evaluate(points[["a"]], y, ["euclidean"], QUICK)
    train, test = next(RepeatedKFold(n_splits=3, n_repeats=1, random_state=5).split(y))
    scores = found.cells["X", "constant"][0].scores
    assert scores["rmse"] == pytest.approx(root_mean_squared_error(y[test], np.full(len(test), y[train].mean())))
    low, high = np.quantile(y[train], [0.05, 0.95])
    assert scores["coverage_90"] == np.mean((low <= y[test]) & (y[test] <= high))
    assert scores["width_90"] == pytest.approx(high - low)
    assert found.notes() == ["euclidean gives no quantiles, so that it has no pinball loss and no intervals"]


def test_noise_is_not_clearly_better_than_the_mean(points):
    noise = np.random.default_rng(9).normal(size=120)
    notes = evaluate(points[["a", "b"]], noise, ["euclidean"], QUICK).notes()
    assert notes[0].startswith("X: always predicting the mean has an error of ")
    assert "the best method, euclidean, is not clearly better" in notes[0]


def test_groups_are_never_parted(points):
    settings = replace(QUICK, groups="group", learning_curve=True)
    found = evaluate(points, "y", ["euclidean"], settings)
    groups = points["group"].to_numpy()
    for split in found.cells["X", "euclidean"]:
        inside = np.isin(np.arange(120), split.predictions.rows)
        assert not set(groups[inside]) & set(groups[~inside])
    assert "rows of one 'group' are never parted" in found.protocol()
    assert next(iter(GroupKFold(3).split(points, groups=groups)))[1].size == 40  # as many rows as ours
    assert [len(split.predictions.rows) for split in found.cells["X", "euclidean"]] == [40, 40, 40]
    assert found.would_more_help("X", "euclidean").endswith(("help", "ruled out"))


def test_the_learning_curve_falls(points):
    found = evaluate(points[["a", "b", "c", "y"]], "y", ["euclidean"], replace(QUICK, learning_curve=True))
    curve = found.learning_curve("X", "euclidean")
    assert [round(point["rows"]) for point in curve] == [20, 40, 80]
    assert curve[0]["error"] > curve[-1]["error"]
    json.dumps(found.as_json())
    assert found.as_json()["task"] == "regress"
    columns = found.columns()
    assert len(set(map(len, columns.values()))) == 1
    assert {"r2", "mae", "rmse", "pinball_0.5", "coverage_95", "width_95"} <= set(columns)
    forecast = found.details("X", "euclidean")["predictions"]
    assert forecast["truth"] == sorted(points["y"])


def test_scores_of_scikit_learn(points):
    found = evaluate(points[["a", "y"]], "y", ["euclidean"], replace(QUICK, scoring=("neg_median_absolute_error",)))
    split = found.cells["X", "euclidean"][0]
    found = split.predictions
    assert split.scores["neg_median_absolute_error"] == -np.median(np.abs(found.truth - found.predicted))
    for name, message in {
        "roc_auc": "unknown regression score 'roc_auc'; known: r2, mae, rmse,",
        "neg_mean_squared_log_error": "score 'neg_mean_squared_log_error' is not defined for this target",
    }.items():
        with pytest.raises(InputError, match=message):
            evaluate(points[["a", "y"]], "y", ["euclidean"], replace(QUICK, scoring=(name,)))


def test_the_task_is_seen_or_given(points):
    open_ = replace(QUICK, task=None)
    with pytest.warns(DataWarning, match=r"column 'y' is predicted as a number .*Settings\(task='classify'\)"):
        assert evaluate(points[["a", "y"]], "y", ["euclidean"], open_).is_of_numbers
    rated = points.assign(y=np.digitize(points["y"], [0, 10, 20]))
    assert not evaluate(rated[["a", "y"]], "y", ["euclidean"], open_).is_of_numbers
    assert evaluate(rated[["a", "y"]], "y", ["euclidean"], QUICK).is_of_numbers
    tables = {"p": points[["a", "y"]], "q": rated[["a", "y"]]}
    with pytest.raises(InputError, match=r"^q has classes and p has numbers to predict; "):
        evaluate(tables, "y", ["euclidean"], open_)
    with pytest.raises(InputError, match="method 'nca' cannot predict a number; known: free"):
        evaluate(points, "y", ["nca"], QUICK)
    with pytest.raises(InputError, match="X: 2 rows are fewer than 3 folds"):
        evaluate(points[:2], "y", ["euclidean"], QUICK)


def test_what_test_rows_cannot_define():
    found = NumberPredictions(np.arange(3), np.ones(3), np.ones(3), 1.0)
    assert np.isnan(REGRESSION_SCORES["r2"].of(found))
    assert REGRESSION_SCORES["rmse"].of(found) == 0
