"""How votes for numbers are read: strengths in closed form, laws of errors as quantiles of copies."""

import numpy as np
import pytest
from scipy.optimize import minimize

from freemetric.learners.free_energy import noise, number_verdict
from freemetric.ensemble.tasks.intervals import interval_chances
from freemetric.learners.free_energy.noise import EXPONENTS, PRIOR
from freemetric.ensemble.tasks.regression import noise_trends, spread_of
from freemetric.learners.free_energy.number_verdict import Judged, read
from freemetric.bench.tasks import _law
from freemetric.ensemble.tasks.regression import _strengths, with_noises
from freemetric.cli.options import Reading
from freemetric.metrics import Told

TOLD = Told(np.zeros(3), np.array([4.0, 16.0, 4.0]))  # a target, its square, and a trend


@pytest.mark.parametrize("size", [1.0, 1e-3])
@pytest.mark.parametrize("prior", [0.05, 2.0])
def test_strengths_of_terms_that_are_orthogonal(prior, size):
    """Each is shrunk by the prior as if so many rows had said one of the votes, and nothing of trends."""
    terms, w = size * np.array([[2, 1, 3], [2, 1, -1], [2, -1, 3], [2, -1, -1.0]]), np.array([1, 3, 1, 3.0])
    y = terms @ [0.5, 0.8, -0.2]  # what is negative is left out
    expected = [(0.5 + prior) / (1 + prior), 0.8 / (1 + prior), 0.0]
    np.testing.assert_allclose(_strengths(terms, y, w, prior), expected, atol=1e-12)


@pytest.mark.parametrize(("y", "centre"), [([], 0.0), ([3.0], 3.0)], ids=["nobody", "one"])
def test_votes_are_read_as_they_are_where_hardly_anybody_judges(y, centre):
    judged = Judged(np.full((len(y), 6), 1 / 6), np.full((1, len(y)), 1.0), np.array(y))
    found = read(TOLD, judged)
    assert found.centre == centre
    assert found.strengths.tolist() == [1, 0, 0]
    assert found.errors.tolist() == [-1, 0, 1]


def test_the_centre_is_the_weighted_mean():
    judged = Judged(np.full((3, 6), 1 / 6), np.ones((1, 3)), np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0]))
    assert read(TOLD, judged).centre == pytest.approx((1 + 2 + 12) / 4)


def test_two_judges_are_enough_for_a_spread_and_one_is_not():
    """The spread is the root of the mean squared error where neighbours disagree everywhere alike."""
    plain = Reading(TOLD, 0.0, np.eye(3)[0], np.zeros(2), np.array([-1.0, 0.0, 1.0]), np.empty((0, 2)))
    judged = Judged(np.full((2, 6), 1 / 6), np.ones((1, 2)), np.array([1.0, 4.0]))  # votes say 2
    found, noises, outlook = with_noises(plain, judged, np.zeros((2, 1)), [])
    assert noises == []
    np.testing.assert_allclose(outlook.place, 2.0)
    np.testing.assert_allclose(outlook.spread, np.sqrt(5 / 2))
    np.testing.assert_allclose(found.errors, np.array([-1, 2]) / np.sqrt(5 / 2))
    one = Judged(judged.shares[:1], judged.trends[:, :1], judged.y[:1])
    assert with_noises(plain, one, np.zeros((1, 1)), [])[0] is plain


def test_spreads_follow_noises_as_far_as_the_prior_lets_them(rng):
    """The least of the penalised likelihood over all three parameters at once, by another method."""
    variance, heat, w = rng.random(30) + 0.1, 2 * rng.standard_normal(30), rng.random(30) + 0.5
    errors = variance**0.4 * np.exp(0.4 * heat) * rng.standard_normal(30)

    def cost(v):
        log = v[0] + (v[1] * np.log(variance) + v[2] * heat) / 2
        return np.average(log + errors**2 / (2 * np.exp(2 * log)), weights=w) + PRIOR * v[2] ** 2 / (2 * 30)

    best = minimize(cost, np.full(3, 0.5), method="Nelder-Mead", bounds=[(-9, 9), EXPONENTS, EXPONENTS]).x
    assert 0.1 < best[2] < 1.4
    np.testing.assert_allclose(spread_of(errors, np.array([np.log(variance), heat]), w), best, atol=2e-3)


def test_noises_do_not_depend_on_units(rng):
    X, w = rng.random((40, 2)), np.ones(40)
    errors = np.exp(X[:, 0]) * rng.standard_normal(40)
    errors[::8] = 0.0  # lucky hits
    (_, small), (_, large) = (noise_trends(size * errors, X, ["linear"], w) for size in (1, 1000))
    np.testing.assert_allclose(large - small, np.log(1e6))


def test_noises_that_say_nothing_are_left_out(monkeypatch):
    """One that costs too much, and one that is the same everywhere."""
    found = {"linear": ("straight", np.arange(4.0)), "steps": ("flat", np.ones(4)), "surface": None}
    kinds = {noise.TRENDS[name]: name for name in found}
    monkeypatch.setattr(noise, "crossed_trend", lambda kind, *_: found[kinds[kind]])
    noises, logs = noise_trends(np.ones(4), np.zeros((4, 1)), list(found), np.ones(4))
    assert noises == ["straight"]
    np.testing.assert_array_equal(logs, [np.arange(4.0)])


@pytest.mark.parametrize(
    ("n", "alpha", "low"), [(6, 0.5, 0), (7, 0.5, 1 / 6), (10, 0.5, 1 / 9), (11, 0.5, 2 / 10), (3, 0.1, 0), (1, 0.5, 0)]
)
def test_intervals_end_at_known_errors(n, alpha, low):
    """Of eight places between and beside seven errors, four lie between the second and the sixth."""
    np.testing.assert_allclose(interval_chances(n, alpha), [low, 1 - low])


@pytest.mark.parametrize("most", [3, 4000])
@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [1, 1, 7, 1, 1], [9, 1, 3, 1, 2]])
def test_errors_count_as_often_as_they_weigh(weights, most, monkeypatch):
    """As many as there are rows: quantiles of a sample that has so many copies of each."""
    monkeypatch.setattr(number_verdict, "MOST_ERRORS", most)
    errors, n = np.array([0.9, -0.5, 0.1, 0.4, -0.2]), min(5, most)
    copies = np.repeat(errors, weights)
    expected = np.quantile(copies, (np.arange(n) + 0.5) / n, method="inverted_cdf")
    np.testing.assert_array_equal(_law(errors, np.array(weights, dtype=float)), expected)
