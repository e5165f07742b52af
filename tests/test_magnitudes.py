"""Estimators of numbers of any size: predictions of c y are c times those of y."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes

from freemetric import DMLFE, MLKR, PCA, FreeEnergyRegressor, MetricKNeighborsRegressor
from freemetric.ensemble import BoostedTreesRegressor, LineRegressor, SurfaceRegressor
from freemetric.mc import Annealing, Constant

POWERS = (2.0**-900, 2.0**900)
SHORT = Annealing(Constant(1e-3), n_steps=3)


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    return X[::5], y[::5], weights[::5]


def answers(X, y, weights, scale):
    """All that a regressor says of its targets, and its score."""
    kinds = ["scaled/diagonal", "scaled/full"]
    model = FreeEnergyRegressor(4, candidates=kinds, scale=scale, random_state=0)
    model.fit(X, y, weights)
    said = model.predict(X), model.oob_prediction_
    rest = model.predict_quantiles(X), model.predict_interval(X, 0.2)
    return np.column_stack([*said, *rest]), model.oob_score_


@pytest.mark.parametrize(
    ("scale", "is_weighted"),
    [("linear", True), ("log", False), ("asinh", True), ("auto", False)],
)
def test_free_energy_regressor(data, scale, is_weighted):
    X, y, weights = data
    weights = weights if is_weighted else None
    y = np.where(y < 60, 0.0, y) if scale == "asinh" else y
    y = np.exp(y / 60) if scale == "auto" else y
    expected, score = answers(X, y, weights, scale)
    for c in POWERS:
        found, same = answers(X, c * y, weights, scale)
        assert_allclose(found / c, expected, rtol=1e-12)
        assert same == pytest.approx(score)
    for c in (1e-300, 1e300):
        found, same = answers(X, c * y, weights, scale)
        assert_allclose(found / c, expected, atol=1e-3 * np.ptp(y))
        assert same == pytest.approx(score, abs=1e-3)


@pytest.mark.parametrize(
    "kind", [LineRegressor, BoostedTreesRegressor, SurfaceRegressor]
)
@pytest.mark.parametrize("c", [1e-100, 1e-9, 1e9, 1e100])
def test_trends(data, kind, c):
    X, y, _ = data
    expected = kind().fit(X, y).predict(X)
    assert_allclose(kind().fit(X, c * y).predict(X) / c, expected, rtol=1e-4)
    if kind is not BoostedTreesRegressor:
        assert_allclose(kind().fit(c * X, y).predict(c * X), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: MLKR(2, max_iter=20, tol=1e-3),
        lambda: DMLFE(2, energy="regression", sampler=SHORT),
    ],
    ids=["MLKR", "DMLFE"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_metrics_of_numbers(data, make):
    X, y, weights = data
    expected = make().set_params(random_state=0).fit(X, y, weights).components_
    for c in (*POWERS, 1e-300, 1e300):
        found = make().set_params(random_state=0).fit(X, c * y, weights).components_
        assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_k_neighbors_regressor(data, weights):
    X, y, _ = data
    half = slice(None, None, 2)
    options = {"weights": weights, "random_state": 0}
    usual = MetricKNeighborsRegressor(PCA(2), **options).fit(X[half], y[half])
    for c in (1e-100, 1e-9, 1e9, 1e100):
        model = MetricKNeighborsRegressor(PCA(2), **options).fit(X[half], c * y[half])
        assert model.n_neighbors_ == usual.n_neighbors_
        assert_allclose(model.predict(X) / c, usual.predict(X), rtol=1e-9)


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 1e9, 1e140])
def test_units_of_features_do_not_matter(data, factor):
    X, y, _ = data
    factors = np.where(np.arange(10) % 2, factor, 1.0)
    kinds = ["scaled/full", "quantiles/diagonal"]
    found = []
    options = {"candidates": kinds, "estimators": None, "random_state": 0}
    for Z in (X, factors * X):
        model = FreeEnergyRegressor(4, **options)
        found.append(model.fit(Z, y).ensemble_.votes(Z))
        assert_array_equal(np.isfinite(model.predict(Z)), True)
    # Votes are in single precision, and neighbours may change places.
    assert_allclose(found[1], found[0], atol=0.05)
