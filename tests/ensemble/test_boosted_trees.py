"""Boosted trees against plain loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import GradientBoostingRegressor

from freemetric.ensemble import BoostedTreesClassifier, BoostedTreesRegressor
from freemetric.ensemble.boosted_trees import bin_borders, tree_numbers

DEPTH, RATE, LEAST, RIDGE = 4, 0.2, 5.0, 1.0


def leaf_parts(X, force, weights, rows, depth):
    """Rows of the leaves: every split is the best of all midpoints."""
    if depth == 0:
        return [rows]
    best = 1.00001 * force[rows].sum() ** 2 / (weights[rows].sum() + RIDGE)
    parts = None
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for cut in (values[1:] + values[:-1]) / 2:
            left, right = rows[X[rows, j] <= cut], rows[X[rows, j] > cut]
            if min(weights[left].sum(), weights[right].sum()) < LEAST:
                continue
            gain = sum(
                force[side].sum() ** 2 / (weights[side].sum() + RIDGE)
                for side in (left, right)
            )
            if gain > best * (1 + 1e-6):
                best, parts = gain, (left, right)
    if parts is None:
        return [rows]
    left, right = (leaf_parts(X, force, weights, part, depth - 1) for part in parts)
    return left + right


def boosted_by_loops(X, y, weights, n_trees=40):
    """Predictions of the training rows."""
    found = np.full(len(y), np.average(y, weights=weights))
    for _ in range(n_trees):
        force = weights * (y - found)
        for rows in leaf_parts(X, force, weights, np.arange(len(y)), DEPTH):
            found[rows] += RATE * force[rows].sum() / (weights[rows].sum() + RIDGE)
    return found


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_regression_is_that_of_loops(rng, is_weighted):
    X = rng.integers(0, 9, (150, 2)).astype(float)
    y = X[:, 0] * (X[:, 1] > 4) + rng.normal(size=150)
    weights = rng.uniform(0.5, 2, 150) if is_weighted else np.ones(150)
    weights /= weights.mean()
    found = BoostedTreesRegressor().fit(X, y, weights).predict(X)
    known = boosted_by_loops(X, y, weights)
    # Of equally good splits either may be taken.
    assert np.mean(np.abs(found - known) < 1e-4) > 0.9
    assert np.corrcoef(found, known)[0, 1] > 0.999


def test_two_classes_are_a_logistic_regression_on_leaves(rng):
    """The log loss falls with every tree, and the truth is found."""
    X = rng.uniform(-1, 1, (1500, 3))
    P = 1 / (1 + np.exp(-4 * np.sign(X[:, 0] * X[:, 1])))
    y = (rng.uniform(size=1500) < P).astype(int)
    model = BoostedTreesClassifier().fit(X, y)
    Q = rng.uniform(-1, 1, (500, 3))
    known = 1 / (1 + np.exp(-4 * np.sign(Q[:, 0] * Q[:, 1])))
    assert np.abs(model.predict_proba(Q)[:, 1] - known).mean() < 0.08


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_classes_that_are_intervals_are_learned(rng, n_classes):
    X = rng.uniform(0, n_classes, (700, 4))
    y = np.floor(X[:, 2]).astype(int)
    model = BoostedTreesClassifier().fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.9
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("change", [np.exp, lambda x: 1e280 * x, lambda x: x**3])
def test_monotone_changes_of_features_change_nothing(rng, change):
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    expected = BoostedTreesRegressor().fit(X, y).predict(X)
    assert_allclose(
        BoostedTreesRegressor().fit(change(X), y).predict(change(X)), expected
    )


@pytest.mark.parametrize(
    ("X", "y"),
    [make_friedman1(1200, noise=1.0, random_state=0), load_diabetes(return_X_y=True)],
    ids=["friedman", "diabetes"],
)
def test_it_is_as_good_as_boosting_of_scikit_learn(X, y):
    known = GradientBoostingRegressor(
        n_estimators=40, learning_rate=0.2, max_depth=4, random_state=0
    )
    known = known.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    found = BoostedTreesRegressor().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert found > known - 0.02


def test_more_samples_bear_more_and_deeper_trees():
    found = [tree_numbers(n) for n in (10, 2000, 8000, 10**6)]
    assert found == [(40, 4), (40, 4), (80, 6), (100, 8)]


def test_borders_lie_midway_between_values(rng):
    X = np.column_stack(
        [np.repeat([0.0, 1, 4], 40), rng.permutation(120), np.ones(120)]
    )
    borders = bin_borders(X)
    assert list(borders[0][np.isfinite(borders[0])]) == [0.5, 2.5]
    assert not np.isfinite(borders[2]).any()
    bins = np.searchsorted(borders[1], X[:, 1])
    assert np.ptp(np.bincount(bins)) <= 1
    assert np.isfinite(bin_borders(np.array([[-1.7e308], [1.7e308]]))[0, 0])


@pytest.mark.parametrize("model", [BoostedTreesClassifier(), BoostedTreesRegressor()])
def test_few_rows_are_one_leaf(model):
    X = np.arange(6.0)[:, None]
    model.fit(X, [0, 1, 0, 1, 0, 1])
    assert np.isinf(model.thresholds_).all()
    assert len(np.unique(model.predict(X))) == 1
