"""The regressor: known functions and noise, and odd tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from freemetric import FreeEnergyRegressor

from . import brute_force


def few(n_replicas=4, **options):
    return FreeEnergyRegressor(n_replicas, **{"random_state": 0, **options})


@pytest.fixture
def line(rng):
    X = rng.normal(size=(150, 4))
    return X, X[:, 0] - 2 * X[:, 1] + 0.1 * rng.normal(size=150)


@pytest.fixture(scope="module")
def noisy():
    """Samples with noise that grows with a feature, and a model of the first 1,500."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (5500, 3))
    y = np.sin(3 * X[:, 0]) + 0.5 * np.exp(X[:, 1]) * rng.normal(size=5500)
    return few(12).fit(X[:1500], y[:1500]), X, y


def test_it_is_better_than_a_forest_on_a_known_function():
    X, y = make_friedman1(1200, noise=1.0, random_state=0)
    forest = RandomForestRegressor(random_state=0).fit(X[:600], y[:600])
    model = few(12).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > forest.score(X[600:], y[600:]) + 0.03
    assert model.oob_score_ == pytest.approx(model.score(X[600:], y[600:]), abs=0.04)


def test_a_known_function_is_found(noisy):
    model, X, _ = noisy
    known = np.sin(3 * X[1500:, 0])
    assert np.sqrt(np.mean((model.predict(X[1500:]) - known) ** 2)) < 0.16


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_intervals_hold_their_share_everywhere(noisy, alpha):
    model, X, y = noisy
    low, high = model.predict_interval(X[1500:], alpha).T
    is_inside = (low <= y[1500:]) & (y[1500:] <= high)
    assert is_inside.mean() == pytest.approx(1 - alpha, abs=0.025)
    for part in np.array_split(np.argsort(X[1500:, 1]), 4):
        assert is_inside[part].mean() == pytest.approx(1 - alpha, abs=0.07)


def test_intervals_follow_the_noise(noisy):
    model, X, _ = noisy
    low, high = model.predict_interval(X[1500:]).T
    slope, _ = np.polyfit(X[1500:, 1], np.log(high - low), 1)
    assert slope == pytest.approx(1, abs=0.25)


def test_quantiles_are_quantiles_and_do_not_cross(noisy):
    model, X, y = noisy
    q = np.array([0.05, 0.25, 0.5, 0.9])
    Q = model.predict_quantiles(X[1500:], q)
    assert (np.diff(Q, axis=1) >= 0).all()
    assert_allclose((y[1500:, None] <= Q).mean(axis=0), q, atol=0.03)
    assert_array_equal(model.predict_quantiles(X[1500:], 0.5), Q[:, 2])
    for wrong in (-0.1, [0.5, 1.1], [[0.5]], np.nan):
        with pytest.raises(ValueError, match="q is a chance between 0 and 1"):
            model.predict_quantiles(X, wrong)
    with pytest.raises(ValueError, match="alpha is the share"):
        model.predict_interval(X, 0)


def test_out_of_bag_predictions_make_the_score(regressor, regressed):
    y = regressed[1][::2]
    known = regressor.oob_prediction_
    has = ~np.isnan(known)
    assert has.mean() > 0.9
    assert regressor.oob_score_ == pytest.approx(r2_score(y[has], known[has]))


def test_noise_is_not_predicted(rng):
    X, y = rng.normal(size=(500, 5)), rng.normal(size=500)
    assert few(12).fit(X, y).oob_score_ < 0.05


@pytest.mark.parametrize("scale", ["auto", "log"])
def test_means_of_lognormal_targets_are_means(rng, scale):
    """E y = exp(m + 1/2), not the median exp(m)."""
    X = rng.uniform(-1, 1, (3000, 2))
    y = np.exp(2 * X[:, 0] + rng.normal(size=3000))
    model = few(estimators=[("line", "default")], scale=scale).fit(X[:2000], y[:2000])
    assert model.scale_.name == "log"
    known = np.exp(2 * X[2000:, 0] + 0.5)
    assert np.median(model.predict(X[2000:]) / known) == pytest.approx(1, abs=0.15)
    assert (model.predict_interval(X)[:, 0] > 0).all()


