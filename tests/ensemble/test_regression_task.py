"""The head that regression makes of out-of-bag votes: strengths in closed form, errors as quantiles of copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from freemetric import Recipe
from freemetric.ensemble.tasks import regression
from freemetric.ensemble.tasks.intervals import interval_chances, sorted_errors
from freemetric.ensemble.tasks.regression import (
    EXPONENTS,
    RegressionHead,
    RegressionTask,
    Scored,
    _strengths,
    noise_trends,
    spread_of,
    with_noises,
)
from freemetric.ensemble.tasks.scales import Scale
from freemetric.metrics import TargetEncoding
from freemetric.metrics.trends import LinearTrend

ENCODING = TargetEncoding(np.zeros(3), np.array([4.0, 16.0, 4.0]))  # a target, its square, and a trend
TREND = LinearTrend([], np.empty(0), 0.0)  # what it says is given to the head
LINEAR = Scale("linear", 0.0, 1.0)


def head_of(scored, encoding=ENCODING, trends=(TREND,)):
    return RegressionTask(encoding, trends, LINEAR).head(scored, prior=0.05)


def scored_samples(y, weights=None):
    """Samples whose neighbours say 2 of targets between 0 and 4; the trend says 1."""
    return Scored.of(np.zeros((len(y), 1)), np.full((len(y), 6), 1 / 6), np.ones((1, len(y))), np.array(y), weights)


@pytest.mark.parametrize("size", [1.0, 1e-3])
@pytest.mark.parametrize("prior", [0.05, 2.0])
def test_strengths_of_terms_that_are_orthogonal(prior, size):
    """Each is shrunk by the prior as if so many samples had said one of the votes, and nothing of trends."""
    terms, w = size * np.array([[2, 1, 3], [2, 1, -1], [2, -1, 3], [2, -1, -1.0]]), np.array([1, 3, 1, 3.0])
    y = terms @ [0.5, 0.8, -0.2]  # what is negative is left out
    expected = [(0.5 + prior) / (1 + prior), 0.8 / (1 + prior), 0.0]
    np.testing.assert_allclose(_strengths(terms, y, w, prior), expected, atol=1e-12)


@pytest.mark.parametrize(("y", "centre"), [([], 0.0), ([3.0], 3.0)], ids=["none", "one"])
def test_votes_are_read_as_they_are_where_hardly_any_sample_is_out_of_bag(y, centre):
    found = head_of(scored_samples(y))
    assert found.centre == centre
    assert found.strengths.tolist() == [1, 0, 0]
    assert found.errors.tolist() == [-1, 0, 1]


def test_the_centre_is_the_weighted_mean():
    scored = scored_samples([1.0, 2.0, 6.0], np.array([1.0, 1.0, 2.0]))
    assert head_of(scored).centre == pytest.approx((1 + 2 + 12) / 4)


def test_two_samples_are_enough_for_a_spread_and_one_is_not():
    """The spread is the root of the mean squared error where neighbours disagree everywhere alike."""
    errors, nothing_seen = np.array([-1.0, 0.0, 1.0]), np.empty((0, 2))
    plain = RegressionHead(ENCODING, 0.0, np.eye(3)[0], np.zeros(2), errors, [TREND], [], nothing_seen, LINEAR)
    found, prediction = with_noises(plain, scored_samples([1.0, 4.0]), Recipe(noises=()))
    assert found.noises == []
    np.testing.assert_allclose(prediction.location, 2.0)
    np.testing.assert_allclose(prediction.spread, np.sqrt(5 / 2))
    np.testing.assert_allclose(found.errors, np.array([-1, 2]) / np.sqrt(5 / 2))
    assert with_noises(plain, scored_samples([1.0]), Recipe(noises=()))[0] is plain


def test_spreads_follow_noises_as_far_as_the_prior_lets_them(rng):
    """The least of the penalised likelihood over all three parameters at once, by another method."""
    variance, heat, w = rng.random(30) + 0.1, 2 * rng.standard_normal(30), rng.random(30) + 0.5
    errors = variance**0.4 * np.exp(0.4 * heat) * rng.standard_normal(30)

    def cost(v):
        log = v[0] + (v[1] * np.log(variance) + v[2] * heat) / 2
        held = Recipe.noise_prior * v[2] ** 2 / (2 * 30)
        return np.average(log + errors**2 / (2 * np.exp(2 * log)), weights=w) + held

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
    kinds = {regression.TRENDS[name]: name for name in found}
    monkeypatch.setattr(regression, "crossed_trend", lambda kind, *_: found[kinds[kind]])
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
def test_errors_count_as_often_as_they_weigh(weights, most):
    """As many as there are samples: quantiles of a sample that has so many copies of each."""
    errors, n = np.array([0.9, -0.5, 0.1, 0.4, -0.2]), min(5, most)
    copies = np.repeat(errors, weights)
    expected = np.quantile(copies, (np.arange(n) + 0.5) / n, method="inverted_cdf")
    np.testing.assert_array_equal(sorted_errors(errors, np.array(weights, dtype=float), most), expected)


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [2.0, 1.0, 0.5]])
def test_strength_of_one_term(weights):
    """The least squares of sum w (y - s t)^2 + r (s - 1)^2 with r = prior sum w t^2, solved for s."""
    t, y, w, prior = np.array([0.01, -0.02, 0.03]), np.array([0.02, -0.01, 0.05]), np.array(weights), 0.3
    by_hand = ((w * t * y).sum() / (w * t**2).sum() + prior) / (1 + prior)
    assert_allclose(_strengths(t[:, None], y, w, prior), [by_hand])


def test_errors_as_often_as_they_weigh():
    errors = np.array([3.0, 1.0, 2.0])
    assert_array_equal(sorted_errors(errors, np.ones(3), 9), [1.0, 2.0, 3.0])
    assert_array_equal(sorted_errors(errors, np.array([2.0, 1.0, 1.0]), 9), [1.0, 2.0, 3.0])
    assert_array_equal(sorted_errors(errors, np.array([0.2, 2.6, 0.2]), 9), [1.0, 1.0, 1.0])
    assert_array_equal(sorted_errors(errors, np.array([2.6, 0.2, 0.2]), 9), [3.0, 3.0, 3.0])


@pytest.fixture
def encoding():
    """Of the target between 0 and 1, and its square."""
    return TargetEncoding(np.zeros(2), np.ones(2))


def scored_as(encoding, means, y, weights=None):
    """Samples whose neighbours say these means, all of them the same."""
    shares = encoding.votes(np.array([means, np.square(means)])) / len(encoding)
    return Scored.of(np.zeros((len(y), 1)), shares.astype(np.float64), np.empty((0, len(y))), np.array(y), weights)


@pytest.mark.parametrize("y", [[], [0.7]])
def test_votes_of_hardly_any_sample_keep_their_spread(encoding, y):
    scored = scored_as(encoding, [0.2] * len(y), y)
    head = head_of(scored, encoding, ())
    assert head.centre == (y[0] if y else 0.0)
    assert_array_equal(head.strengths, [1.0])
    assert_array_equal(head.errors, [-1.0, 0.0, 1.0])
    same, prediction = with_noises(head, scored, Recipe(noises=()))
    assert same is head
    assert head.noises == []
    assert_allclose(prediction.location, [0.2] * len(y), atol=1e-6)


def test_two_samples_are_enough(encoding):
    scored = scored_as(encoding, [0.2, 0.8], [0.1, 0.7], np.array([1.0, 3.0]))
    plain = head_of(scored, encoding, ())
    assert_allclose(plain.centre, 0.55)
    head, prediction = with_noises(plain, scored, Recipe(noises=()))
    assert head is not plain
    assert len(head.errors) == 2
    assert_allclose(prediction.location, plain(scored.shares, scored.trends).location)


@pytest.mark.parametrize(("n", "low"), [(19, 0.0), (38, 0.0), (39, 1 / 38), (199, 9 / 198)])
def test_ends_of_intervals(n, low):
    """The floor((n + 1) alpha / 2)-th error from both ends, the first being number 0 of n - 1 steps."""
    assert_allclose(interval_chances(n, 0.1), [low, 1 - low])


def test_noise_is_a_trend_of_the_logarithm_of_squared_errors(monkeypatch, rng):
    errors, X, asked = np.array([0.0, 3.0, 1.0, 2.0]), rng.random((4, 1)), []

    def note(kind, X, logs, weights):
        asked.append(logs)
        return kind, np.arange(4.0)

    monkeypatch.setattr(regression, "crossed_trend", note)
    noise_trends(errors, X, ("linear",), np.ones(4))
    assert_allclose(asked[0], np.log(errors**2 + 1e-4 * 3.5))  # 3.5 is the mean square


def test_a_noise_that_is_the_same_everywhere_is_none(monkeypatch, rng):
    monkeypatch.setattr(regression, "crossed_trend", lambda kind, X, logs, weights: (kind, np.full(len(X), 0.5)))
    trends, logs = noise_trends(rng.standard_normal(30), rng.random((30, 2)), ("linear", "steps"), np.ones(30))
    assert trends == []
    assert logs.shape == (0, 30)


def test_the_spread_has_the_largest_likelihood(rng):
    """The same cost written down again: log sigma and squared errors over it, and a prior of two samples."""
    logs = rng.standard_normal((3, 200))
    weights, errors = rng.random(200), np.exp(logs[1] / 2) * rng.standard_normal(200)

    def cost(p):
        log_sigma = p[0] + p[1:] @ logs / 2
        likely = np.average(log_sigma + errors**2 * np.exp(-2 * log_sigma) / 2, weights=weights)
        return likely + 2.0 * (p[2:] ** 2).sum() / (2 * 200)

    best = min(
        (minimize(cost, start, bounds=[(None, None), *[(0, 1.5)] * 3]) for start in np.eye(4) * 0.5),
        key=lambda found: found.fun,
    )
    assert_allclose(spread_of(errors, logs, weights), best.x, atol=2e-3)
