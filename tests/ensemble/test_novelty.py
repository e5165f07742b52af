"""Conformal p-values of samples: brute force, and the share of ordinary samples that are rejected."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binom
from sklearn.base import clone

import freemetric
from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.metrics.averaged_metric import far_outside_of_others


def drawn(rng, n, d=4):
    y = rng.integers(2, size=n)
    return rng.standard_normal((n, d)) + 2 * y[:, None], y


@pytest.fixture(scope="module")
def halves():
    X, y = drawn(np.random.default_rng(0), 300)
    return X[:150], y[:150], X[150:]


@pytest.fixture(scope="module")
def model(halves):
    return FreeEnergyClassifier(6, random_state=0).fit(*halves[:2])


def test_p_values_are_ranks_among_leave_one_out_distances(model, halves):
    X, _, new = halves
    Z, Q = model.transform(X), model.transform(new)
    among = cdist(Z, Z)
    np.fill_diagonal(among, np.inf)
    at_least_as_far = (among.min(axis=1) >= cdist(Q, Z).min(axis=1)[:, None]).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(new), (1 + at_least_as_far) / (1 + len(X)), atol=0.01)


def test_samples_of_the_fit_are_known_and_far_ones_are_novel(model, halves):
    np.testing.assert_array_equal(model.score_samples(halves[0]), 1)
    for size in (1e2, 1e40, 1e300):
        np.testing.assert_array_equal(model.score_samples(np.full((2, 4), size)), 1 / 151)


def test_every_model_has_them(halves, model, tmp_path):
    X, y, new = halves
    regressor = FreeEnergyRegressor(4, random_state=0).fit(X, X[:, 0])
    assert (regressor.score_samples(new) > 0).all()
    model.save(tmp_path / "model.fm")
    np.testing.assert_array_equal(freemetric.load(tmp_path / "model.fm").score_samples(new), model.score_samples(new))
    again = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.score_samples(new), model.score_samples(new))


def far_by_brute_force(X):
    found = []
    for i in range(len(X)):
        others = np.delete(X, i, axis=0)
        low, high = others.min(axis=0), others.max(axis=0)
        span = np.where(high > low, high - low, np.inf)
        found.append(((X[i] < low - span) | (X[i] > high + span)).any())
    return np.array(found)


@pytest.mark.parametrize("power", [1, 5, 9])
def test_rows_far_outside_of_all_others(rng, power):
    X = rng.standard_normal((40, 6)) ** power
    X[:, 0] = 1.0
    X[3, 0] = 7.0  # all others are the same, so there is no range
    X[:, 1] = np.round(X[:, 1])  # with copies
    X[[5, 6], 2] = 1e9  # as far as the other one
    np.testing.assert_array_equal(far_outside_of_others(X), far_by_brute_force(X))
    assert far_outside_of_others(X).any() == (power > 1)


def p_values(draw, n, n_models, n_new=400):
    """Of ordinary samples, by models of several training sets."""
    recipe, found = Recipe(candidates=["scaled/full", "quantiles/full"], temperature=1e-3), []
    for seed in range(n_models):
        X, y = draw(np.random.default_rng(seed), n + n_new)
        model = FreeEnergyClassifier(6, recipe=recipe, random_state=seed).fit(X[:n], y[:n])
        found.append(model.score_samples(X[n:]))
    return np.concatenate(found)


def heavy_tailed(rng, n):
    y = rng.integers(2, size=n)
    return rng.standard_cauchy((n, 20)) + 2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "has_ties"), [(drawn, False), (heavy_tailed, True)])
def test_ordinary_samples_are_rejected_as_often_as_allowed(draw, has_ties):
    """The p-values of a model share its n training distances, so these are counted and not the new samples.

    Of heavy tails many samples are far outside of all others, as far as each other: ties make p-values larger.
    """
    n, n_models = 120, 6
    p = p_values(draw, n, n_models)
    for alpha in (0.05, 0.1, 0.2):
        low, high = binom.ppf([0.0005, 0.9995], n_models * n, alpha) / (n_models * n)
        assert (p <= alpha).mean() < high, alpha
        assert has_ties or (p <= alpha).mean() > low, alpha


def test_a_class_that_was_held_out_is_novel(wine):
    X, y = wine
    known = np.flatnonzero(y < 2)
    model = FreeEnergyClassifier(8, random_state=0).fit(X[known[::2]], y[known[::2]])
    assert np.median(model.score_samples(X[y == 2])) < 0.06 < np.median(model.score_samples(X[known[1::2]]))
