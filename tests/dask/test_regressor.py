"""Numbers in partitions: whatever these are, the model is that of one process; here without a cluster."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes

import freemetric
from freemetric import FreeEnergyRegressor, Recipe

pytest.importorskip("dask.dataframe", reason="needs the extra dask")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd

from freemetric.dask import DaskFreeEnergyRegressor, partitioned_samples
from freemetric.learners import training_rows

KINDS = ("scaled/identity", "quantiles/diagonal", "scaled/full")
RECIPE = replace(Recipe(), candidates=KINDS, n_replicas=6, cheap_bag=1, n_steps=2, most_searched=100)
SETTINGS = {"recipe": RECIPE, "random_state": 0}
EXACT = {"recipe": replace(RECIPE, shortlist=None), "random_state": 0}
CLOSE = {"rtol": 1e-5, "atol": 5e-4}  # of numbers up to hundreds; votes are counted in float32
pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


@pytest.fixture(scope="module")
def rows():
    """Few values a feature, so that many rows are equally far, and copies all over the table."""
    X, y = (part[:150] for part in load_diabetes(return_X_y=True))
    X = np.round(20 * X[:, [2, 3, 8]])
    return np.concatenate([X, X[:30]]), np.concatenate([y, y[30:60]])


@pytest.fixture(scope="module")
def one(rows):
    with warnings.catch_warnings(action="ignore"):
        return FreeEnergyRegressor(**EXACT).fit(*rows)


@pytest.fixture(autouse=True)
def no_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunked(rows, size):
    return [da.from_array(part, chunks=(size, *part.shape[1:])) for part in rows]


def assert_same(model, one, X):
    assert_array_equal(model.trace_["energy"], one.trace_["energy"])
    assert_allclose(model.selection_["weight"], one.selection_["weight"], rtol=1e-4, atol=1e-9)
    assert list(model.strengths_) == list(one.strengths_)
    assert_allclose(model.predict(X), one.predict(X), **CLOSE)
    assert_allclose(model.predict_quantiles(X, [0.05, 0.6]), one.predict_quantiles(X, [0.05, 0.6]), **CLOSE)
    assert_allclose(model.predict_interval(X, 0.2), one.predict_interval(X, 0.2), **CLOSE)


@pytest.mark.parametrize(
    ("chunks", "scheduler"), [((180,), "synchronous"), ((100, 80), "threads"), ((1, 79, 0, 33, 67), "synchronous")]
)
def test_predictions_of_one_process_for_any_chunks(rows, one, chunks, scheduler):
    X, y = rows
    dask.config.set(scheduler=scheduler)  # until the end of the test
    model = DaskFreeEnergyRegressor(**EXACT)
    model.fit(da.from_array(X, chunks=(chunks, 2)), da.from_array(y, chunks=(chunks,)))
    assert_same(model, one, X)  # arrays in, arrays out
    assert model.n_rows_ == len(X)
    assert model.n_searched_ == 100
    assert model.scale_name_ == one.scale_name_
    assert_allclose(model.oob_prediction_, one.oob_prediction_, **CLOSE)
    assert model.oob_score_ == pytest.approx(one.oob_score_, rel=1e-5)


def test_predictions_of_dask_arrays_wait_until_they_are_asked_for(rows, one):
    X, y = rows
    model, met = DaskFreeEnergyRegressor(**EXACT).fit(*chunked(rows, 90)), []
    queries = da.from_array(X, chunks=(70, -1)).map_blocks(lambda block: met.append(len(block)) or block, meta=X[:0])
    means, quantiles = model.predict(queries), model.predict_quantiles(queries, (0.1, 0.9))
    median, interval = model.predict_quantiles(queries, 0.5), model.predict_interval(queries)
    assert not met
    for lazy, shape in ((means, (180,)), (quantiles, (180, 2)), (median, (180,)), (interval, (180, 2))):
        assert isinstance(lazy, da.Array)
        assert lazy.shape == shape == lazy.compute().shape
        assert lazy.chunks[0] == (70, 70, 40)
    assert_allclose(means, one.predict(X), **CLOSE)
    assert_allclose(median, one.predict_quantiles(X, 0.5), **CLOSE)
    assert_allclose(interval, one.predict_interval(X), **CLOSE)
    assert model.score(queries, da.from_array(y, chunks=70)) == pytest.approx(one.score(X, y), rel=1e-5)
    assert model.score(X, y) == pytest.approx(one.score(X, y), rel=1e-5)


def test_rows_that_stay_in_their_order(rows, monkeypatch):
    """Very many rows are not sorted, and stay in float32; here few are very many."""
    X, y = rows[0].astype(np.float32), rows[1]
    for module, name, number in (
        (training_rows, "MOST_ORDERED", 50),
        (partitioned_samples, "MOST_ORDERED", 50),
        (partitioned_samples, "MOST_TOGETHER", 40),
    ):
        monkeypatch.setattr(module, name, number)
    one = FreeEnergyRegressor(**EXACT).fit(X, y)
    assert_same(DaskFreeEnergyRegressor(**EXACT).fit(*chunked((X, y), 100)), one, X)


def test_skewed_numbers_in_dataframes_of_unknown_lengths(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc")).assign(price=np.exp(X[:, 0] / 3 + y / 40))
    table, features = dd.from_pandas(frame, npartitions=3), list("abc")
    table = table[table["price"] > 0]  # lengths are unknown from here on
    model = DaskFreeEnergyRegressor(**EXACT).fit(table[features], table["price"])
    one = FreeEnergyRegressor(**EXACT).fit(frame[features], frame["price"])
    assert model.scale_name_ == one.scale_name_ == "log"
    assert model.feature_names_in_.tolist() == features
    assert_same(model, one, frame[features])
    assert_allclose(model.predict(table[features]), one.predict(frame[features]), **CLOSE)
    score = model.score(table[features], table["price"])
    assert score == pytest.approx(one.score(frame[features], frame["price"]), rel=1e-5)


def test_arrays_and_frames_of_this_process_are_one_partition(rows, one):
    X, y = rows
    assert_same(DaskFreeEnergyRegressor(**EXACT).fit(X, y), one, X)
    shuffled = np.random.default_rng(0).permutation(180)
    frame = pd.DataFrame(X, index=shuffled, columns=list("abc"))
    model = DaskFreeEnergyRegressor(**EXACT).fit(frame, pd.Series(y, index=shuffled))
    assert_allclose(model.predict(frame), one.predict(X), **CLOSE)


def test_all_rows_are_searched_where_they_are_few(rows):
    few = {"n_replicas": 6, "recipe": Recipe(candidates=["scaled/full"], shortlist=None), "random_state": 0}
    one = FreeEnergyRegressor(**few).fit(*rows)
    model = DaskFreeEnergyRegressor(**few).fit(*chunked(rows, 70))
    assert model.n_searched_ == 180
    assert_same(model, one, rows[0])


def test_shortlists_of_partitions_hold_what_that_of_one_process_does(rows, one):
    X, _ = rows
    model = DaskFreeEnergyRegressor(**SETTINGS).set_params(recipe__shortlist=40).fit(*chunked(rows, 90))
    exact, shorter, apart = one.predict(X), model.to_local().predict(X), model.predict(X)
    assert 0 < np.abs(apart - exact).mean() <= np.abs(shorter - exact).mean()


def test_a_local_model_is_that_of_one_process(rows, one, tmp_path):
    X, _ = rows
    model = DaskFreeEnergyRegressor(**EXACT).fit(*chunked(rows, 70))
    local = model.to_local()
    assert type(local) is FreeEnergyRegressor
    assert_same(local, one, X)
    assert_array_equal(local.ensemble_.training_set.rows, one.ensemble_.training_set.rows)
    assert_allclose(local.ensemble_.training_set.values, one.ensemble_.training_set.values, atol=1e-9)
    assert_array_equal(local.distance_weights_, one.distance_weights_)
    assert_allclose(
        local.ensemble_.head.wholes(X), one.ensemble_.head.wholes(X), rtol=1e-4, atol=1e-5
    )  # trends and noises
    assert local.get_params() == one.get_params()
    local.save(tmp_path / "rows.fm")
    assert_array_equal(freemetric.load(tmp_path / "rows.fm").predict(X), local.predict(X))
    with pytest.raises(ValueError, match=r"to_local\(\).save"):
        model.save(tmp_path / "apart.fm")
    assert clone(model).get_params() == model.get_params()


@pytest.mark.slow
def test_a_local_model_is_that_of_one_process_at_defaults():
    """Predictions ask a shortlist, and the spread is learned from such predictions."""
    X, y = load_diabetes(return_X_y=True)
    few = {"n_replicas": 4, "recipe": replace(Recipe(), n_steps=2), "random_state": 0}  # to keep it short
    one = FreeEnergyRegressor(**few).fit(X, y)
    assert one.shortlist_ < len(X)
    model = DaskFreeEnergyRegressor(**few).fit(*chunked((X, y), 150))
    assert_same(model.to_local(), one, X)
    # Three partitions ask three shortlists, which are nearly all samples; the spread is that of such predictions.
    apart, here = model.ensemble_.head.spread, one.ensemble_.head.spread
    exact = FreeEnergyRegressor(**few).set_params(recipe__shortlist=None).fit(X, y).ensemble_.head.spread
    assert np.abs(apart - exact).max() < 0.3 * np.abs(here - exact).max()


def test_one_partition_predicts_as_one_process_does():
    """It asks the same shortlist, and has the same spread."""
    X, y = (part[:180] for part in load_diabetes(return_X_y=True))  # no two samples are equally far
    settings = {"recipe": replace(RECIPE, most_searched=180, shortlist=40), "random_state": 0}
    one, model = FreeEnergyRegressor(**settings), DaskFreeEnergyRegressor(**settings)
    assert_same(model.fit(X, y), one.fit(X, y), X)


def test_plain_regressors_take_arrays_of_dask_that_fit(rows):
    settings = {"n_replicas": 3, "recipe": Recipe(candidates=["scaled/full"]), "random_state": 0}
    there = FreeEnergyRegressor(**settings).fit(*chunked(rows, 50))
    assert_array_equal(there.predict(rows[0]), FreeEnergyRegressor(**settings).fit(*rows).predict(rows[0]))


def test_trees_are_those_of_one_process():
    X, y = (part[:240] for part in load_diabetes(return_X_y=True))
    settings = {"recipe": replace(EXACT["recipe"], most_searched=240), "random_state": 0}
    one, model = (
        FreeEnergyRegressor(**settings).fit(X, y),
        DaskFreeEnergyRegressor(**settings).fit(*chunked((X, y), 90)),
    )
    assert "boosted-trees beside" in one.strengths_
    assert_same(model, one, X)
    assert_allclose(model.ensemble_.head.strengths, one.ensemble_.head.strengths, atol=1e-4)
