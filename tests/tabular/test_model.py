"""A model of a table: saved, loaded, and equal to its own pipeline on a DataFrame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import freemetric
from freemetric import files
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.mc import Annealing
from freemetric.sklearn_compat import CALLBACKS
from freemetric.tabular import InputError, TableModel, by_column, read
from freemetric.tabular.methods import FITTED, steps_reported

QUICK = {"n_neighbors": 3}


@pytest.fixture(scope="module")
def model(mixed, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "mixed.csv"
    mixed.to_csv(path, index=False)
    return TableModel.fit(read(path), "class", "nca", parameters=QUICK)


def test_the_pipeline_takes_a_data_frame_too(model, mixed, written, tmp_path):
    model.save(tmp_path / "a.fm")
    loaded = TableModel.load(tmp_path / "a.fm")
    labels, chances = loaded.predict(read(written), proba=True)
    X = pd.read_csv(written).drop(columns="class")
    pipeline = freemetric.load(tmp_path / "a.fm")
    np.testing.assert_array_equal(labels, pipeline.predict(X))
    np.testing.assert_array_equal(chances, pipeline.predict_proba(X))
    assert loaded.accuracy(read(written), labels) == pipeline.score(X, mixed["class"])
    assert loaded.schema == model.schema
    assert loaded.notes == {**model.notes, "options": {}}


def test_distances_after_transform_are_the_learned_ones(model, written):
    Z = model.transform(read(written))
    X = model.pipeline[:-1].transform(model.schema.frame(read(written)))
    learner = model.pipeline[-1].learner_
    expected = learner.pair_distance(np.stack([X[:10], X[10:20]], axis=1))
    np.testing.assert_allclose(np.linalg.norm(Z[:10] - Z[10:20], axis=1), expected)


def test_weights_of_the_euclidean_metric_are_variances(written):
    model = TableModel.fit(read(written), "class", "euclidean", parameters=QUICK)
    weights = model.weights()
    X = model.pipeline[:-1].transform(model.schema.frame(read(written)))
    values, vectors = np.linalg.eigh(np.cov(X, rowvar=False))
    seen = vectors[:, values > 1e-9]
    shares = np.diag(seen @ seen.T) * X.var(axis=0)
    np.testing.assert_allclose(sorted(w.share for w in weights), sorted(100 * shares / shares.sum()))
    assert sum(by_column(weights).values()) == pytest.approx(100)
    assert set(by_column(weights)) == {"size", "age", "colour", "sex", "town"}


@pytest.mark.parametrize("method", ["euclidean", "free-energy"])
def test_ranges_are_those_of_the_training_values(method, written, mixed):
    parameters = {"n_replicas": 2} if method == "free-energy" else QUICK
    model = TableModel.fit(read(written), "class", method, parameters=parameters)
    assert model.ranges["age"] == pytest.approx((mixed["age"].min(), mixed["age"].max()))


def test_an_ensemble_sees_ratios_of_positive_numbers(rng, tmp_path):
    """Which side of a balance goes down depends on products, whose logarithms are sums."""
    frame = pd.DataFrame(rng.lognormal(3, 1, (200, 4)).round(2), columns=list("abcd"))
    frame["side"] = np.where(frame["a"] * frame["b"] > frame["c"] * frame["d"], "left", "right")
    frame.to_csv(path := tmp_path / "balance.csv", index=False)
    ensemble = TableModel.fit(read(path), "side", "free-energy", parameters={"n_replicas": 20}).pipeline[-1]
    best = ensemble.ensemble_.members[int(ensemble.ensemble_.member_weights.argmax())]
    assert best.candidate.view == "logs"
    assert ensemble.oob_score_ > 0.94


def slow_or_not(method):
    is_fast = method in ("dmlfe", "itml", "lmnn", "rca", "scml")
    return pytest.param(method, marks=[] if is_fast else pytest.mark.slow)


@pytest.mark.parametrize("method", [slow_or_not(m) for m in FITTED if m not in ("free-energy", "nca", "euclidean")])
def test_every_learner_is_saved_and_loaded(method, written, tmp_path):
    table = read(written)
    model = TableModel.fit(table, "class", method, parameters={} if method in ("lfda", "lmnn", "dmlmj") else QUICK)
    model.save(tmp_path / "a.fm")
    np.testing.assert_array_equal(TableModel.load(tmp_path / "a.fm").predict(table)[0], model.predict(table)[0])


@pytest.mark.parametrize("texts", [("1", "2"), ("True", "False"), ("a b", "c,d")])
def test_labels_of_any_type(texts, mixed, tmp_path):
    frame = mixed.assign(**{"class": np.where(mixed["class"] == "yes", *texts)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    table = read(tmp_path / "a.csv")
    model = TableModel.fit(table, "class", "euclidean", parameters={"n_neighbors": 1})
    model.save(tmp_path / "a.fm")
    labels, _ = TableModel.load(tmp_path / "a.fm").predict(table)
    assert model.accuracy(table, labels) == 1
    assert {str(label) for label in labels} == set(texts)


def test_rows_without_a_class_are_left_out_and_said(mixed, tmp_path):
    frame = mixed.copy()
    frame.loc[:2, "class"] = None
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.warns(DataWarning, match="3 rows without a class are left out"):
        model = TableModel.fit(read(tmp_path / "a.csv"), "class", "euclidean", parameters=QUICK)
    assert model.notes["rows"] == 77


def test_wrong_methods_and_parameters_are_reported_at_once(written):
    table = read(written)
    with pytest.raises(InputError, match="unknown method 'rf'"):  # it cannot be saved
        TableModel.fit(table, "class", "rf")
    with pytest.raises(InputError, match="method 'nca': Invalid parameter 'speed'"):
        TableModel.fit(table, "class", "nca", parameters={"speed": 1})
    with pytest.raises(InputError, match="method 'nca': The 'max_iter' parameter of NCA"):
        TableModel.fit(table, "class", "nca", parameters={"max_iter": -3})


def test_other_models_are_refused(model, tmp_path, iris):
    freemetric.PCA().fit(*iris).save(tmp_path / "a.fm")
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "a.fm")
    model.save(tmp_path / "b.fm")
    about = files.about(tmp_path / "b.fm")
    about["table"]["columns"][0]["name"] = "other"
    files.save(model.pipeline, tmp_path / "b.fm", about=about)
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "b.fm")
    with pytest.raises(FileNotFoundError, match=r"cannot be read \(No such file or directory\)$"):
        TableModel.load(tmp_path / "c.fm")


def test_steps_are_reported_while_a_model_is_fitted(written):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    steps = []
    parameters = {"n_replicas": 4, "recipe__candidates": ["scaled/diagonal"], "recipe__n_neighbors": 3}
    model = TableModel.fit(
        read(written), "class", parameters=parameters, on_step=lambda done, total: steps.append((done, total))
    )
    assert [done for done, _ in steps] == list(range(len(steps)))
    assert len(steps) > 10
    assert all(total is None or done <= total for done, total in steps)
    assert not hasattr(model.pipeline[-1], CALLBACKS)
    quiet = TableModel.fit(read(written), "class", parameters=parameters)
    np.testing.assert_array_equal(quiet.predict(read(written))[0], model.predict(read(written))[0])


def test_the_number_of_steps_is_reported_with_the_first(iris):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    steps = []
    learner = freemetric.DMLFE(sampler=Annealing(n_steps=3), random_state=0)
    with steps_reported(learner, lambda done, total: steps.append((done, total))):
        learner.fit(*iris)
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def weighted_file(mixed, folder, weights):
    path = folder / "weighted.csv"
    mixed.assign(times=weights).to_csv(path, index=False)
    return read(path)


def test_a_column_weighs_the_rows(mixed, written, tmp_path, rng):
    times, few = rng.integers(0, 3, len(mixed)), {"n_replicas": 8}
    weighted = TableModel.fit(weighted_file(mixed, tmp_path, times), "class", weight="times", parameters=few)
    plain = TableModel.fit(read(written), "class", parameters=few)
    assert weighted.schema == plain.schema
    assert (weighted.notes["weight"], plain.notes["weight"]) == ("times", None)
    frame = plain.schema.frame(read(written))
    routed = clone(plain.pipeline).fit(frame, mixed["class"], classifier__sample_weight=times)
    chances = weighted.pipeline.predict_proba(frame)
    np.testing.assert_array_equal(chances, routed.predict_proba(frame))
    assert np.abs(chances - plain.pipeline.predict_proba(frame)).max() > 0.01


@pytest.mark.parametrize(
    ("cell", "problem"),
    [("", "row 3 .*column 'times': has no weight"), ("-2", "row 3 .*-2 is no weight"), ("x", "'x' is not a finite")],
)
def test_a_row_without_a_weight_is_named(cell, problem, mixed, tmp_path):
    weights = ["1"] * len(mixed)
    weights[2] = cell
    with pytest.raises(InputError, match=problem):
        TableModel.fit(weighted_file(mixed, tmp_path, weights), "class", weight="times")


def test_weights_that_cannot_be_used(mixed, tmp_path):
    table = weighted_file(mixed, tmp_path, 0)
    with pytest.raises(InputError, match="every row has the weight 0 in column 'times'"):
        TableModel.fit(table, "class", weight="times")
    with pytest.raises(InputError, match="method 'nca' cannot weigh rows; 'free-energy' can"):
        TableModel.fit(table, "class", "nca", weight="times")
    with pytest.raises(InputError, match="column 'class' is to be predicted and cannot be the weight"):
        TableModel.fit(table, "class", weight="class")
    with pytest.raises(InputError, match="no column 'weigth'"):
        TableModel.fit(table, "class", weight="weigth")


@pytest.mark.parametrize(
    "change",
    [{"classes": 3}, {"classes": [1]}, {"versions": []}, {"weights": [1.0]}, {"weights": "all"}, {"left_out": None}],
    ids=str,
)
def test_altered_notes_are_refused_in_one_line(model, change, tmp_path):
    about = {**model.notes, **model.schema.as_json(), "options": {}, **change}
    files.save(model.pipeline, tmp_path / "a.fm", about={"table": about})
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "a.fm")


def test_rare_names_and_gaps_are_saved_and_loaded(mixed, tmp_path):
    frame = mixed.assign(town=["Rome", "Bonn"] * 40)
    frame.loc[0, "town"], frame.loc[1, "town"], frame.loc[2, "colour"] = None, "Oslo", "mauve"
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.assign(town="new", colour=None).to_csv(tmp_path / "b.csv", index=False)
    model = TableModel.fit(read(tmp_path / "a.csv"), "class", "euclidean", parameters=QUICK)
    assert {"town = others", "colour = others"} <= set(model.feature_names())
    model.save(tmp_path / "a.fm")
    with pytest.warns(DataWarning, match="column 'town': 'new' in 80 rows"):
        pairs = [m.predict(read(tmp_path / "b.csv"))[0] for m in (model, TableModel.load(tmp_path / "a.fm"))]
    np.testing.assert_array_equal(*pairs)


def test_the_estimate_out_of_bag_knows_of_unseen_names(tmp_path):
    """One town is frequent and tells the class; new towns are not that one."""
    rng = np.random.default_rng(5)

    def draw(name, n):
        town = np.minimum(rng.zipf(1.35, n), 4000)
        answer = np.where(rng.random(n) < np.where(town == 1, 0.9, 0.15), "yes", "no")
        frame = pd.DataFrame({"x": rng.normal(size=n).round(3), "town": [f"t{i}" for i in town], "class": answer})
        frame.to_csv(tmp_path / name, index=False)
        return read(tmp_path / name)

    train, new = draw("a.csv", 300), draw("b.csv", 1000)
    model = TableModel.fit(train, "class", parameters={"n_replicas": 8, "recipe__candidates": ["scaled/diagonal"]})
    with pytest.warns(DataWarning, match="never seen"):
        labels, _ = model.predict(new)
    assert abs(model.accuracy(new, labels) - model.pipeline[-1].oob_score_) < 0.05
