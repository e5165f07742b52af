"""Queries beyond what single precision can hold: an answer, without a word of numpy's."""

import numpy as np
import pytest

from freemetric import NCA, FreeEnergyClassifier, MetricKNeighborsClassifier

MODELS = {"ensemble": FreeEnergyClassifier(10, random_state=0), "neighbours": MetricKNeighborsClassifier(NCA(), 3)}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    y = np.arange(90) % 3
    X = np.random.default_rng(0).normal(size=(90, 4)) + y[:, None]
    return MODELS[request.param].fit(X, y)


@pytest.mark.parametrize("size", [1e20, 1e39, 1e100, 1e300])
def test_far_queries_are_answered_without_a_warning(model, size):
    """Warnings are errors here."""
    one_feature = np.where(np.arange(4) == 2, size, np.zeros((2, 4)))
    for far in (
        size * np.ones((2, 4)),
        -size * np.ones((2, 4)),
        one_feature,
        size * np.array([[1.0, -1.0, 1.0, -1.0]]),
    ):
        np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1, rtol=1e-5)
        assert set(model.predict(far)) <= {0, 1, 2}


def test_answers_no_longer_change_where_everything_is_far(model):
    """In one direction, the same rows are nearest however far one goes."""
    assert (model.predict(1e20 * np.ones((1, 4))) == model.predict(1e12 * np.ones((1, 4)))).all()