def test_symmetric_targets_stay_as_they_are(line):
    assert few().fit(*line).scale_.name == "linear"
    X, y = line
    zeros = np.maximum(np.sinh(2 * y), 0)
    assert few(scale="asinh").fit(X, zeros).scale_.name == "asinh"
    with pytest.raises(ValueError, match="scale='log' is for positive targets"):
        few(scale="log").fit(X, y)
    model = few(scale="log").fit(X, np.exp(y))
    with pytest.raises(ValueError, match="the smallest of y is -1"):
        model.partial_fit(X[:3], [-1, 1, 2])


def test_trends_carry_votes_beyond_the_samples(rng):
    X = rng.uniform(-1, 1, (300, 3))
    y = 5 * X[:, 0]
    Q = np.array([[1.0, 0, 0], [-1, 0, 0]])
    assert_allclose(few().fit(X, y).predict(Q), [5, -5], atol=0.15)
    alone = few(estimators=None).fit(X, y)
    assert alone.estimators_ == []
    assert len(alone.combination_.strengths) == 1


def test_estimators_of_users_are_trends(line):
    X, y = line
    chosen = [("mine", LinearRegression()), ["trees", "default"], ("line", "drop")]
    model = few(estimators=chosen).fit(X, y)
    assert [name for name, _ in model.estimators_] == ["mine", "trees"]
    z = model.scale_(y)
    known = LinearRegression().fit(X, z).predict(X)
    assert_allclose(model.estimators_[0][1].predict(X), known)
    with pytest.raises(ValueError, match="'mine' beside the votes has no predict"):
        few(estimators=[("mine", 3)]).fit(X, y)


def test_partial_fit_lets_more_samples_vote(line):
    X, y = line
    far = X[:30] + 30
    model = few(estimators=None).fit(X, y)
    model.partial_fit(far, np.full(30, y.max()))
    votes = brute_force.ensemble_votes(model.ensemble_, far[:4])
    found = model.ensemble_.votes(far[:4])
    assert_allclose(found, votes, atol=1e-4)
    assert_allclose(votes[:, 0], model.scale_(y.max()), atol=1e-6)
    assert np.isnan(model.oob_prediction_[150:]).all()
    first = few().partial_fit(X, y)
    assert_array_equal(first.predict(X), few().fit(X, y).predict(X))


def test_partial_fit_fits_the_trends_anew(line):
    X, y = line
    model = few(estimators=[("mine", LinearRegression())], scale="linear")
    model.fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    known = LinearRegression().fit(X, model.scale_(y)).predict(X)
    assert_allclose(model.estimators_[0][1].predict(X), known)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.eye(2), [0, 1], "minimum of 3"),
        (np.eye(4), [0, 1, np.nan, 2], "NaN"),
        (np.eye(4), ["a", "b", "c", "d"], "could not convert string"),
        (np.eye(4), np.eye(4), "1d array"),
        (np.diag([1, 2, -1e151, 1]), [0, 1, 0, 1], "value -1e\\+151 in row 2, column"),
    ],
)
def test_wrong_data_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        few().fit(X, y)


def test_too_few_samples_with_a_weight_are_refused(line):
    X, y = line
    with pytest.raises(ValueError, match="zero for all but 2 samples"):
        few().fit(X, y, np.arange(150) < 2)


@pytest.mark.parametrize("n_replicas", [0, 1, 4])
@pytest.mark.parametrize("n_samples", [3, 4, 6, 11])
def test_very_few_samples(rng, n_samples, n_replicas):
    X = rng.normal(size=(n_samples, 3))
    model = few(n_replicas).fit(X, X[:, 0])
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.predict_interval(X)).all()


@pytest.mark.parametrize("value", [0.0, 5.0, -1e300, 1e-300])
def test_a_constant_target_is_predicted(rng, value):
    X = rng.normal(size=(50, 3))
    model = few().fit(X, np.full(50, value))
    assert_allclose(model.predict(X), value, rtol=1e-6)
    assert_allclose(model.predict_interval(X), value, rtol=1e-4)
    assert np.isnan(model.oob_score_)


def test_odd_features(line, odd):
    X, y = line
    X = odd(X)
    model = few().fit(X[::2], y[::2])
    assert np.isfinite(model.predict_interval(X)).all()
    assert np.isfinite(model.transform(X)).all()
    far = model.predict(np.full((1, X.shape[1]), 1e149))
    assert np.isfinite(far).all()
