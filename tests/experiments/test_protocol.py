"""Halves, and the error of every k against brute force."""

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from freemetric import MetricKNeighborsClassifier
from freemetric.experiments import Dataset, DatasetError, load_dataset
from freemetric.experiments.methods import make_estimator
from freemetric.experiments.protocol import (
    Split,
    halves,
    load_source,
    neighbor_errors,
    score,
    split,
)


@pytest.mark.parametrize("stratify", [True, False])
def test_halves_are_the_same_for_all_and_differ_between_repeats(stratify):
    y = np.repeat([0, 1, 2], 20)
    (train, test), (other_train, other_test) = halves(y, 3, stratify)
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(60))
    np.testing.assert_array_equal(train, other_test)
    np.testing.assert_array_equal(test, other_train)
    assert not np.array_equal(train, halves(y, 4, stratify)[0][0])
    if stratify:
        assert np.bincount(y[train]).tolist() == [10, 10, 10]


def test_a_class_of_one_sample():
    with pytest.raises(DatasetError, match="A class has one sample"):
        halves(np.array([0, 0, 0, 1]), 0)


def test_a_split_is_a_half_and_the_other():
    data = load_dataset("iris")
    first, second = (split(data, 1, fold) for fold in range(2))
    np.testing.assert_array_equal(first.X, second.X_test)
    np.testing.assert_array_equal(first.y_test, second.y)


def test_synthetic_samples_are_drawn_anew():
    source = load_source("friedman-1-200")
    first, second = split(source, 0, 0), split(source, 0, 1)
    assert first.X.shape == (200, 10)
    assert first.X_test.shape == (4000, 10)
    assert not np.array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.mean, source.problem.mean(first.X_test))
    with pytest.raises(DatasetError, match="No data set is called 'nobody-200'"):
        load_source("nobody-200")


def test_errors_of_every_k_by_brute_force(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    part = Split(X[:35], y[:35], X[35:], y[35:])
    errors = neighbor_errors(lambda Z: 2 * Z, part, most=9)
    for k, error in enumerate(errors, 1):
        wrong = 0
        for x, label in zip(part.X_test, part.y_test, strict=True):
            order = np.argsort(((part.X - x) ** 2).sum(axis=1))
            votes = np.bincount(part.y[order[:k]], minlength=3).astype(float)
            votes[part.y[order[0]]] += 0.5  # the nearest breaks ties
            wrong += votes.argmax() != label
        assert error == pytest.approx(100 * wrong / 25, abs=1e-5)


def test_the_model_agrees_with_the_error_of_its_own_k():
    part = split(load_dataset("wine"), 0, 1)
    model = make_estimator("nca", "classification", 1).fit(part.X, part.y)
    scores = score(model, part)
    assert isinstance(model, MetricKNeighborsClassifier)
    assert len(scores["errors"]) == 40
    assert scores["errors"][scores["honest_k"] - 1] == scores["honest_error"]
    accuracy = model.score(part.X_test, part.y_test)
    assert scores["honest_error"] == pytest.approx(100 * (1 - accuracy), abs=1e-5)


def test_the_test_half_changes_nothing_that_is_learned():
    data = load_dataset("iris")
    part = split(data, 0, 0)
    model = make_estimator("pca", "classification", 0).fit(part.X, part.y)
    scaler = model.learner_.named_steps["scale"]
    np.testing.assert_allclose(scaler.data_max_, MinMaxScaler().fit(part.X).data_max_)
    own = Dataset("own", data.X, data.y, classes=data.classes)
    np.testing.assert_array_equal(split(own, 0, 0).X, part.X)
