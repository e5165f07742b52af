"""Data values against Shapley's definition over all subsets, their axioms, and labels that were flipped."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import roc_auc_score

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.ensemble.data_values import class_shapley, regression_shapley
from freemetric.ensemble.oob import OOBPredictor
from freemetric.exceptions import DataWarning


def by_definition(N, worth):
    """Shapley values (N,) of a function of subsets of 0..N-1."""
    values = np.zeros(N)
    for i in range(N):
        others = [j for j in range(N) if j != i]
        for size in range(N):
            gains = [worth(sorted((*S, i))) - worth(S) for S in combinations(others, size)]
            values[i] += np.sum(gains) / (N * comb(N - 1, size))
    return values


def class_worth(labels, truth, weights):
    """Votes of the first k of a set for the truth, which is in the order of distances."""
    return lambda S: sum(w / k * sum(labels[j] == truth for j in list(S)[:k]) for k, w in enumerate(weights, start=1))


def regression_worth(z, truth, weights):
    return lambda S: -sum(w * (sum(z[j] for j in list(S)[:k]) / k - truth) ** 2 for k, w in enumerate(weights, start=1))


WEIGHTS = [[1.0], [0.0, 0.0, 1.0], [0.3, 0.0, 0.5, 0.2], [0.0] * 9 + [1.0]]  # the last: more neighbours than rows


@pytest.mark.parametrize("weights", WEIGHTS, ids=["1", "3", "mixed", "more than rows"])
@pytest.mark.parametrize("N", [1, 2, 3, 6, 7])
def test_values_of_neighbors_are_those_of_the_definition(rng, N, weights):
    labels, z, w = rng.integers(0, 3, (4, N)), rng.standard_normal((4, N)), np.array(weights)
    classes, targets = rng.integers(0, 3, 4), rng.standard_normal(4)
    of_classes, of_targets = class_shapley(labels, classes, w), regression_shapley(z, targets, w)
    for n in range(4):
        np.testing.assert_allclose(of_classes[n], by_definition(N, class_worth(labels[n], classes[n], w)), atol=1e-12)
        np.testing.assert_allclose(of_targets[n], by_definition(N, regression_worth(z[n], targets[n], w)), atol=1e-12)


def brute_force(model, kind, X, y):
    """Values of all training rows by the definition, from every replica's own distances and copies in both orders."""
    ensemble, rows = model.ensemble_, model.ensemble_.training_set
    total = np.zeros(len(rows))
    for member, weights in zip(ensemble.members, ensemble.weights, strict=True):
        view = ensemble.views[member.candidate.view]
        spaces = zip(member.spaces(view(rows.X)), member.spaces(view(X)), strict=True)
        for Z, Q in spaces:
            for q, truth in zip(Q, y, strict=True):
                distances = ((Z - q) ** 2).sum(axis=1).round(9)
                for sign in (1, -1):
                    order = np.lexsort((sign * rows.y, rows.places.of_row, distances))
                    found = by_definition(len(rows), kind(rows.y[order], truth, weights))
                    total[order] += found / (2 * len(X) * len(member))
    return total


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")  # of copies
@pytest.mark.parametrize("copies", [False, True])
def test_values_of_a_model_by_the_definition(rng, copies):
    X, y = rng.random((7, 2)), np.array([0, 0, 0, 0, 1, 1, 1])
    X[[3, 6]] = X[0] if copies else X[[3, 6]]
    Q, truth = rng.random((2, 2)), np.array([0, 1])
    model = FreeEnergyClassifier(n_replicas=2, random_state=0).fit(X, y)
    by_row = np.argsort(model.ensemble_.training_set.rows)
    np.testing.assert_allclose(
        model.data_values(Q, truth), brute_force(model, class_worth, Q, truth)[by_row], atol=1e-6
    )


def test_values_of_a_regressor_by_the_definition(rng):
    X, y, Q, known = rng.random((8, 2)), rng.random(8), rng.random((2, 2)), np.array([0.3, 0.6])
    model = FreeEnergyRegressor(n_replicas=2, scale="linear", random_state=0).fit(X, y)
    z, by_row = (known - y.mean()) / y.std(), np.argsort(model.ensemble_.training_set.rows)
    np.testing.assert_allclose(
        model.data_values(Q, known), brute_force(model, regression_worth, Q, z)[by_row], atol=1e-6
    )


