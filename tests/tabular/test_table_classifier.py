"""TableClassifier: what the command line does with files, on frames, by scikit-learn's habits."""

import datetime as dt
import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

import freemetric
from freemetric import (
    NCA,
    RCA,
    Euclidean,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
    Recipe,
    TableClassifier,
)
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.tabular import InputError, TableModel, read

from ..test_contract import with_checks

QUICK = MetricKNeighborsClassifier(Euclidean(), 3)
FAST = {"n_replicas": 4, "recipe": Recipe(candidates=["scaled/diagonal"])}


@pytest.fixture(scope="module")
def rich(mixed):
    """Every kind of column beside those of ``mixed``: dates, truth values, categories, nullable integers."""
    rng = np.random.default_rng(1)
    n = len(mixed)
    return mixed.assign(
        born=pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 5000, n), unit="D"),
        member=rng.random(n) > 0.5,
        grade=pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "mid", "top", "never"]),
        visits=pd.array(rng.integers(0, 9, n), dtype="Int64"),
    )[["size", "age", "colour", "sex", "town", "born", "member", "grade", "visits", "class"]]


@pytest.fixture(scope="module")
def path(rich, tmp_path_factory):
    path = tmp_path_factory.mktemp("rich") / "rich.csv"
    rich.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def of_file(path):
    with warnings.catch_warnings(action="ignore"):
        return TableModel.fit(read(path), "class", "rca", parameters={"n_neighbors": 3})


def split(frame):
    return frame.drop(columns="class"), frame["class"]


READERS = {
    "the frame": lambda rich, path: rich,
    "pandas": lambda rich, path: pd.read_csv(path),
    "pandas, dates read": lambda rich, path: pd.read_csv(path, parse_dates=["born"]),
    "pandas, Arrow's types": lambda rich, path: pd.read_csv(path, dtype_backend="pyarrow"),
    "pandas, texts": lambda rich, path: pd.read_csv(path, dtype=str, keep_default_na=False),
    "polars": lambda rich, path: pl.read_csv(path),
    "polars, dates read": lambda rich, path: pl.read_csv(path, try_parse_dates=True),
    "pyarrow": lambda rich, path: pl.read_csv(path).to_arrow(),
}


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize("reader", READERS)
def test_a_frame_gives_what_its_file_gives(reader, rich, path, of_file):
    frame = READERS[reader](rich, path)
    model = TableClassifier(MetricKNeighborsClassifier(RCA(), 3), random_state=0).fit(frame, "class")
    assert model.model_.schema == of_file.schema
    np.testing.assert_array_equal(model.predict_proba(frame), of_file.predict(read(path), proba=True)[1])
    np.testing.assert_array_equal(model.transform(frame), of_file.transform(read(path)))
    assert model.feature_names() == of_file.feature_names()


@pytest.mark.slow
def test_a_fresh_process_loads_the_file(rich, tmp_path):
    X, y = split(rich)
    model = TableClassifier(QUICK, nominal=["visits"]).fit(X, y)
    model.save(tmp_path / "a.fm")
    X.to_pickle(tmp_path / "X.pkl")
    script = "import sys, freemetric as f, pandas as p; print(*f.load(sys.argv[1]).predict(p.read_pickle(sys.argv[2])))"
    words = [sys.executable, "-W", "error", "-c", script, tmp_path / "a.fm", tmp_path / "X.pkl"]
    predicted = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert predicted == model.predict(X).tolist()
    loaded = freemetric.load(tmp_path / "a.fm")
    assert repr(loaded) == repr(model)
    assert loaded.columns_ == list(X)
    assert list(loaded.feature_names_in_) == list(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("columns_", ["a"]),
        ("columns_", [1] * 9),
        ("n_features_in_", 3),
        ("classes_", np.array(["a", "b"])),
        ("model_", Euclidean()),
    ],
)
def test_files_hold_what_belongs_together(name, value, rich, tmp_path):
    model = TableClassifier(QUICK).fit(*split(rich))
    setattr(model, name, value)
    with pytest.raises(ModelFileError, match=r"^TableClassifier cannot be saved: "):
        model.save(tmp_path / "a.fm")


