"""The logarithmic pool: its optimum, known parameters, and calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from freemetric.ensemble.pool import SHARE_FLOOR, Pool


@pytest.fixture
def data(rng):
    """Shares of votes, probabilities of two classifiers, classes, and weights."""
    y = rng.integers(0, 3, 300)
    chances = [
        softmax(size * np.eye(3)[y] + rng.normal(size=(300, 3)), axis=1)
        for size in (0.5, 1.5)
    ]
    shares = rng.dirichlet(np.ones(3), 300) * 0.6 + 0.4 * np.eye(3)[y]
    return shares, chances, y, rng.uniform(0.3, 2, 300)


def penalised(parameters, shares, chances, y, weights):
    """Minus the log likelihood, and half the squares of the parameters by priors."""
    slope, strengths, bias = parameters[0], parameters[1:3], parameters[3:]
    logits = np.exp(slope) * np.log(shares + SHARE_FLOOR) + bias
    for strength, P in zip(strengths, chances, strict=True):
        logits = logits + strength * np.log(P)
    missed = -(weights * log_softmax(logits, axis=1)[np.arange(len(y)), y]).sum()
    return missed + 2.5 * slope**2 + 0.25 * strengths @ strengths + 2.5 * bias @ bias


def test_it_is_stationary(data):
    """Derivatives by finite differences vanish, or push against a bound."""
    pool = Pool.fit(*data)
    best = np.concatenate([[np.log(pool.slope)], pool.strengths, pool.bias])
    for k, value in enumerate(best):
        step = np.zeros(len(best))
        step[k] = 1e-5
        rise = penalised(best + step, *data) - penalised(best - step, *data)
        if value > 0 or k not in (1, 2):
            assert rise / 2e-5 == pytest.approx(0, abs=0.05)
        else:
            assert rise > 0


def test_a_useless_classifier_has_no_strength(data, rng):
    shares, _, y, weights = data
    wrong = softmax(-np.eye(3)[y] + 0.1 * rng.normal(size=(300, 3)), axis=1)
    assert Pool.fit(shares, [wrong], y, weights).strengths == 0


@pytest.mark.parametrize(("slope", "strength"), [(1.7, 0.0), (0.4, 0.8), (1.0, 1.0)])
def test_it_finds_the_parameters_that_made_the_classes(rng, slope, strength):
    n, bias = 20_000, np.array([0.4, -0.1, -0.3])
    shares = rng.dirichlet(np.ones(3), n)
    P = rng.dirichlet(np.ones(3), n)
    logits = slope * np.log(shares + SHARE_FLOOR) + strength * np.log(P) + bias
    y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    pool = Pool.fit(shares, [P], y, np.ones(n))
    assert pool.slope == pytest.approx(slope, rel=0.06)
    assert pool.strengths[0] == pytest.approx(strength, abs=0.05)
    assert_allclose(pool.bias - pool.bias.mean(), bias, atol=0.06)
    known = softmax(logits, axis=1)
    assert np.abs(pool(shares, [P]) - known).max() < 0.05


def test_without_samples_votes_alone_count():
    pool = Pool.fit(np.empty((0, 2)), [np.empty((0, 2))], np.empty(0, int), np.empty(0))
    assert (pool.slope, list(pool.strengths), list(pool.bias)) == (1.0, [0.0], [0, 0])


def test_contributions_add_up_to_the_logits(data):
    shares, chances, *_ = data
    pool = Pool.fit(*data)
    logits = pool.contributions(shares, chances).sum(axis=0) + pool.bias
    assert_allclose(softmax(logits, axis=1), pool(shares, chances))


def test_probabilities_of_zero_are_finite(data):
    P = Pool.fit(*data)(np.eye(3), [np.eye(3)[::-1], np.eye(3)])
    assert np.isfinite(np.log(P)).all()
    assert_allclose(P.sum(axis=1), 1)
