"""Explanations against probabilities, distances and neighbours found by brute force."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.inspection import explain

SAMPLES = slice(1, 60, 9)


@pytest.fixture(scope="module")
def classifier(wine):
    return FreeEnergyClassifier(6, random_state=0).fit(wine[0][::2], wine[1][::2])


@pytest.fixture(scope="module")
def regressor(wine):
    X = wine[0][::2]
    return FreeEnergyRegressor(6, random_state=0).fit(X[:, 1:], X[:, 0])


@pytest.fixture(scope="module")
def samples(wine):
    return wine[0][SAMPLES]


def test_parts_add_up_to_the_log_odds(classifier, samples):
    found = explain(classifier, samples)
    P = np.sort(classifier.predict_proba(samples), axis=1)
    np.testing.assert_allclose(found.value, np.log(P[:, -1] / P[:, -2]), rtol=1e-9)
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.value)
    sizes = np.abs(found.contributions)
    np.testing.assert_allclose(found.shares.T, sizes.T / sizes.sum(axis=1))


def test_parts_add_up_to_the_number(regressor, samples):
    found = explain(regressor, samples[:, 1:])
    assert np.corrcoef(found.value, found.prediction)[0, 1] > 0.999
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.value)
    assert found.against is None


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_neighbors_and_contrasts_by_brute_force(request, samples, kind):
    model = request.getfixturevalue(kind)
    X = samples[:, -model.n_features_in_ :]
    found = explain(model, X, n_neighbors=3)
    training = model.ensemble_.X
    distances = cdist(model.transform(X), model.transform(training))
    own = np.take_along_axis(distances, found.neighbors, axis=1)
    np.testing.assert_allclose(found.distances, own, rtol=1e-6)
    values = model.ensemble_.training_set.values
    if kind == "classifier":
        labels = model.classes_[values.argmax(axis=1)]
        is_other = labels == found.against[:, None]
    else:
        is_high = values[:, 0] > np.median(values[:, 0])
        is_other = is_high != is_high[distances.argmin(axis=1)][:, None]
    nearest = np.where(is_other, distances, np.inf).argmin(axis=1)
    np.testing.assert_array_equal(found.contrast, nearest)
    changed = X.copy()
    changed[:, 2] = training[found.contrast, 2]
    if kind == "classifier":
        P = np.log(model.predict_proba(changed))
        rows = np.arange(len(X))
        own, other = np.searchsorted(model.classes_, [found.prediction, found.against])
        value = P[rows, own] - P[rows, other]
    else:
        value = explain(model, changed).value
    np.testing.assert_allclose(found.features[:, 2], found.value - value, atol=1e-6)