def test_what_cannot_be_saved_is_said(rich, tmp_path):
    model = TableClassifier(RandomForestClassifier(5, random_state=0)).fit(*split(rich))
    assert model.predict_proba(rich).shape == (80, 2)
    with pytest.raises(ModelFileError, match="RandomForestClassifier, which files do not know"):
        model.save(tmp_path / "a.fm")
    with pytest.raises(TypeError, match="RandomForestClassifier has learned no distance to map by"):
        model.transform(rich)


@pytest.mark.slow
def test_parameters_of_the_learner_are_reached(rich):
    X, y = split(rich)
    model = TableClassifier(NCA(max_iter=3), random_state=0)
    assert clone(model).get_params()["classifier__max_iter"] == 3
    usual = clone(TableClassifier().set_params(classifier__n_replicas=7, drop=["town"]))
    assert (usual.classifier.n_replicas, usual.drop) == (7, ["town"])
    scores = cross_val_score(TableClassifier(QUICK), X, y, cv=2)
    assert scores.shape == (2,)
    polars = pl.from_pandas(X)
    np.testing.assert_array_equal(cross_val_score(TableClassifier(QUICK), polars, y, cv=2), scores)
    search = GridSearchCV(TableClassifier(QUICK), {"classifier__n_neighbors": [1, 5], "drop": [["town"]]}, cv=2)
    assert set(search.fit(X, y).best_params_) == {"classifier__n_neighbors", "drop"}
    assert search.predict(X).shape == (80,)
    shorter = FunctionTransformer(lambda frame: frame.drop(columns="age"))
    pipeline = make_pipeline(shorter, TableClassifier(QUICK)).fit(X, y)
    assert pipeline.score(X, y) > 0.7
    assert "age" not in pipeline[-1].columns_


def test_columns_are_matched_by_name(rich):
    X, y = split(rich)
    model = TableClassifier(QUICK).fit(X, y)
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X[X.columns[::-1]]), expected)
    with pytest.warns(DataWarning, match=r"^X: columns ignored: 'new'$"):
        np.testing.assert_array_equal(model.predict_proba(X.assign(new=1)), expected)
    with pytest.raises(InputError, match=r"^X: no column 'colour', 'town', which the model needs$"):
        model.predict(X.drop(columns=["town", "colour"]))
    with pytest.warns(DataWarning, match=r"^X: categories .* never seen: column 'colour': 'pink' in 1 row$"):
        model.predict(X[:1].assign(colour="pink"))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but TableClassifier was fitted with"):
        np.testing.assert_array_equal(model.predict_proba(X.to_numpy()), expected)
    with pytest.raises(InputError, match="X has 2 features, but TableClassifier is expecting 9 features as input"):
        model.predict(X.to_numpy()[:, :2])


@pytest.mark.filterwarnings("ignore:.*read as dates:freemetric.exceptions.DataWarning")
def test_frames_without_names_of_text(rich):
    X, y = split(rich)
    numbered = X.set_axis(range(9), axis=1)
    model = TableClassifier(QUICK).fit(numbered, y)
    assert not hasattr(model, "feature_names_in_")
    expected = model.predict_proba(numbered)
    np.testing.assert_array_equal(model.predict_proba(numbered[numbered.columns[::-1]]), expected)
    np.testing.assert_array_equal(model.predict_proba(X.to_numpy()), expected)
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    of_rows = TableClassifier(QUICK, drop=["x0"]).fit(X.to_numpy().tolist(), y.tolist())
    np.testing.assert_array_equal(
        TableClassifier(QUICK, drop=[0]).fit(numbered, y).predict_proba(numbered), of_rows.predict_proba(X.to_numpy())
    )
    levels = X.set_axis(pd.MultiIndex.from_product([["a"], X.columns]), axis=1)
    assert TableClassifier(QUICK).fit(levels, y).columns_[0] == "a/size"
    twice = pd.concat([X, -X[["size"]]], axis=1)
    with pytest.warns(DataWarning, match=r"^X: columns of the same name are renamed: 'size_2' \(was 'size'\)$"):
        of_both = TableClassifier(QUICK).fit(twice, y)
    renamed = X.assign(size_2=-X["size"])
    with pytest.warns(DataWarning, match="renamed"):
        np.testing.assert_array_equal(of_both.predict_proba(twice), of_both.predict_proba(renamed))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1], [0, 1]),
        ([True, False], [False, True]),
        (["b", "a"], ["a", "b"]),
        ([1.0, 2.0], [1, 2]),
        (["10", "9"], ["10", "9"]),
    ],
)
def test_labels_stay_what_they_are(labels, classes, rich, tmp_path):
    X, y = split(rich)
    X = X[["size", "age"]]  # labels are the question
    y = pd.Series(np.where(y == "yes", labels[0], labels[1]), name="class")
    givers = [y, y.tolist(), y.to_numpy(), pl.Series("class", y.tolist()), y.astype("category"), y.convert_dtypes()]
    for given in givers:
        model = TableClassifier(QUICK).fit(X, given)
        assert model.classes_.tolist() == classes
        assert type(model.predict(X).tolist()[0]) is type(np.asarray(given).tolist()[0])
    assert model.score(X, y) == np.mean(model.predict(X) == y.to_numpy())
    model.save(tmp_path / "a.fm")
    assert freemetric.load(tmp_path / "a.fm").predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
