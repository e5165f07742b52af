"""Explanations add up to what the model says, and name the rows that they should."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.inspection import explain


@pytest.fixture(scope="module")
def classifier(wine):
    X, y = wine
    weights = {"a": 1, "b": 2, "c": 3}
    model = FreeEnergyClassifier(6, class_weight=weights, random_state=0)
    return model.fit(X[::2], np.array(["a", "b", "c"])[y[::2]])


def log_odds(model, X, found):
    """Of the predicted class and the one against it."""
    rows, P = np.arange(len(X)), np.log(model.predict_proba(X))
    first, second = np.searchsorted(model.classes_, [found.prediction, found.against])
    return P[rows, first] - P[rows, second]


def test_parts_and_features_of_a_class_are_log_odds(classifier, wine):
    X = wine[0][1::20]
    found = explain(classifier, X)
    assert_array_equal(found.prediction, classifier.predict(X))
    assert_allclose(found.value, log_odds(classifier, X, found), atol=1e-5)
    assert_allclose(found.contributions.sum(axis=1), found.value)
    assert found.parts[0] == "neighbors"
    assert found.contributions.shape == (len(X), len(found.parts))
    for j in range(13):
        changed = X.copy()
        changed[:, j] = classifier.ensemble_.X[found.contrast, j]
        without = log_odds(classifier, changed, found)
        assert_allclose(found.features[:, j], found.value - without, atol=1e-4)


def test_rows_that_vote_and_the_nearest_of_the_class_against(classifier, wine):
    X = wine[0][1::20]
    found = explain(classifier, X, n_neighbors=4)
    train = classifier.ensemble_.X
    for i, rows in enumerate(found.neighbors):
        pairs = np.stack([np.tile(X[i], (4, 1)), train[rows]], axis=1)
        assert_allclose(found.distances[i], classifier.pair_distance(pairs), rtol=1e-6)
    assert (np.diff(found.vote_shares, axis=1) <= 0).all()
    labels = np.array(["a", "b", "c"])[wine[1][::2]]
    D = cdist(classifier.transform(X), classifier.transform(train))
    D[labels != found.against[:, None]] = np.inf
    assert_array_equal(found.contrast, D.argmin(axis=1))


def test_parts_of_a_target_make_its_location(wine):
    X, y = wine[0][:, 1:], 3 + wine[0][:, 0]
    model = FreeEnergyRegressor(6, scale="linear", random_state=0).fit(X[::2], y[::2])
    found = explain(model, X[1::20])
    assert found.against is None
    votes = model.ensemble_.votes(X[1::20])
    trends = [trend.predict(X[1::20]) for _, trend in model.estimators_]
    assert_allclose(found.value, model.combination_(votes, trends), rtol=1e-6)
    is_high = y[::2] > np.median(y[::2])
    nearest = model.kneighbors(X[1::20], 1, return_distance=False)[:, 0]
    assert_array_equal(is_high[found.contrast], ~is_high[nearest])