@pytest.fixture(scope="module")
def flipped(wine):
    X, y = wine
    wrong = np.random.default_rng(0).choice(len(y), 18, replace=False)
    noisy = y.copy()
    noisy[wrong] = (noisy[wrong] + 1) % 3
    return X, noisy, np.isin(np.arange(len(y)), wrong)


@pytest.fixture(scope="module")
def noisy_model(flipped):
    return FreeEnergyClassifier(n_replicas=8, random_state=0).fit(*flipped[:2])


def test_values_add_up_to_the_out_of_bag_votes_for_the_truth(noisy_model):
    """The predictor counts votes by other code, and the worth of no samples is zero."""
    ensemble, indices = noisy_model.ensemble_, noisy_model.oob_indices_
    predictor = OOBPredictor(ensemble, indices, 10_000, 10_000, 10_000)
    n = len(predictor.oob_samples)
    shares = predictor.shares(predictor.X, np.arange(n))[np.arange(n), predictor.y]
    assert np.isclose(np.nansum(noisy_model.data_values()), shares.mean(), atol=1e-5)


def test_values_of_a_regression_add_up_to_what_the_neighbors_explain(rng):
    X = rng.random((60, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(60)
    model = FreeEnergyRegressor(n_replicas=4, scale="linear", random_state=0).fit(X[:40], y[:40])
    ensemble, truth = model.ensemble_, (y[40:] - y[:40].mean()) / y[:40].std()
    means = ensemble.training_set.encoding.mean(ensemble.shares(X[40:]))  # (members, k, n), the mean over replicas
    worth = model.data_values(X[40:], y[40:]).sum()
    # the square of a mean over replicas is at most the mean of squares
    assert worth <= (ensemble.weights[:, :, None] * (truth**2 - (means - truth) ** 2)).sum(axis=(0, 1)).mean() + 1e-6
    assert worth > 0.5


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")  # of copies
def test_equal_rows_have_equal_values(flipped):
    X, y, _ = flipped
    twice, labels = np.concatenate([X, X[:20]]), np.concatenate([y, y[:20]])
    values = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(twice, labels).data_values(X[90:], y[90:])
    np.testing.assert_allclose(values[:20], values[len(X) :], atol=1e-12)


def test_wrong_labels_have_low_values(noisy_model, flipped):
    values = noisy_model.data_values()
    assert roc_auc_score(flipped[2], -values) > 0.95
    assert (values[flipped[2]] < 0).mean() > 0.7


def test_label_quality_is_the_out_of_bag_probability_of_the_own_label(noisy_model, flipped):
    quality = noisy_model.label_quality()
    np.testing.assert_array_equal(quality, noisy_model.oob_decision_function_[np.arange(178), flipped[1]])
    assert roc_auc_score(flipped[2], -np.nan_to_num(quality, nan=1.0)) > 0.95


def test_wrong_targets_have_low_values():
    X, y = load_diabetes(return_X_y=True)
    wrong = np.arange(len(y)) % 12 == 0
    y[wrong] = y.max() + y.min() - y[wrong]
    values = FreeEnergyRegressor(n_replicas=8, random_state=0).fit(X, y).data_values()
    assert roc_auc_score(wrong, -values) > 0.7


def test_rows_that_do_not_vote_have_no_value(flipped):
    X, y, _ = flipped
    labels = y.copy()
    labels[[4, 90]] = -1
    with pytest.warns(DataWarning, match="-1"):
        model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, labels)
    assert np.flatnonzero(np.isnan(model.data_values())).tolist() == [4, 90]


def test_threads_change_no_value(noisy_model):
    alone = noisy_model.data_values()
    try:
        together = noisy_model.set_params(n_jobs=2).data_values()
    finally:
        noisy_model.set_params(n_jobs=None)
    np.testing.assert_array_equal(alone, together)


def test_several_targets(rng):
    X = rng.random((40, 2))
    Y = X @ rng.random((2, 2))
    model = FreeEnergyRegressor(n_replicas=4, random_state=0).fit(X, Y)
    assert np.isfinite(model.data_values(X[:9], Y[:9])).all()
    assert model.data_values().shape == (40,)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(X=np.zeros((2, 13))), "X and y together"),
        (dict(X=np.zeros((2, 13)), y=[0, 7]), "none of the classes seen"),
        (dict(X=np.zeros((2, 13)), y=[0]), "X has 2 samples, and y has 1"),
    ],
)
def test_refused(noisy_model, given, words):
    with pytest.raises(ValueError, match=words):
        noisy_model.data_values(**given)