def test_rows_without_a_label_are_left_out_and_said(gap, rich):
    X, y = split(rich)
    y = y.astype(object)
    y.iloc[:5] = gap
    with pytest.warns(DataWarning, match=r"^X: 5 rows without a class are left out$"):
        model = TableClassifier(QUICK).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(model.predict(X), TableClassifier(QUICK).fit(X[5:], y[5:]).predict(X))
    assert model.score(X, y) == model.score(X[5:], y[5:])


@pytest.mark.parametrize(
    ("y", "what"),
    [
        ([1.5, 2.5] * 40, r"y: Unknown label type: continuous\..*TableRegressor is for regression$"),
        ([1, "a"] * 40, r"y: labels of several types, number and str; y.astype\(str\)"),
        (pd.cut(pd.Series(range(80)), 2), "y: labels are texts, whole numbers or truth values, not Interval"),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 40, "not date"),
        (["a"] * 80, "class"),
        ([None] * 80, "class"),
        (["a", "b"], "X has 80 rows, and y has 2 labels"),
        (np.zeros((80, 2)), "y should be a 1d array"),
        ("klass", "X: no column 'klass' to predict"),
        (None, "the target y is None"),
        (list(map(str, range(80))), "every row has a class of its own"),
    ],
)
def test_labels_that_are_none_are_said_in_one_line(y, what, rich):
    with pytest.raises(ValueError, match=what) as problem:
        TableClassifier(QUICK).fit(split(rich)[0], y)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("kind", [float, int, str])
def test_many_numbers_may_be_a_quantity(kind, rich):
    with pytest.warns(DataWarning, match=r"column 'y': 25 different numbers in 80 rows are as many classes; Table"):
        model = TableClassifier(QUICK).fit(split(rich)[0], [kind(i % 25) for i in range(80)])
    assert len(model.classes_) == 25


def test_the_class_among_the_columns(rich):
    X, y = split(rich)
    expected = TableClassifier(QUICK).fit(X, y)
    forgotten = TableClassifier(QUICK).fit(rich, y)  # of the same name: it would tell itself
    assert forgotten.columns_ == expected.columns_
    np.testing.assert_array_equal(forgotten.predict_proba(rich), expected.predict_proba(X))
    np.testing.assert_array_equal(forgotten.predict_proba(X), expected.predict_proba(X))


def test_an_index_in_another_order_is_said(rich):
    X, y = split(rich)
    with pytest.warns(DataWarning, match=r"y has the rows of X in another order.*y.loc\[X.index\]"):
        TableClassifier(QUICK).fit(X, y.sample(frac=1, random_state=0))
    moved = TableClassifier(QUICK).fit(X, y.set_axis(range(1000, 1080)))  # by place, as in scikit-learn
    np.testing.assert_array_equal(moved.predict(X), TableClassifier(QUICK).fit(X, y).predict(X))


