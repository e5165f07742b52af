"""Whatever the partitions, predictions are those of the local regressor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_friedman1

from freemetric import FreeEnergyRegressor
from freemetric.ensemble import ensemble

dask = pytest.importorskip("dask", reason="needs the extra dask")
da = pytest.importorskip("dask.array", reason="needs the extra dask")

from freemetric.dask import DaskFreeEnergyRegressor, base  # noqa: E402

SETTINGS = {"n_replicas": 4, "random_state": 0}


@pytest.fixture(scope="module")
def samples():
    """Samples of which 30 have copies with other targets.

    Trends carry votes to a sample, so that all that neighbours vote for counts.
    """
    X, y = make_friedman1(200, 6, random_state=0)
    y = y / 5
    return np.concatenate([X, X[:30]]), np.concatenate([y, 1.1 * y[:30]])


def chunked(X, chunks):
    return da.from_array(X, chunks=(chunks, *X.shape[1:]))


@pytest.mark.parametrize("chunks", [(230,), (1, 99, 0, 130)])
@pytest.mark.parametrize("target", [np.abs, np.exp])
def test_predictions_are_those_of_one_process(samples, chunks, target):
    X, y = samples[0], target(samples[1])
    one = FreeEnergyRegressor(**SETTINGS).fit(X, y)
    model = DaskFreeEnergyRegressor(**SETTINGS).fit(chunked(X, chunks), y)
    assert model.local_.scale_.name == one.scale_.name
    assert one.combination_.strengths[-3:].any()
    queries, close = chunked(X, 90), {"rtol": 2e-6, "atol": 1e-6}
    assert_allclose(model.predict(queries).compute(), one.predict(X), **close)
    intervals = model.predict_interval(queries, 0.2)
    assert_allclose(intervals.compute(), one.predict_interval(X, 0.2), **close)
    for q in (0.3, (0.1, 0.9)):
        quantiles = model.predict_quantiles(X, q)
        assert_allclose(quantiles, one.predict_quantiles(X, q), **close)
    assert model.score(queries, chunked(y, 50)) == pytest.approx(one.score(X, y))
    found = model.to_local()
    assert_allclose(found.predict(X), one.predict(X), rtol=1e-12)
    assert_allclose(found.oob_prediction_, one.oob_prediction_, rtol=1e-12)


def test_all_samples_vote_where_a_part_is_searched(samples, monkeypatch):
    """Those that trends have learned from vote for cross-fitted trends."""
    X, y = samples
    monkeypatch.setattr(base, "MOST_SEARCHED", 100)
    monkeypatch.setattr(ensemble, "SHORTEST", 1000)  # every place is looked at
    found = []
    for chunks in ((230,), (1, 99, 0, 130)):
        model = DaskFreeEnergyRegressor(**SETTINGS).fit(chunked(X, chunks), y)
        found.append(model.predict(X))
    assert_allclose(*found, rtol=2e-6)
    everyone = model.to_local()
    assert_allclose(found[0], everyone.predict(X), rtol=2e-6)
    assert np.isfinite(everyone.oob_prediction_).sum() <= 102


def test_a_logarithm_meets_targets_that_are_not_positive(samples, monkeypatch):
    X, y = samples[0], np.exp(2 * samples[1])
    monkeypatch.setattr(base, "MOST_SEARCHED", 50)
    assert DaskFreeEnergyRegressor(**SETTINGS).fit(X, y).local_.scale_.name == "log"
    y[120] = 0.0
    model = DaskFreeEnergyRegressor(**SETTINGS).fit(chunked(X, 60), y)
    assert model.local_.scale_.name != "log"
    assert np.isfinite(model.predict(X)).all()
