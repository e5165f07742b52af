"""Whatever the partitions, the model is that of one process; here without a cluster."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import freemetric
from freemetric import FreeEnergyClassifier, Recipe

pytest.importorskip("dask.dataframe", reason="needs the extra dask")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd

from freemetric.dask import DaskFreeEnergyClassifier, partitioned_samples
from freemetric.learners import training_rows

SETTINGS = {"recipe": replace(Recipe(), n_replicas=8, n_steps=2, most_searched=100), "random_state": 0}
EXACT = {"recipe": replace(SETTINGS["recipe"], shortlist=None), "random_state": 0}
pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


@pytest.fixture(scope="module")
def rows(iris):
    """Few values a feature, so that many rows are equally far, and copies all over the table."""
    X, y = np.round(iris[0], 1), iris[1]
    order = np.random.default_rng(0).permutation(len(X))
    return np.concatenate([X[order], X[order[:30]]]), np.concatenate([y[order], y[order[:30]]])


@pytest.fixture(scope="module")
def one(rows):
    with warnings.catch_warnings(action="ignore"):
        return FreeEnergyClassifier(**EXACT).fit(*rows)


def chunked(rows, size):
    return [da.from_array(part, chunks=(size, *part.shape[1:])) for part in rows]


@pytest.fixture(autouse=True)
def no_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize(
    ("chunks", "scheduler"),
    [
        ((180,), "synchronous"),
        ((1, 79, 0, 33, 67), "threads"),
        pytest.param((180,), "threads", marks=pytest.mark.slow),
        pytest.param((100, 80), "synchronous", marks=pytest.mark.slow),
        pytest.param((100, 80), "threads", marks=pytest.mark.slow),
        pytest.param((1, 79, 0, 33, 67), "synchronous", marks=pytest.mark.slow),
    ],
)
def test_predictions_of_one_process_for_any_chunks(rows, one, chunks, scheduler):
    X, y = rows
    dask.config.set(scheduler=scheduler)  # until the end of the test
    model = DaskFreeEnergyClassifier(**EXACT)
    model.fit(da.from_array(X, chunks=(chunks, 2)), da.from_array(y, chunks=(chunks,)))
    np.testing.assert_array_equal(model.trace_["energy"], one.trace_["energy"])
    P = model.predict_proba(da.from_array(X, chunks=(70, -1)))
    assert P.shape == (180, 3)
    np.testing.assert_allclose(P.compute(), one.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), one.predict(X))  # arrays in, arrays out
    assert model.n_rows_ == len(X)


def test_rows_that_stay_in_their_order(rows, monkeypatch):
    """Very many rows are not sorted; here few are very many."""
    X, y = rows
    y = np.where(np.arange(len(y)) % 7, y, -1)
    monkeypatch.setattr(training_rows, "MOST_ORDERED", 50)
    monkeypatch.setattr(partitioned_samples, "MOST_ORDERED", 50)
    monkeypatch.setattr(partitioned_samples, "MOST_TOGETHER", 40)
    one = FreeEnergyClassifier(**EXACT).fit(X, y)
    model = DaskFreeEnergyClassifier(**EXACT).fit(*chunked((X, y), 100))
    np.testing.assert_array_equal(model.trace_["energy"], one.trace_["energy"])
    np.testing.assert_array_equal(model.predict(X), one.predict(X))


@pytest.mark.parametrize("names", [np.array(["rose", "iris", "lily"]), np.array([2.0, 7.0, 5.0]), [True, False, True]])
def test_dataframes_of_unknown_lengths_and_labels_of_any_type(rows, names):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=np.asarray(names)[y])
    table = dd.from_pandas(frame, npartitions=3)
    table = table[table["a"] >= 0]  # lengths are unknown from here on
    model = DaskFreeEnergyClassifier(**EXACT).fit(table[list("abcd")], table["label"])
    one = FreeEnergyClassifier(**EXACT).fit(frame[list("abcd")], frame["label"])
    predicted = model.predict(table[list("abcd")])
    np.testing.assert_array_equal(predicted.compute(), one.predict(frame[list("abcd")]))
    assert predicted.dtype == model.classes_.dtype
    assert model.feature_names_in_.tolist() == list("abcd")
    score = model.score(table[list("abcd")], table["label"])
    assert score == pytest.approx(one.score(frame[list("abcd")], frame["label"]))


def test_shortlists_of_partitions_hold_what_that_of_one_process_does(rows, one):
    X, _ = rows
    model = DaskFreeEnergyClassifier(**SETTINGS).set_params(recipe__shortlist=60).fit(*chunked(rows, 90))
    local = model.to_local()
    exact, shorter, apart = one.predict_proba(X), local.predict_proba(X), model.predict_proba(X)
    assert 0 < np.abs(apart - exact).mean() <= np.abs(shorter - exact).mean()


def test_a_local_model_is_that_of_one_process(rows, one, tmp_path):
    X, y = rows
    model = DaskFreeEnergyClassifier(**EXACT).fit(*chunked(rows, 70))
    local = model.to_local()
    assert type(local) is FreeEnergyClassifier
    np.testing.assert_array_equal(local.predict_proba(X), one.predict_proba(X))
    np.testing.assert_array_equal(local.oob_decision_function_, one.oob_decision_function_)
    np.testing.assert_array_equal(local.distance_weights_, one.distance_weights_)
    local.save(tmp_path / "rows.fm")
    np.testing.assert_array_equal(freemetric.load(tmp_path / "rows.fm").predict(X), one.predict(X))
    with pytest.raises(ValueError, match=r"to_local\(\).save"):
        model.save(tmp_path / "apart.fm")
    with pytest.raises(ValueError, match=r"to_local\(\).risk_certificate"):
        model.risk_certificate()
    with pytest.raises(ValueError, match=r"to_local\(\).predict_set"):
        model.predict_set(X, groups=(y, y))
    with pytest.raises(ValueError, match=r"to_local\(\).partial_fit"):
        model.partial_fit(X, y)
    for what in (model.data_values, model.label_quality, model.condense, lambda: model.forget([0])):
        with pytest.raises(ValueError, match=r"to_local\(\)"):
            what()
    assert model.drift(X[:40], X[40:80], n_permutations=9).p_value > 0
    assert clone(model).get_params() == model.get_params()


@pytest.mark.slow
def test_a_local_model_is_that_of_one_process_at_defaults():
    X, y = load_breast_cancer(return_X_y=True)
    few = {"n_replicas": 4, "recipe": replace(Recipe(), n_steps=2), "random_state": 0}  # to keep it short
    one = FreeEnergyClassifier(**few).fit(X, y)
    local = DaskFreeEnergyClassifier(**few).fit(*chunked((X, y), 150)).to_local()
    assert local.shortlist_ == one.shortlist_ < len(X)
    np.testing.assert_array_equal(local.predict_proba(X), one.predict_proba(X))
    np.testing.assert_array_equal(local.oob_decision_function_, one.oob_decision_function_)


def test_classes_weigh_by_all_samples_where_a_part_is_searched(rows):
    X, y = rows
    kept = np.flatnonzero((y > 0) | (np.arange(len(y)) % 3 == 0))
    settings = {**EXACT, "recipe": replace(EXACT["recipe"], most_searched=61), "class_weight": "balanced"}
    one = FreeEnergyClassifier(**settings).fit(X[kept], y[kept])
    model = DaskFreeEnergyClassifier(**settings).fit(*chunked((X[kept], y[kept]), 50))
    np.testing.assert_allclose(model.class_weight_, one.class_weight_, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), one.predict_proba(X), atol=1e-6)


def test_costs_are_counted_on_partitions_and_the_rest_needs_a_local_model(rows, one):
    X = rows[0]
    model, costs = DaskFreeEnergyClassifier(**EXACT).fit(*chunked(rows, 60)), [[0, 1, 9], [1, 0, 9], [1, 1, 0]]
    expected = one.predict(X, costs=costs)
    np.testing.assert_array_equal(model.predict(X, costs=costs), expected)
    np.testing.assert_array_equal(model.predict(chunked(rows, 60)[0], costs=costs).compute(), expected)
    assert (expected != one.predict(X)).any()
    with pytest.raises(ValueError, match=r"to_local\(\).predict"):
        model.predict(X, reject=0.1)
    with pytest.raises(ValueError, match=r"keeps no out-of-bag votes; to_local\(\) gathers them"):
        model.tune_threshold("f1_macro")


@pytest.fixture(scope="module")
def labels(rows):
    """A label of three classes, one of two texts, and a constant one."""
    X, y = rows
    return np.column_stack([np.array(["a", "b", "c"])[y], np.where(X[:, 1] > 0.4, "wide", "thin"), ["same"] * len(y)])


@pytest.mark.parametrize("chunks", [pytest.param((180,), marks=pytest.mark.slow), (1, 79, 0, 33, 67)])
def test_several_labels_are_those_of_one_process(rows, labels, chunks):
    X = rows[0]
    one = FreeEnergyClassifier(**EXACT).fit(X, labels)
    given = da.from_array(X, chunks=(chunks, 2)), da.from_array(labels, chunks=(chunks, 2))
    model = DaskFreeEnergyClassifier(**EXACT).fit(*given)
    np.testing.assert_array_equal(model.trace_["energy"], one.trace_["energy"])
    assert [known.tolist() for known in model.classes_] == [["a", "b", "c"], ["thin", "wide"], ["same"]]
    parts = model.predict_proba(da.from_array(X, chunks=(70, -1)))
    for P, expected in zip(parts, one.predict_proba(X), strict=True):
        assert P.shape == expected.shape
        np.testing.assert_allclose(P.compute(), expected, atol=1e-6)
    predicted = model.predict(da.from_array(X, chunks=(70, -1)))
    assert (predicted.shape, predicted.dtype.kind) == ((180, 3), "U")
    np.testing.assert_array_equal(predicted.compute(), one.predict(X))
    np.testing.assert_array_equal(model.predict(X), one.predict(X))
    assert model.score(*given) == pytest.approx(one.score(X, labels))
    local = model.to_local()
    np.testing.assert_array_equal(local.oob_decision_function_, one.oob_decision_function_)
    np.testing.assert_array_equal(np.hstack(local.predict_proba(X)), np.hstack(one.predict_proba(X)))


def test_several_labels_of_a_dataframe(rows, labels):
    X = rows[0]
    names = pd.DataFrame(labels, columns=["kind", "width", "all"]).assign(number=rows[1])
    one = FreeEnergyClassifier(**EXACT).fit(X, names)
    frames = [dd.from_pandas(frame, npartitions=3) for frame in (pd.DataFrame(X, columns=list("abcd")), names)]
    model = DaskFreeEnergyClassifier(**EXACT).fit(*frames)
    np.testing.assert_array_equal(model.predict(frames[0]).compute(), one.predict(X))
    assert model.classes_[3].tolist() == [0, 1, 2]


def test_several_labels_that_cannot_be(rows, labels):
    X = rows[0]
    gap = labels.astype(object)
    gap[5, 1] = None
    with pytest.raises(ValueError, match="y has no label for some rows in partition 0"):
        DaskFreeEnergyClassifier(**EXACT).fit(X, gap)
    with pytest.raises(ValueError, match="every column of y has only 1 class"):
        DaskFreeEnergyClassifier(**EXACT).fit(X, labels[:, [2, 2]])
    model = DaskFreeEnergyClassifier(**EXACT).fit(X, labels)
    with pytest.raises(ValueError, match=r"y must have the shape \(180, 3\), got \(180,\)"):
        model.score(X, labels[:, 0])
    with pytest.raises(ValueError, match="costs are"):
        model.predict(X, costs=np.eye(2))