def test_columns_that_are_of_no_use(rich):
    X, y = split(rich)
    more = X.assign(none=None, one=1, tags=[[1]] * 80, key=range(80))
    with pytest.raises(InputError, match=r"^X: column 'tags' holds a list, .*; drop=\[COLUMN\] leaves it out$"):
        TableClassifier(QUICK).fit(more, y)
    with pytest.warns(DataWarning) as said:
        model = TableClassifier(QUICK, drop=["tags"]).fit(more, y)
    messages = [str(warning.message) for warning in said]
    assert messages[0] == "X: left out: column 'key', it numbers the rows; keep=[COLUMN] keeps one"
    assert messages[1] == "X: left out: column 'none', it has no value at all; column 'one', it is constant"
    np.testing.assert_array_equal(model.predict_proba(more), TableClassifier(QUICK).fit(X, y).predict_proba(X))
    with pytest.raises(InputError, match=r"^X: no column is of use; column 'one', it is constant$"):
        TableClassifier(QUICK).fit(more[["one"]], y)
    with pytest.raises(InputError, match="X: no column 'missing'; there are 'size'"):
        TableClassifier(QUICK, keep=["missing"]).fit(X, y)
    assert TableClassifier(QUICK).fit(X[["size"]], y).score(X[["size"]], y) > 0.8


def test_weights(rich):
    X, y = split(rich)
    weights = np.random.default_rng(0).random(80)
    model = TableClassifier(FreeEnergyClassifier(**FAST), random_state=0)
    weighed = clone(model).fit(X, y, sample_weight=pd.Series(weights))
    features = weighed.features(X)
    alone = FreeEnergyClassifier(**FAST, random_state=0).fit(features, y, sample_weight=weights)
    np.testing.assert_allclose(weighed.predict_proba(X), alone.predict_proba(features))
    assert weighed.oob_score_ == alone.oob_score_
    with pytest.raises(InputError, match=r"^MetricKNeighborsClassifier cannot weigh rows; FreeEnergyClassifier can$"):
        TableClassifier(QUICK).fit(X, y, sample_weight=weights)


def test_costs_and_rejection_reach_the_classifier(rich):
    X, y = split(rich)
    model = TableClassifier(FreeEnergyClassifier(**FAST, random_state=0)).fit(X, y)
    costs = 1.0 - np.eye(len(model.classes_))
    costs[0] *= 30
    careful = model.predict(X, costs=costs)
    np.testing.assert_array_equal(careful, model.classes_[(model.predict_proba(X) @ costs).argmin(axis=1)])
    assert (careful != model.predict(X)).any()
    far = X[:2].assign(size=1e6, age=1e6)
    assert model.predict(far, reject=0.05).mask.all()
    assert not model.predict(X[:2], reject=0.05).mask.any()
    with pytest.raises(InputError, match="costs and reject are for FreeEnergyClassifier, not for MetricKNeighbors"):
        TableClassifier(QUICK).fit(X, y).predict(X, reject=0.05)


def test_set_output_and_names(rich):
    X, y = split(rich)
    model = TableClassifier(QUICK).fit(X, y).set_output(transform="pandas")
    Z = model.transform(X)
    assert list(Z) == list(model.get_feature_names_out())
    assert Z.shape == (80, len(model.feature_names()))
    assert {"colour = red", "born: days", "member = True"} <= set(model.feature_names())
    assert sum(weight.share for weight in model.weights()) == pytest.approx(100)


def test_before_a_fit():
    with pytest.raises(NotFittedError):
        TableClassifier().predict([[1]])
    assert "TableClassifier" in TableClassifier()._repr_html_()
    assert not hasattr(TableClassifier(), "oob_score_")


@pytest.mark.slow
def test_shown_and_reported(rich, tmp_path):
    pytest.importorskip("plotly")
    X, y = split(rich)
    model = TableClassifier(FreeEnergyClassifier(**FAST), random_state=0).fit(X, y)
    assert "out-of-bag" in model._repr_html_()
    page = model.report(tmp_path / "a.html", X, y).read_text()
    assert "colour = red" in page
    assert model.report(tmp_path / "b.html").stat().st_size > 10_000
    assert model.report(tmp_path / "c.html", rich, "class").stat().st_size > 10_000


