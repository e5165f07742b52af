"""What votes and trends say together, and the size of errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric.ensemble.trends import Combination, Noise, range_of


@pytest.fixture
def votes(rng):
    """Mean, mean square, and mean trends among the neighbours of 4,000 samples."""
    mean = rng.normal(size=4000)
    variance = np.exp(rng.normal(size=4000))
    return np.column_stack([mean, mean**2 + variance, rng.normal(size=(4000, 2))])


LIMITS = (-50.0, 50.0)


def test_known_strengths_are_found(rng, votes):
    trends = list(rng.normal(size=(2, 4000)))
    strengths = np.array([0.9, 0.3, 0.0, 0.0, 0.6])
    mean = votes[:, 0]
    z = 0.9 * mean + 0.3 * (trends[0] - mean) + 0.6 * (trends[1] - votes[:, 3])
    z += 0.1 * rng.normal(size=4000)
    found = Combination.fit(votes, trends, z, np.ones(4000), LIMITS)
    assert_allclose(found.strengths, strengths, atol=0.02)
    assert_allclose(found(votes, trends), z, atol=0.6)


def test_no_strength_is_negative(rng, votes):
    trend = -votes[:, 0] + rng.normal(size=4000)
    z = votes[:, 0] - 0.5 * (trend - votes[:, 0])
    found = Combination.fit(votes[:, :3], [trend], z, np.ones(4000), LIMITS)
    assert (found.strengths >= 0).all()
    assert found.strengths[1] == 0


def test_weights_choose_what_is_followed(rng, votes):
    trend = rng.normal(size=4000)
    z = np.where(np.arange(4000) < 2000, votes[:, 0], trend)
    weights = np.where(np.arange(4000) < 2000, 1e-9, 1.0)
    found = Combination.fit(votes[:, :3], [trend], z, weights, LIMITS)
    assert_allclose(found([votes[0, :3]] * np.ones((1, 1)), [trend[:1]]), trend[0])


def test_locations_stay_within_the_range(votes):
    low, high = range_of(np.array([0.0, 10.0]))
    assert (low, high) == (-1.0, 11.0)
    combination = Combination(np.array([9.0, 0.5, 0]), low, high)
    found = combination(votes[:, :3], [np.full(4000, 1e9)])
    assert found.min() == -1
    assert found.max() == 11


@pytest.fixture
def noise(rng):
    """Errors whose spread follows a feature, the fitted noise, and new errors."""

    def draw(n):
        X = rng.uniform(-1, 1, (n, 3))
        votes = np.column_stack([np.zeros(n), np.full(n, 0.5)])
        return votes, X, np.exp(X[:, 0]) * rng.normal(size=n)

    votes, X, errors = draw(4000)
    model = Noise.fit(errors, votes, X, np.ones(4000), np.inf)
    return model, draw(20_000)


def test_the_spread_follows_the_noise(noise):
    model, (votes, X, _) = noise
    slope, base = np.polyfit(X[:, 0], np.log(model.spread(votes, X)), 1)
    assert slope == pytest.approx(1, abs=0.1)
    assert np.abs(model.slopes[2:]).max() < 0.15
    assert model.errors.std() * np.exp(base) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5])
def test_intervals_hold_everywhere(noise, alpha):
    model, (votes, X, errors) = noise
    low, high = model.limits(alpha)
    units = errors / model.spread(votes, X)
    is_inside = (low <= units) & (units <= high)
    for part in np.array_split(np.argsort(X[:, 0]), 4):
        assert is_inside[part].mean() == pytest.approx(1 - alpha, abs=0.035)


def test_the_variance_among_neighbours_counts(rng):
    variance = np.exp(rng.normal(size=3000))
    mean = 3 * rng.normal(size=3000)
    votes = np.column_stack([mean, mean**2 + variance])
    errors = np.sqrt(variance) * rng.normal(size=3000)
    model = Noise.fit(errors, votes, np.zeros((3000, 1)), np.ones(3000), np.inf)
    assert model.slopes[0] == pytest.approx(1, abs=0.1)  # of the logarithm of squares


def test_limits_are_order_statistics():
    errors = np.arange(99.0)
    noise = Noise(np.zeros(2), 0.0, 0.0, 0.0, np.inf, errors)
    assert_allclose(noise.limits(0.1), [4, 94])  # the fifth of 99, of both ends
    assert_allclose(noise.limits(1e-9), [0, 98])
    assert_allclose(noise.limits(0.999), [48, 50])


def test_the_spread_is_bounded(noise):
    model, (votes, X, _) = noise
    logs = np.log(model.spread(votes, 1e6 * X))
    assert_allclose([logs.min(), logs.max()], [model.low / 2, model.high / 2])


def test_a_rare_value_of_a_feature_does_not_decide_about_errors(rng):
    """A line through logarithms of errors leaves all sense at a far value."""
    X = rng.normal(size=(600, 2))
    X[:, 1] = 0.0
    X[::60, 1] = 1.0
    X[7, 1] = 1e6
    errors = rng.normal(size=600)
    errors[::60] *= 1e-6
    votes = np.column_stack([np.zeros(600), np.ones(600)])
    model = Noise.fit(errors, votes, X, np.ones(600), np.inf)
    assert np.abs(model.errors).max() < 10
    spread = model.spread(votes, X * [1, 100])
    assert spread.max() / spread.min() < 100
