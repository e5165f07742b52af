"""The small functions behind weights, calibration and prediction intervals, each against a value found by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.learners.free_energy import noise
from freemetric.ensemble.tasks.decisions import favouring
from freemetric.ensemble.tasks.intervals import interval_chances
from freemetric.learners.free_energy.number_verdict import Judged, read
from freemetric.bench.tasks import _law
from freemetric.ensemble.tasks.regression import _strengths, with_noises
from freemetric.ensemble.population import boltzmann_weights
from freemetric.learners.free_energy.verdict import _better_plain_neighbors
from freemetric.learners.target import Classes
from freemetric.metrics import Told


def test_probabilities_times_factors():
    assert_allclose(favouring(np.array([[0.5, 0.5], [0.8, 0.2]]), np.array([1.0, 3.0])), [[0.25, 0.75], [4 / 7, 3 / 7]])


def test_boltzmann_weights_of_large_scores():
    """Only differences count: scores far from zero do not make all weights vanish."""
    weights = boltzmann_weights(np.array([1000.0, 1000.0005, 1001.0]), 1e-3, 0.5)
    assert_allclose(weights, np.array([1.0, np.exp(-1), 0.0]) / (1 + np.exp(-1)), atol=1e-6)


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [2.0, 1.0, 0.5]])
def test_strength_of_one_term(weights):
    """The least squares of sum w (y - s t)^2 + r (s - 1)^2 with r = prior sum w t^2, solved for s."""
    t, y, w, prior = np.array([0.01, -0.02, 0.03]), np.array([0.02, -0.01, 0.05]), np.array(weights), 0.3
    by_hand = ((w * t * y).sum() / (w * t**2).sum() + prior) / (1 + prior)
    assert_allclose(_strengths(t[:, None], y, w, prior), [by_hand])


def test_errors_as_often_as_they_weigh():
    errors = np.array([3.0, 1.0, 2.0])
    assert_array_equal(_law(errors, np.ones(3)), [1.0, 2.0, 3.0])
    assert_array_equal(_law(errors, np.array([2.0, 1.0, 1.0])), [1.0, 2.0, 3.0])
    assert_array_equal(_law(errors, np.array([0.2, 2.6, 0.2])), [1.0, 1.0, 1.0])
    assert_array_equal(_law(errors, np.array([2.6, 0.2, 0.2])), [3.0, 3.0, 3.0])


@pytest.fixture
def told():
    """The target between 0 and 1, and its square."""
    return Told(np.zeros(2), np.ones(2))


def judged_by(told, means, y, weights=None):
    """Rows whose neighbours tell these means, of all the same."""
    shares = told.ballots(np.array([means, np.square(means)])) / len(told)
    return Judged(shares.astype(np.float64), np.empty((0, len(y))), np.array(y), weights)


@pytest.mark.parametrize("y", [[], [0.7]])
def test_votes_that_hardly_anybody_judges_are_read_as_they_are(told, y):
    judged = judged_by(told, [0.2] * len(y), y)
    reading = read(told, judged)
    assert reading.centre == (y[0] if y else 0.0)
    assert_array_equal(reading.strengths, [1.0])
    assert_array_equal(reading.errors, [-1.0, 0.0, 1.0])
    same, noises, outlook = with_noises(reading, judged, np.empty((len(y), 1)), ())
    assert same is reading
    assert noises == []
    assert_allclose(outlook.place, [0.2] * len(y), atol=1e-6)


def test_two_judges_are_enough(told):
    judged = judged_by(told, [0.2, 0.8], [0.1, 0.7], np.array([1.0, 3.0]))
    plain = read(told, judged)
    assert_allclose(plain.centre, 0.55)
    reading, _, outlook = with_noises(plain, judged, np.zeros((2, 1)), ())
    assert reading is not plain
    assert len(reading.errors) == 2
    assert_allclose(outlook.place, plain(judged.shares, judged.trends).place)


def population_of(truth, learns, weights=None):
    """What is asked of a population: judges, and which candidates learn."""
    return SimpleNamespace(
        truth=truth, judges_weights=weights, learns=np.array(learns), target=Classes(2), n_judges=max(1, len(truth))
    )


def shares_of_truth(truth, right):
    """Shares (2 candidates, 3 k, n, 2) with these chances of the right class, by candidate and k."""
    out = np.zeros((2, 3, len(truth), 2))
    for pair in np.ndindex(2, 3):
        out[pair][np.arange(len(truth)), truth] = right[pair]
        out[pair][np.arange(len(truth)), 1 - truth] = 1 - right[pair]
    return out


def test_plain_neighbours_that_are_better():
    """Of the numbers of neighbours allowed, 1 and 3, the third is best; the second is not allowed."""
    truth = np.arange(100) % 2
    right = np.array([[0.5, 1.0, 0.8], [0.6, 0.6, 0.6]])
    shares, population = shares_of_truth(truth, right), population_of(truth, [False, True])
    scores = population.target.scores(shares, truth)
    weights = _better_plain_neighbors(shares[1, 0], population, shares, scores, [1, 3], 1.0)
    assert_array_equal(weights, [[0, 0, 1], [0, 0, 0]])
    assert _better_plain_neighbors(shares[0, 2], population, shares, scores, [1], 1.0) is None  # worse than these


@pytest.mark.parametrize(("share", "is_taken"), [(0.8, True), (0.72, False)])
def test_plain_neighbours_must_be_better_by_more_than_the_error(share, is_taken):
    """Right for a share of 100 judges and wrong for the others, against even chances for all."""
    truth = np.zeros(100, dtype=int)
    right = np.arange(100) < 100 * share
    shares = np.stack([right, ~right], axis=1).astype(float) * 0.8 + 0.1
    even = np.full((100, 2), 0.5)
    every = np.broadcast_to(shares, (2, 1, 100, 2))
    excess = 0.25 - ((shares[:, 0] - 1) ** 2)  # half of both squares
    assert (excess.mean() > excess.std() / 10) == is_taken
    population = population_of(truth, [False, True])
    scores = population.target.scores(every, truth)
    assert (_better_plain_neighbors(even, population, every, scores, [1], 1.0) is not None) == is_taken


def test_no_plain_neighbours_where_nobody_judges_or_all_learn():
    truth = np.arange(20) % 2
    shares = shares_of_truth(truth, np.ones((2, 3)))
    bad, scores = 1 - shares[0, 0], np.zeros((2, 3))
    nobody = population_of(truth[:0], [False, True])
    assert _better_plain_neighbors(bad[:0], nobody, shares[:, :, :0], scores, [1], 1.0) is None
    assert _better_plain_neighbors(bad, population_of(truth, [True, True]), shares, scores, [1], 1.0) is None


def test_classes_around_one_point_are_told_apart_by_their_densities(rng):
    """The wider of two classes is met outside; neighbours alone do not know that."""
    y = np.arange(160) % 2
    X = rng.standard_normal((160, 5)) * np.where(y, 3.0, 1.0)[:, None]
    with_them = FreeEnergyClassifier(4, candidates=["scaled/diagonal"], random_state=0).fit(X, y)
    assert len(with_them.committee_.basins) > 0
    none = Recipe(calibration="none")
    without = FreeEnergyClassifier(4, candidates=["scaled/diagonal"], recipe=none, random_state=0).fit(X, y)
    assert without.committee_.basins == []


@pytest.mark.parametrize(("n", "low"), [(19, 0.0), (38, 0.0), (39, 1 / 38), (199, 9 / 198)])
def test_ends_of_intervals(n, low):
    """The floor((n + 1) alpha / 2)-th error from both ends, the first being number 0 of n - 1 steps."""
    assert_allclose(interval_chances(n, 0.1), [low, 1 - low])


def test_noise_is_a_trend_of_the_logarithm_of_squared_errors(monkeypatch, rng):
    errors, X, asked = np.array([0.0, 3.0, 1.0, 2.0]), rng.random((4, 1)), []

    def note(kind, X, logs, weights):
        asked.append(logs)
        return kind, np.arange(4.0)

    monkeypatch.setattr(noise, "crossed_trend", note)
    noise.noise_trends(errors, X, ("linear",), np.ones(4))
    assert_allclose(asked[0], np.log(errors**2 + 1e-4 * 3.5))  # 3.5 is the mean square


def test_a_noise_that_is_the_same_everywhere_is_none(monkeypatch, rng):
    monkeypatch.setattr(noise, "crossed_trend", lambda kind, X, logs, weights: (kind, np.full(len(X), 0.5)))
    trends, logs = noise.noise_trends(rng.standard_normal(30), rng.random((30, 2)), ("linear", "steps"), np.ones(30))
    assert trends == []
    assert logs.shape == (0, 30)


def test_the_spread_has_the_largest_likelihood(rng):
    """The same cost written down again: log sigma and squared errors over it, and a prior of two rows."""
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
    assert_allclose(noise.spread_of(errors, logs, weights), best.x, atol=2e-3)