def test_displays_look_into_it(rich):
    pytest.importorskip("matplotlib").use("Agg")
    from freemetric.display import EmbeddingDisplay, MetricDisplay

    X, y = split(rich)
    model = TableClassifier(QUICK).fit(X, y)
    EmbeddingDisplay.from_estimator(model, X, y)
    MetricDisplay.from_estimator(model)


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
def test_exported(rich, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    to_onnx = pytest.importorskip("freemetric.onnx_export").to_onnx
    X, y = split(rich)
    model = TableClassifier(FreeEnergyClassifier(**FAST).set_params(recipe__shortlist=None), random_state=0).fit(X, y)
    graph = to_onnx(model)
    session = runtime.InferenceSession(graph.SerializeToString())
    frame = model.frame(X)
    columns = json.loads({entry.key: entry.value for entry in graph.metadata_props}["columns"])
    cells = [frame[name].fillna("") if frame[name].dtype == object else frame[name] for name in columns]
    inputs = zip(session.get_inputs(), cells, strict=True)
    feed = {put.name: values.to_numpy()[:, None] for put, values in inputs}
    label, chances = session.run(["label", "probabilities"], feed)
    np.testing.assert_allclose(chances, model.predict_proba(X), atol=1e-6)
    assert label.ravel().tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("learner", [FreeEnergyClassifier(), NCA(), MetricKNeighborsClassifier(NCA())])
def test_learners_of_numbers_point_here(learner, rich):
    X, y = split(rich)
    here = "freemetric.TableClassifier takes tables as they are: names, dates, gaps."
    words = "X has columns that are no numbers: 'colour', 'sex', 'town', 'born', 'grade'"
    for frame in (X, pl.from_pandas(X)):
        with pytest.raises(ValueError, match="TableClassifier") as problem:
            learner.fit(frame, y)
        assert str(problem.value) == f"{words}; {here}"
    for gaps in (X[["age", "size"]], X[["age", "size"]].to_numpy()):
        if get_tags(learner).input_tags.allow_nan:
            continue
        with pytest.raises(ValueError, match="TableClassifier") as problem:
            learner.fit(gaps, y)
        assert str(problem.value) == f"Input X contains NaN; {here}"


def test_table_models_point_here(rich):
    with pytest.raises(InputError, match=r"not DataFrame; freemetric.TableClassifier and TableRegressor take frames$"):
        TableModel.fit(rich, "class")


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@with_checks([TableClassifier(MetricKNeighborsClassifier(RCA(), 3))])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_records_as_json_has_them(rich):
    X, y = split(rich)
    X = X[["size", "age", "colour"]]
    X, y = X.astype(object).where(X.notna(), None), y.tolist()
    records = json.loads(json.dumps(X.to_dict("records")))
    model, of_frame = (TableClassifier(QUICK).fit(given, y) for given in (records, X))
    assert model.columns_ == ["size", "age", "colour"]
    np.testing.assert_array_equal(model.predict(records), of_frame.predict(X))
    np.testing.assert_array_equal(model.predict_proba(records[:3]), of_frame.predict_proba(X[:3]))
    assert model.score(records, y) == of_frame.score(X, y)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(records), np.log(model.predict_proba(records)))
    ours, theirs = (cross_val_score(TableClassifier(QUICK), given, y, cv=2) for given in (records, X))
    np.testing.assert_array_equal(ours, theirs)
    named = [{**record, "class": label} for record, label in zip(records, y, strict=True)]
    own = TableClassifier(QUICK).fit(named, "class")
    assert own.columns_ == model.columns_
    assert own.score(named, "class") == model.score(records, y)
    without = [{name: value for name, value in record.items() if value is not None} for record in records]
    np.testing.assert_array_equal(model.predict_proba(without), model.predict_proba(records))
    with pytest.raises(InputError, match=r"^X: no column 'age', 'colour', which the model needs$"):
        model.predict([{"size": 1.0}])


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_importances_of_the_columns(rich):
    X, y = split(rich)
    model = TableClassifier(FreeEnergyClassifier(**FAST), drop=["age"], random_state=0).fit(X, y)
    assert "feature_importances_" not in dir(model)  # until they are computed
    found = model.importances()
    by_name = dict(zip(found.names, found.mean, strict=True))
    assert model.feature_importances_.tolist() == [by_name.get(name, 0.0) for name in model.columns_]
    assert model.feature_importances_[model.columns_.index("age")] == 0
    assert "feature_importances_" in dir(model)
    assert not hasattr(TableClassifier(QUICK).fit(X, y), "feature_importances_")
    assert not hasattr(TableClassifier(), "feature_importances_")
