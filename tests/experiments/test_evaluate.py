"""Methods on one's own table: as cross-validation of scikit-learn says."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from freemetric.experiments import demo, evaluate


def test_errors_are_those_of_cross_validation():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    found = evaluate(X, y, {"forest": forest}, cv=folds)
    accuracy = cross_val_score(forest, X, y, cv=folds)
    row, baseline = found.scores()
    assert row["error"] == pytest.approx(100 * (1 - accuracy.mean()), abs=1e-4)
    spread = 100 * accuracy.std(ddof=1)
    expected = spread * np.sqrt(1 / 3 + found.test_share)
    assert row["error_se"] == pytest.approx(expected, abs=1e-4)
    assert found.test_share == pytest.approx(1 / 2, abs=0.02)
    assert baseline["method"] == "constant"
    assert baseline["error"] == pytest.approx(100 * (1 - 71 / 178), abs=0.5)


@pytest.mark.slow
def test_a_regression():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=0)
    found = evaluate(X, y, {"plane": LinearRegression()}, cv=folds)
    row, baseline = found.scores()
    r2 = cross_val_score(LinearRegression(), X, y, cv=folds).mean()
    assert row["r2"] == pytest.approx(r2, abs=1e-5)
    assert baseline["rmse"] > row["rmse"]
    assert np.isnan(row["pinball"])
    rows = evaluate(X, y, ["knn"], cv=folds).scores()
    assert rows[0]["pinball"] > 0


def test_the_best_k_of_each_split_is_never_worse():
    X, y = load_iris(return_X_y=True)
    honest, paper = (
        evaluate(X, y, ["euclidean"], protocol=protocol).scores()[0]["error"]
        for protocol in ("honest", "paper")
    )
    assert paper < honest


def test_groups_are_not_parted():
    """Copies of rows: known from the training part, unless they are one group."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(40, 5)), 4, axis=0)
    y = np.repeat(rng.permutation(np.repeat([0, 1], 20)), 4)
    groups = np.repeat(np.arange(40), 4)
    parted = evaluate(X, y, ["euclidean"]).scores()[0]["error"]
    whole = evaluate(X, y, ["euclidean"], groups=groups).scores()[0]["error"]
    assert parted < 5
    assert whole > 30


def test_few_groups():
    X, y = load_iris(return_X_y=True)
    groups = np.resize(["a", "b", "c"], 150)
    records = evaluate(X, y, ["euclidean"], groups=groups).records
    assert {record.job.fold for record in records} == {0, 1, 2}


def test_labels_of_any_kind_and_what_fails():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    folds = StratifiedKFold(2)
    found = evaluate(X, names, {"broken": LinearRegression(positive=7)}, cv=folds)
    row, baseline = found.scores()
    assert np.isnan(row["error"])
    assert found.records[0].failure.startswith("InvalidParameterError")
    assert baseline["error"] == pytest.approx(200 / 3, abs=1e-4)
    assert evaluate(X, X[:, 0], {}, cv=KFold(2)).task == "regression"


@pytest.mark.slow
def test_a_data_frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colours = rng.choice(["red", "green", "blue"], 120)
    frame = pd.DataFrame({"size": rng.normal(size=120), "colour": colours})
    found = evaluate(frame, colours == "red", ["rf"], cv=StratifiedKFold(3))
    assert found.records[0].failure is None
    assert found.scores()[0]["error"] == 0


@pytest.mark.slow
def test_the_demo(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    demo.main(tmp_path)
    printed = capsys.readouterr().out
    assert "wine: 178 samples" in printed
    assert (tmp_path / "demo.png").exists()
