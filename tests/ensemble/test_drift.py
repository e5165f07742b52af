"""Drift: false alarms at the nominal level, shifted columns found and named, statistics against scipy and loops."""

import numpy as np
import pytest
from scipy.stats import binom, cramervonmises_2samp
from sklearn.metrics import pairwise_distances

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.ensemble.drift import cramer_von_mises, neighbors_in, own_shares

ALPHA = 0.1


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    X[:, 3] = rng.integers(0, 2, 150)
    return FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, X[:, 0] + X[:, 1] > 0)


def tables(rng, n=40):
    X = rng.standard_normal((2 * n, 4))
    X[:, 3] = rng.integers(0, 2, 2 * n)
    return X[:n], X[n:]


@pytest.mark.slow
def test_false_alarms_are_as_frequent_as_they_should_be(model, rng):
    """Of independent tests, each with a chance alpha; more or fewer than these bounds have a chance of 1e-4."""
    n = 100
    found = [model.drift(*tables(rng), n_permutations=79, random_state=i) for i in range(n)]
    low, high = binom.ppf([5e-5, 1 - 5e-5], n, ALPHA)
    assert low <= sum(drift.p_value <= ALPHA for drift in found) <= high
    assert low <= sum(drift.p_values.min() <= ALPHA for drift in found) <= high


@pytest.mark.parametrize(("column", "shift"), [(0, 1.5), (1, -1.5)])
def test_a_shifted_column_is_found_and_named(model, rng, column, shift):
    old, new = tables(rng, 80)
    new[:, column] += shift
    drift = model.drift(old, new)
    assert drift.p_value <= 0.01
    assert drift.statistic > drift.expected
    assert drift.changed().tolist() == [column]
    assert drift.contributions.argmax() == column


def test_other_shares_of_a_category_are_named(model, rng):
    old, new = tables(rng, 80)
    new[:, 3] = rng.random(80) < 0.9
    assert model.drift(old, new).changed().tolist() == [3]


def test_a_change_that_the_metric_does_not_see_contributes_nothing(rng):
    X = rng.random((200, 3))
    model = FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X, 10 * X[:, 0])
    old, new = rng.random((100, 3)), rng.random((100, 3))
    new[:, 2] = 1 - (1 - new[:, 2]) ** 2
    drift = model.drift(old, new)
    assert drift.changed().tolist() == [2]
    share = model.distance_weights_
    assert share[2] < 0.1
    assert abs(drift.contributions[2]) < 0.1


def test_groups_are_tested_together(model, rng):
    old, new = tables(rng, 80)
    new[:, 1] += 2
    drift = model.drift(old, new, groups=["a", "b", "a", "b"])
    assert drift.names.tolist() == ["a", "b"]
    assert drift.changed().tolist() == ["b"]


def test_the_statistic_is_that_of_schilling(model, rng):
    old, new = tables(rng, 12)
    Z = model.transform(np.concatenate([old, new]))
    D = pairwise_distances(Z)
    same = [(j < 12) == (i < 12) for i in range(24) for j in np.argsort(D[i])[1:6]]
    assert np.isclose(model.drift(old, new, n_permutations=1).statistic, np.mean(same))


def test_expected_share_of_own_neighbors(rng):
    """Without a difference a neighbour is of the own table with (n - 1) / (N - 1)."""
    nearest, is_new = neighbors_in(rng.standard_normal((60, 2)), 5), np.arange(60) >= 20
    labels = rng.permuted(np.broadcast_to(is_new, (4000, 60)), axis=1)
    expected = (20 * 19 + 40 * 39) / (60 * 59)
    assert abs(own_shares(nearest, labels).mean() - expected) < 0.005


def test_distribution_functions_as_scipy_compares_them(rng):
    x, y = rng.standard_normal(30), rng.standard_normal(20) + 0.5
    statistic = cramer_von_mises(np.concatenate([x, y]), np.arange(50) >= 30)
    # scipy's T is n m / (n + m) times the mean square difference, up to a constant of the ranks
    assert np.isclose(30 * 20 / 50 * statistic, cramervonmises_2samp(x, y).statistic)


def test_equal_values_have_one_place():
    x, labels = np.array([0.0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 0, 1, 1], dtype=bool)
    by_hand = (3 * (1 / 3 - 2 / 3) ** 2 + 3 * 0) / 6
    for order in (np.arange(6), np.array([2, 0, 5, 1, 4, 3])):
        assert np.isclose(cramer_von_mises(x[order], labels[order]), by_hand)


def test_a_constant_column_has_not_changed(rng):
    X = rng.random((60, 2))
    X[:, 1] = 3.0
    with pytest.warns(UserWarning, match="Constant"):
        model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, X[:, 0] > 0.5)
    assert model.drift(X[:30], X[30:]).p_values[1] == 1


def test_refused(model, rng):
    with pytest.raises(ValueError, match="n_permutations is a number"):
        model.drift(*tables(rng), n_permutations=0)
    with pytest.raises(ValueError, match="groups must name"):
        model.drift(*tables(rng), groups=["a"])
