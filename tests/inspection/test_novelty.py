"""Conformal p-values: brute force, and the share of ordinary samples rejected."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binom
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.inspection import novelty
from freemetric.inspection.novelty import _far_outside_of_others


def drawn(rng, n, d=4):
    y = rng.integers(2, size=n)
    return rng.standard_normal((n, d)) + 2 * y[:, None], y


@pytest.fixture(scope="module")
def halves():
    X, y = drawn(np.random.default_rng(0), 300)
    return X[:150], y[:150], X[150:]


@pytest.fixture(scope="module")
def model(halves):
    X, y, _ = halves
    return FreeEnergyClassifier(6, random_state=0).fit(X, y)


def test_p_values_are_ranks_among_leave_one_out_distances(model, halves):
    X, _, new = halves
    Z, Q = model.transform(X), model.transform(new)
    among = cdist(Z, Z)
    np.fill_diagonal(among, np.inf)
    usual, distances = among.min(axis=1), cdist(Q, Z).min(axis=1)
    as_far = (usual >= distances[:, None]).sum(axis=1)
    expected = (1 + as_far) / (1 + len(X))
    np.testing.assert_allclose(novelty(model, new), expected, atol=0.01)


def test_training_samples_are_usual_and_far_ones_novel(model, halves):
    np.testing.assert_array_equal(novelty(model, halves[0]), 1)
    for size in (1e2, 1e40, 1e300):
        np.testing.assert_array_equal(novelty(model, np.full((2, 4), size)), 1 / 151)
    one_feature = halves[0][:3].copy()
    one_feature[:, 2] = -1e6  # bounded views see only the end of the range
    np.testing.assert_array_equal(novelty(model, one_feature), 1 / 151)


def test_of_a_regressor(halves):
    X, _, new = halves
    regressor = FreeEnergyRegressor(4, random_state=0).fit(X, X[:, 0])
    p = novelty(regressor, new)
    assert ((p > 0) & (p <= 1)).all()
    assert novelty(regressor, X[:1] + 1e9) == 1 / 151


def far_by_brute_force(X):
    found = []
    for i in range(len(X)):
        others = np.delete(X, i, axis=0)
        low, high = np.nanmin(others, axis=0), np.nanmax(others, axis=0)
        width = np.where(high > low, high - low, np.inf)
        found.append(((X[i] < low - width) | (X[i] > high + width)).any())
    return np.array(found)


@pytest.mark.parametrize("power", [1, 5, 9])
def test_rows_far_outside_of_all_others(rng, power):
    X = rng.standard_normal((40, 6)) ** power
    X[:, 0] = 1.0
    X[3, 0] = 7.0  # all others are the same, so there is no range
    X[:, 1] = np.round(X[:, 1])  # with copies
    X[[5, 6], 2] = 1e9  # as far as the other one
    X[[11, 12], 4] = -1e9
    X[[7, 8, 9], 3] = np.nan
    found = _far_outside_of_others(X)
    np.testing.assert_array_equal(found, far_by_brute_force(X))
    assert found.any() == (power > 1)


def heavy_tailed(rng, n):
    y = rng.integers(2, size=n)
    return rng.standard_cauchy((n, 20)) + 2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "has_ties"), [(drawn, False), (heavy_tailed, True)])
def test_ordinary_samples_are_rejected_as_often_as_allowed(draw, has_ties):
    """Training distances are counted, not new samples: a model shares them.

    Of heavy tails many samples are far outside: ties make p-values larger.
    """
    n, n_models, found = 120, 6, []
    for seed in range(n_models):
        X, y = draw(np.random.default_rng(seed), n + 400)
        model = FreeEnergyClassifier(6, random_state=seed).fit(X[:n], y[:n])
        found.append(novelty(model, X[n:]))
    p = np.concatenate(found)
    for alpha in (0.05, 0.1, 0.2):
        bounds = binom.ppf([0.0005, 0.9995], n_models * n, alpha)
        low, high = bounds / (n_models * n)
        assert (p <= alpha).mean() < high, alpha
        assert has_ties or (p <= alpha).mean() > low, alpha


def test_a_class_that_was_held_out_is_novel():
    X, y = load_wine(return_X_y=True)
    known = np.flatnonzero(y < 2)
    train, test = known[::2], known[1::2]
    model = FreeEnergyClassifier(8, random_state=0).fit(X[train], y[train])
    new_class, old_classes = novelty(model, X[y == 2]), novelty(model, X[test])
    assert np.median(new_class) < 0.06 < np.median(old_classes)


def test_refused(model):
    with pytest.raises(ValueError, match="3 features"):
        novelty(model, np.zeros((2, 3)))
    with pytest.raises(NotFittedError):
        novelty(FreeEnergyClassifier(), np.zeros((2, 3)))
