"""TableRegressor: what the command line does with files that have a number to predict, on frames."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import freemetric
from freemetric import (
    MLKR,
    NCA,
    Euclidean,
    FreeEnergyRegressor,
    MetricKNeighborsRegressor,
    Recipe,
    TableClassifier,
    TableRegressor,
)
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.tabular import InputError, TableModel, read

from ..test_contract import with_checks

QUICK = MetricKNeighborsRegressor(Euclidean(), 3)
FAST = {"n_replicas": 4, "recipe": Recipe(candidates=["scaled/diagonal"])}


@pytest.fixture(scope="module")
def homes(mixed):
    """Numbers, gaps, names, dates and truth values, and a price that depends on some of them."""
    rng = np.random.default_rng(1)
    n = len(mixed)
    frame = mixed.drop(columns="class").assign(
        built=pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 5000, n), unit="D"),
        garden=rng.random(n) > 0.5,
    )
    frame["price"] = (100 + 20 * frame["size"] + 15 * (frame["colour"] == "red") + rng.normal(size=n)).round(2)
    return frame


@pytest.fixture(scope="module")
def path(homes, tmp_path_factory):
    path = tmp_path_factory.mktemp("homes") / "homes.csv"
    homes.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def of_file(path):
    with warnings.catch_warnings(action="ignore"):
        return TableModel.fit(read(path), "price", "mlkr", parameters={"n_neighbors": 3})


def split(frame):
    return frame.drop(columns="price"), frame["price"]


READERS = {
    "the frame": lambda homes, path: homes,
    "pandas, texts": lambda homes, path: pd.read_csv(path, dtype=str, keep_default_na=False),
    "polars": lambda homes, path: pl.read_csv(path),
    "pyarrow": lambda homes, path: pl.read_csv(path).to_arrow(),
}


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize("reader", READERS)
def test_a_frame_gives_what_its_file_gives(reader, homes, path, of_file):
    frame = READERS[reader](homes, path)
    model = TableRegressor(MetricKNeighborsRegressor(MLKR(), 3), random_state=0).fit(frame, "price")
    assert model.model_.schema == of_file.schema
    np.testing.assert_array_equal(model.predict(frame), of_file.predict(read(path))[0])
    np.testing.assert_array_equal(model.transform(frame), of_file.transform(read(path)))
    assert model.score(frame, "price") == pytest.approx(r2_score(homes["price"], model.predict(frame)))


def test_the_usual_regressor_with_weights_intervals_and_a_file(homes, tmp_path):
    X, y = split(homes)
    weights = np.random.default_rng(0).random(80)
    model = TableRegressor(FreeEnergyRegressor(**FAST), random_state=0).fit(X, y, sample_weight=weights)
    features = model.features(X)
    alone = FreeEnergyRegressor(**FAST, random_state=0).fit(features, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict(X), alone.predict(features))
    np.testing.assert_allclose(model.predict_interval(X, 0.2), alone.predict_interval(features, 0.2))
    np.testing.assert_allclose(model.predict_quantiles(X, [0.3, 0.6]), alone.predict_quantiles(features, [0.3, 0.6]))
    assert model.predict_quantiles(X, 0.5).shape == (80,)
    assert model.oob_score_ == alone.oob_score_ > 0.8
    found = dict(zip(model.importances().names, model.importances().mean, strict=True))
    assert max(found, key=found.__getitem__) == "size"
    assert sum(weight.share for weight in model.weights()) == pytest.approx(100)
    model.save(tmp_path / "a.fm")
    loaded = freemetric.load(tmp_path / "a.fm")
    assert repr(loaded) == repr(model)
    np.testing.assert_array_equal(loaded.predict(X[X.columns[::-1]]), model.predict(X))
    of_commands = TableModel.load(tmp_path / "a.fm")
    assert of_commands.predicts_numbers
    assert type(TableRegressor().made()) is FreeEnergyRegressor


@pytest.mark.slow
def test_with_scikit_learn(homes):
    X, y = split(homes)
    assert is_regressor(TableRegressor())
    scores = cross_val_score(TableRegressor(QUICK), X, y, cv=2)
    np.testing.assert_array_equal(cross_val_score(TableRegressor(QUICK), pl.from_pandas(X), y, cv=2), scores)
    usual = clone(TableRegressor().set_params(regressor__n_replicas=7, drop=["town"]))
    assert (usual.regressor.n_replicas, usual.drop) == (7, ["town"])
    grid = {"regressor__n_neighbors": [1, 5], "drop": [["town"]]}
    search = GridSearchCV(TableRegressor(QUICK), grid, cv=2).fit(X, y)
    assert set(search.best_params_) == set(grid)
    shorter = FunctionTransformer(lambda frame: frame.drop(columns="age"))
    assert "age" not in make_pipeline(shorter, TableRegressor(QUICK)).fit(X, y)[-1].columns_
    forest = TableRegressor(RandomForestRegressor(5, random_state=0)).fit(X, y)
    assert forest.score(X, y) > 0.8
    assert not hasattr(forest, "predict_interval")
    with pytest.raises(TypeError, match="RandomForestRegressor has learned no distance"):
        forest.transform(X)


@pytest.mark.slow
def test_numbers_however_they_are_held(homes):
    X, y = split(homes)
    expected = TableRegressor(QUICK).fit(X, y).predict(X)
    german = [f"{price:.2f}".replace(".", ",") for price in y]
    given = [y.tolist(), y.to_numpy(), pl.Series("price", y.tolist()), y.astype("Float64"), y.astype(str)]
    for numbers in [*given, pl.Series("price", y.tolist()).to_arrow()]:
        np.testing.assert_array_equal(TableRegressor(QUICK).fit(X, numbers).predict(X), expected)
    with pytest.warns(DataWarning, match=r"^X: column 'y' read as numbers with decimal ',' \("):
        model = TableRegressor(QUICK).fit(X, german)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.score(X, german) == pytest.approx(TableRegressor(QUICK).fit(X, y).score(X, y))
    np.testing.assert_array_equal(
        TableRegressor(QUICK, decimal=",").fit(X.drop(columns="size"), german).predict(X.drop(columns="size")),
        TableRegressor(QUICK).fit(X.drop(columns="size"), y).predict(X.drop(columns="size")),
    )
    whole = TableRegressor(QUICK).fit(X, y.round().astype(int))
    assert whole.predict(X).dtype == np.float64


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_rows_without_a_number_are_left_out_and_said(gap, homes):
    X, y = split(homes)
    y = y.astype(object)
    y.iloc[:5] = gap
    with pytest.warns(DataWarning, match=r"^X: 5 rows without a number are left out$"):
        model = TableRegressor(QUICK).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), TableRegressor(QUICK).fit(X[5:], y[5:]).predict(X))
    assert model.score(X, y) == model.score(X[5:], y[5:])


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (["a", "b"] * 40, r"^X: row 1, column 'y': 'a' is no number to predict; names are classes$"),
        ([1.0] * 80, r"^X: every row has the number '1' in column 'y'; two different ones are needed$"),
        ([None] * 80, r"^X: no row has a number in column 'y'"),
        ([1.0, 2.0], "X has 80 rows, and y has 2 labels"),
        ([1.0, np.inf] * 40, "row 2, column 'y': 'inf' is not a finite number"),
        (["1,234", "2,345"] * 40, "column 'y': '1,234' may be 1234 or 1.234: decimal=',' or thousands=',' says which"),
        (pd.Series(pd.date_range("2020", periods=80)), "is no number to predict"),
        (np.zeros((80, 2)), "y should be a 1d array"),
        ("rent", "X: no column 'rent' to predict"),
        (None, "the target y is None"),
    ],
)
def test_what_is_no_number_is_said_in_one_line(y, what, homes):
    with pytest.raises(InputError, match=what) as problem:
        TableRegressor(QUICK).fit(split(homes)[0], y)
    assert "\n" not in str(problem.value)


def test_what_does_not_belong_together_is_not_saved(homes, tmp_path):
    model = TableRegressor(QUICK).fit(*split(homes))
    model.model_ = TableClassifier(Euclidean()).fit(split(homes)[0], homes["price"] > 100).model_
    with pytest.raises(ModelFileError, match=r"^TableRegressor cannot be saved: .*predicts something else"):
        model.save(tmp_path / "a.fm")
    with pytest.raises(InputError, match=r"^MetricKNeighborsRegressor cannot weigh rows; FreeEnergyRegressor can$"):
        TableRegressor(QUICK).fit(*split(homes), sample_weight=np.ones(80))
    with pytest.raises(NotFittedError):
        TableRegressor().predict([[1]])
    with pytest.raises(
        ValueError, match=r"^Unknown label type: continuous\. Classes are needed here; for regression use MLKR"
    ):
        TableRegressor(NCA()).fit(*split(homes))


@pytest.mark.parametrize("learner", [FreeEnergyRegressor(), MLKR(), QUICK])
def test_learners_of_numbers_point_here(learner, homes):
    X, y = split(homes)
    with pytest.raises(ValueError, match=r"freemetric.TableRegressor takes tables as they are: names, dates, gaps.$"):
        learner.fit(X, y)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@with_checks([TableRegressor(MetricKNeighborsRegressor(MLKR(tol=0.05), 3))])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
