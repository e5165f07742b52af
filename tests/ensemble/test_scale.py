"""Scales of targets: there and back, extremes, and means of closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from freemetric.ensemble.scale import SCALES, Scale, scales_to_try, squared_errors

ERRORS = norm.ppf((np.arange(2000) + 0.5) / 2000)
EXTREMES = [
    [1e-300, 2.0, 1e300],
    [3e-310, 5e-310, 7e-310],
    [1e308, 1.5e308, 1.7e308],
    [1e-3, 1.0, 1e3],
]


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("y", EXTREMES)
def test_targets_come_back(name, y):
    y = np.array(y)
    scale = Scale.fit(name, y, np.ones(3))
    z = scale(y)
    assert np.isfinite(z).all()
    assert_allclose(scale.back(z), y, rtol=1e-9, atol=1e-12 * y.max())
    with np.errstate(over="ignore"):
        assert not np.isnan(scale.back(100 * z)).any()


@pytest.mark.parametrize("name", SCALES)
def test_targets_on_the_scale_have_mean_zero_and_variance_one(rng, name):
    y, w = rng.lognormal(2, 1.5, 500), rng.uniform(0.1, 2, 500)
    z = Scale.fit(name, y, w)(y)
    assert np.average(z, weights=w) == pytest.approx(0, abs=1e-9)
    assert np.average(z**2, weights=w) == pytest.approx(1)


@pytest.mark.parametrize("name", SCALES)
def test_a_power_of_two_changes_nothing(rng, name):
    y = rng.lognormal(0, 1, 100)
    w = np.ones(100)
    expected = Scale.fit(name, y, w)(y)
    for factor in (2.0**-900, 2.0**900):
        found = Scale.fit(name, factor * y, w)(factor * y)
        assert_allclose(found, expected, rtol=1e-12)


def test_asinh_is_a_logarithm_far_from_zero():
    y = np.array([1e-3, 1.0, 1e6, 1e9, 1e12])
    z = Scale.fit("asinh", y, np.ones(5))(y)
    assert (z[4] - z[3]) == pytest.approx(z[3] - z[2], rel=1e-6)
    assert Scale.fit("asinh", y, np.ones(5)).back(z[0] - 3) < 0


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0])
def test_the_mean_of_a_lognormal_is_known(spread):
    """E exp(m + s u) = exp(m + s^2 / 2) for a normal u."""
    scale = Scale("log", 1.0, 1.0, 0.0, 1.0)
    location = np.array([-2.0, 0.0, 3.0])
    found = scale.means(location, np.full(3, spread), ERRORS)
    assert_allclose(found, np.exp(location + spread**2 / 2), rtol=0.025)


def test_the_mean_of_sinh_is_known():
    """E sinh(m + s u) = sinh(m) exp(s^2 / 2)."""
    scale = Scale("asinh", 1.0, 3.0, 0.0, 1.0)
    found = scale.means(np.array([-1.0, 2.0]), np.full(2, 0.4), ERRORS)
    assert_allclose(found, 3 * np.sinh([-1, 2]) * np.exp(0.08), rtol=0.01)


def test_the_linear_mean_shifts_by_the_mean_error():
    scale = Scale("linear", 4.0, 1.0, 1.0, 2.0)
    found = scale.means(np.array([0.0, 1.0]), np.array([1.0, 3.0]), np.array([0.0, 1]))
    assert_allclose(found, 4 * (1 + 2 * np.array([0.5, 2.5])))


@pytest.mark.parametrize(
    ("y", "known"),
    [
        (np.linspace(0, 1, 50), ["linear"]),
        (np.exp(np.linspace(0, 8, 50)), ["linear", "log"]),
        (np.exp(np.linspace(0, 8, 50)) - 1, ["linear", "asinh"]),
        (-np.exp(np.linspace(0, 8, 50)), ["linear"]),
        (np.zeros(9), ["linear"]),
        (np.full(9, 1e9), ["linear"]),
        (1e9 + 1e-6 * np.exp(np.linspace(0, 2, 9)), ["linear"]),
    ],
)
@pytest.mark.parametrize("factor", [1e-290, 1.0, 1e290])
def test_skewed_targets_try_logarithms(y, known, factor):
    assert scales_to_try(factor * y, "auto") == known


def test_scales_that_are_asked_for():
    assert scales_to_try(np.array([-1.0, 2]), "asinh") == ["asinh"]
    with pytest.raises(ValueError, match="positive targets; the smallest of y is -1"):
        Scale.fit("log", np.array([-1.0, 2]), np.ones(2))
    with pytest.raises(ValueError, match="scale is 'auto'"):
        scales_to_try(np.ones(3), "root")


def test_errors_of_the_mean_beat_those_of_the_median(rng):
    """With normal errors of logarithms, exp(m) is too low."""
    y = rng.lognormal(1, 1, 4000)
    scale = Scale.fit("log", y, np.ones(4000))
    found = squared_errors(scale, np.zeros(4000), y).mean() * scale.magnitude**2
    assert found == pytest.approx(y.var(), rel=0.01)


@pytest.mark.parametrize("name", ["linear", "log", "asinh"])
def test_a_rare_error_does_not_decide_about_a_mean(name):
    """One error of a thousand spreads, which exp would make a mean of."""
    scale = Scale(name, 1.0, 1.0, 0.0, 1.0)
    errors = np.append(np.zeros(30), 1000.0)
    found = scale.means(np.zeros(2), np.ones(2), errors, (-2.0, 2.0))
    assert (found <= scale.back(2.0)).all()
    assert (found >= scale.back(0.0)).all()
