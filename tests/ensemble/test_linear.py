"""Linear models against scikit-learn's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric.ensemble import LinearClassifier, LineRegressor, SurfaceRegressor
from freemetric.ensemble.linear import ALPHAS


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_logistic_regression(n_classes):
    X, y = load_wine(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    line = LogisticRegression(C=0.1, max_iter=200)
    known = make_pipeline(StandardScaler(), line).fit(X, y).predict_proba(X)
    found = LinearClassifier().fit(X, y).predict_proba(X)
    assert_allclose(found, known, atol=1e-9)


def test_a_line_is_ridge_regression():
    X, y = load_diabetes(return_X_y=True)
    known = make_pipeline(StandardScaler(), RidgeCV(ALPHAS)).fit(X, y).predict(X)
    assert_allclose(LineRegressor().fit(X, y).predict(X), known)


def test_a_surface_finds_products_and_is_flat_beyond(rng):
    X = rng.uniform(-2, 2, (300, 3))
    y = X[:, 0] * X[:, 1] - 2 * X[:, 2] ** 2 + 1
    model = SurfaceRegressor().fit(X, y)
    Q = rng.uniform(-1.9, 1.9, (50, 3))
    known = Q[:, 0] * Q[:, 1] - 2 * Q[:, 2] ** 2 + 1
    assert_allclose(model.predict(Q), known, atol=0.05)
    low, high = X.min(axis=0), X.max(axis=0)
    assert_allclose(model.predict(100 * Q), model.predict(np.clip(100 * Q, low, high)))


@pytest.mark.parametrize("kind", [LineRegressor, SurfaceRegressor])
def test_a_single_row_and_constant_features_are_a_mean(kind):
    assert kind().fit([[3.0, 1.0]], [7.0]).predict([[5.0, 2.0]]) == [7.0]
    found = kind().fit(np.ones((4, 2)), [1, 2, 3, 6], [1, 1, 1, 3]).predict([[1, 1]])
    assert_allclose(found, [4.0])


@pytest.mark.parametrize("kind", [LineRegressor, LinearClassifier])
def test_weights_are_used(rng, kind):
    X = rng.normal(size=(200, 2))
    half = np.arange(200) < 100
    y = (np.where(half, X[:, 0], -X[:, 0]) > 0).astype(int)
    model = kind().fit(X, y, np.where(half, 1.0, 1e-6))
    assert ((model.predict(X[half]) > 0.5) == y[half]).mean() > 0.9
