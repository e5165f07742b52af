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


def test_means_by_distance_are_refused(friedman):
    model = MetricKNeighborsRegressor(Euclidean(), 3, weights="distance").fit(*friedman)
    with pytest.raises(ValueError, match=r"weights='distance'.* has no graph; weights='uniform' has one"):
        to_onnx(model)
