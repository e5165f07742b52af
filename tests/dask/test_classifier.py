"""Whatever the partitions, predictions are those of the local classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from freemetric import FreeEnergyClassifier
from freemetric.ensemble import ensemble

dask = pytest.importorskip("dask", reason="needs the extra dask")
da = pytest.importorskip("dask.array", reason="needs the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
pd = pytest.importorskip("pandas", reason="needs the extra dask")

from freemetric.dask import DaskFreeEnergyClassifier, base, partitions  # noqa: E402

SETTINGS = {"n_replicas": 4, "random_state": 0}
CHUNKS = [(208,), (100, 108), (1, 79, 0, 67, 61)]


@pytest.fixture(scope="module")
def samples(wine):
    """Samples with gaps, of which 30 are copied to the end of the table."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(wine[0]))
    X, y = wine[0][order], wine[1][order]
    X[rng.random(X.shape) < 0.05] = np.nan
    return np.concatenate([X, X[:30]]), np.concatenate([y, y[:30]])


@pytest.fixture(scope="module")
def local(samples):
    return FreeEnergyClassifier(**SETTINGS).fit(*samples)


def chunked(X, chunks):
    return da.from_array(X, chunks=(chunks, *X.shape[1:]))


@pytest.mark.parametrize("chunks", CHUNKS)
def test_predictions_are_those_of_one_process(samples, local, chunks):
    X, y = samples
    model = DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, chunks), y)
    lazy = model.predict_proba(chunked(X, 70))
    assert lazy.chunks == ((70, 70, 68), (3,))
    assert_allclose(lazy.compute(), local.predict_proba(X), atol=1e-6)
    assert_array_equal(model.predict(X), local.predict(X))
    assert model.score(X, y) == pytest.approx(local.score(X, y))
    assert model.n_samples_ == len(X)
    assert clone(model).get_params() == local.get_params()


def test_weights_count_as_in_one_process(samples):
    X, y = samples
    weights = np.random.default_rng(1).uniform(0.1, 5, len(y))
    one = FreeEnergyClassifier(**SETTINGS).fit(X, y, weights)
    given = chunked(X, 90), chunked(y, 208), chunked(weights, 60)
    model = DaskFreeEnergyClassifier(**SETTINGS).fit(*given)
    assert_allclose(model.predict_proba(X), one.predict_proba(X), atol=1e-6)
    weighted = model.score(X, y, chunked(weights, 50))
    assert weighted == pytest.approx(one.score(X, y, weights))


def test_the_local_model_is_that_of_one_process(samples, local):
    X, y = samples
    model = DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, 70), chunked(y, 70))
    found = model.to_local()
    assert type(found) is FreeEnergyClassifier
    assert_allclose(found.predict_proba(X), local.predict_proba(X), atol=1e-12)
    known = found.oob_decision_function_, local.oob_decision_function_
    assert_allclose(*known, atol=1e-12)
    assert_array_equal(found.predict_set(X), local.predict_set(X))


@pytest.mark.parametrize("most_places", [partitions.MANY, 1500])
def test_all_samples_vote_where_a_part_is_searched(samples, monkeypatch, most_places):
    """What is drawn depends neither on partitions nor on how queries are cut."""
    X, y = samples
    monkeypatch.setattr(base, "MOST_SEARCHED", 100)
    monkeypatch.setattr(ensemble, "SHORTEST", 1000)  # every place is looked at
    monkeypatch.setattr(partitions, "MANY", most_places)
    y = np.where(np.arange(len(y)) == 150, 3, y)  # the only one of its class
    found = []
    for chunks in CHUNKS[1:]:
        model = DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, chunks), y)
        found.append(model.predict_proba(X))
    everyone = model.to_local()
    assert_allclose(found[0], found[1], atol=1e-6)
    assert_allclose(found[0], everyone.predict_proba(X), atol=1e-6)
    is_scored = ~np.isnan(everyone.oob_decision_function_[:, 0])
    assert is_scored.sum() <= len(model.local_.ensemble_.X) <= 102
    assert_array_equal(model.classes_, [0, 1, 2, 3])
    known = everyone.oob_decision_function_[is_scored]
    assert (known.argmax(axis=1) == y[is_scored]).mean() > 0.8


@pytest.mark.parametrize(
    "names", [np.array(["rose", "iris", "lily"]), pd.array([2, 7, 5], dtype="Int64")]
)
def test_dataframes_of_unknown_lengths(samples, names):
    """Their gaps may be pandas' own, and their labels of any type."""
    X, y = samples
    columns = [f"feature {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=columns).convert_dtypes()
    labels = pd.Series(names[y], name="label")
    table = dd.from_pandas(frame.assign(label=labels), npartitions=3)
    table = table[table["label"] == table["label"]]
    model = DaskFreeEnergyClassifier(**SETTINGS).fit(table[columns], table["label"])
    one = FreeEnergyClassifier(**SETTINGS).fit(X, np.asarray(labels.tolist()))
    predicted = model.predict(table[columns])
    assert_array_equal(predicted.compute(), one.predict(X))
    assert predicted.dtype == model.classes_.dtype
    assert_array_equal(model.predict(frame), one.predict(X))
    for estimator in (model, model.local_, model.to_local()):
        assert_array_equal(estimator.feature_names_in_, columns)
    score = model.score(table[columns], table["label"])
    assert score == pytest.approx(one.score(X, np.asarray(labels.tolist())))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[columns[::-1]])


def test_predictions_wait_until_they_are_asked_for(samples):
    X, y = samples
    model, asked = DaskFreeEnergyClassifier(**SETTINGS).fit(X, y), []
    noted = chunked(X, 70).map_blocks(lambda X: asked.append(len(X)) or X, meta=X[:0])
    lazy = model.predict(noted)
    assert not asked
    assert lazy.compute().shape == (sum(asked),) == (208,)
