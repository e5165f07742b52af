"""Means of neighbours are the same in Python, in the runtime and in scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import MLKR, Euclidean, MetricKNeighborsRegressor
from freemetric.onnx_export import to_onnx

from .runtime import answer


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(200, 6, noise=1.0, random_state=0)


def test_map_of_mlkr(friedman):
    model = MLKR(2, tol=1e-2).fit(*friedman)
    np.testing.assert_allclose(answer(to_onnx(model), friedman[0])[0], model.transform(friedman[0]), atol=1e-12)


def test_several_outputs_behind_a_scaler(friedman):
    X, y = 1e3 * friedman[0] + 7, np.column_stack([friedman[1], 1e6 - friedman[1] ** 2])
    model = MetricKNeighborsRegressor(make_pipeline(MinMaxScaler(), MLKR(2, tol=1e-2)), 5).fit(X[:150], y[:150])
    (said,) = answer(to_onnx(model), X[150:])
    np.testing.assert_allclose(said, model.predict(X[150:]), rtol=1e-6)


def test_copies_share_their_part(friedman):
    X, y = np.repeat(friedman[0][:50], 3, axis=0), friedman[1][:150]
    model = MetricKNeighborsRegressor(Euclidean(), 4).fit(X, y)
    (said,) = answer(to_onnx(model), friedman[0][150:])
    np.testing.assert_allclose(said[:, 0], model.predict(friedman[0][150:]), rtol=1e-6)


def test_one_output_is_scikit_learns(friedman):
    X, y = friedman
    model = MetricKNeighborsRegressor(Euclidean(), 7).fit(X[:150], y[:150])
    (said,) = answer(to_onnx(model), X[150:])
    np.testing.assert_allclose(said[:, 0], KNeighborsRegressor(7).fit(X[:150], y[:150]).predict(X[150:]), rtol=1e-6)


def test_means_by_distance_are_scikit_learns(friedman):
    X, y = friedman
    model = MetricKNeighborsRegressor(Euclidean(), 7, weights="distance").fit(X[:150], y[:150])
    (said,) = answer(to_onnx(model), X)  # some of them new, some at a training sample
    known = KNeighborsRegressor(7, weights="distance").fit(X[:150], y[:150])
    np.testing.assert_allclose(said[:, 0], known.predict(X), rtol=1e-9)
    np.testing.assert_allclose(said[:150, 0], y[:150], rtol=1e-9)
    np.testing.assert_allclose(said[:, 0], model.predict(X), rtol=1e-9)


def test_several_outputs_by_distance_behind_a_metric(friedman):
    X, y = 1e3 * friedman[0] + 7e6, np.column_stack([friedman[1], 1e6 - friedman[1] ** 2])
    learner = make_pipeline(MinMaxScaler(), MLKR(2, tol=1e-2))
    model = MetricKNeighborsRegressor(learner, 5, weights="distance").fit(X[:150], y[:150])
    (said,) = answer(to_onnx(model), X)
    np.testing.assert_allclose(said, model.predict(X), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 4, 149])
def test_copies_share_their_part_by_distance(friedman, k):
    X, y = np.repeat(friedman[0][:50], 3, axis=0), friedman[1][:150]
    model = MetricKNeighborsRegressor(Euclidean(), k, weights="distance").fit(X, y)
    (said,) = answer(to_onnx(model), friedman[0][40:])  # those at copies have the mean of all three
    np.testing.assert_allclose(said[:, 0], model.predict(friedman[0][40:]), rtol=1e-9)
    np.testing.assert_allclose(said[:10, 0], y.reshape(50, 3).mean(axis=1)[40:], rtol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_patterns_from_afar(friedman, weights):
    X, y = friedman
    model = MetricKNeighborsRegressor(Euclidean(), 5, weights=weights).fit(X, y)
    far = np.sign(X[:20] - 0.5) * np.logspace(2, 250, 20)[:, None]
    (said,) = answer(to_onnx(model), far)
    np.testing.assert_allclose(said[:, 0], model.predict(far), rtol=1e-6)
    (said,) = answer(to_onnx(model), np.where(np.arange(6) == 2, np.nan, X[:4]))
    assert np.isnan(said).all()
