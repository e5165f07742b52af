"""Naive Bayes on intervals, against counts in loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from freemetric.ensemble import ScreenedNaiveBayes
from freemetric.ensemble.densities import interval_thresholds

PRIOR = 3.0


def by_counts(X, y, weights, Q):
    """Probabilities by the formula of the docstring, feature after feature."""
    classes = np.unique(y)
    sizes = np.array([weights[y == c].sum() for c in classes])
    owner, thresholds = interval_thresholds(X)
    logits = np.zeros((len(Q), len(classes)))
    for f in range(X.shape[1]):
        cuts = thresholds[owner == f]
        inside, new = np.searchsorted(cuts, X[:, f]), np.searchsorted(cuts, Q[:, f])
        G, ratios, n_intervals = 0.0, {}, 0
        for j in range(len(cuts) + 1):
            counts = np.array(
                [weights[(inside == j) & (y == c)].sum() for c in classes]
            )
            share = counts.sum() / sizes.sum()
            if counts.sum() == 0:
                ratios[j] = np.zeros(len(classes))
                continue
            n_intervals += 1
            observed = counts > 0
            G += 2 * np.sum(
                counts
                * np.log(
                    counts / (sizes * share), where=observed, out=np.zeros(len(classes))
                )
            )
            ratios[j] = np.log((counts + PRIOR * share) / (sizes + PRIOR) / share)
        dof = (n_intervals - 1) * (len(classes) - 1)
        strength = max(0.0, 1 - dof / G) if G > 0 else 0.0
        logits += strength * np.array([ratios[j] for j in new])
    return softmax(logits / np.sqrt(X.shape[1]), axis=1)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_probabilities_are_those_of_counts(rng, n_classes, is_weighted):
    y = rng.integers(0, n_classes, 200)
    X = rng.normal(size=(200, 5)) + np.outer(y, [2, 0.5, 0, 0, 1])
    X[:, 3] = rng.integers(0, 3, 200)
    X[:, 4] = np.round(X[:, 4])
    weights = rng.uniform(0.2, 3, 200) if is_weighted else np.ones(200)
    weights /= weights.mean()
    Q = 2 * X[:50]
    found = ScreenedNaiveBayes().fit(X, y, 3 * weights).predict_proba(Q)
    assert_allclose(found, by_counts(X, y, weights, Q), atol=1e-9)


@pytest.mark.parametrize("change", [np.exp, lambda x: 1e200 * x, np.cbrt])
def test_monotone_changes_of_a_feature_change_nothing(rng, change):
    y = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 3)) + y[:, None]
    expected = ScreenedNaiveBayes().fit(X, y).predict_proba(X)
    found = ScreenedNaiveBayes().fit(change(X), y).predict_proba(change(X))
    assert_allclose(found, expected, atol=1e-12)


def test_an_uninformative_feature_hardly_counts(rng):
    y = rng.integers(0, 2, 2000)
    noise = rng.normal(size=(2000, 1))
    P = ScreenedNaiveBayes().fit(noise, y).predict_proba(noise)
    assert np.abs(P - 0.5).max() < 0.05
    assert ScreenedNaiveBayes().fit(np.ones((9, 1)), y[:9]).predict_proba([[5.0]]).any()


def test_thresholds_are_quantiles(rng):
    X = np.column_stack([rng.permutation(900), np.ones(900), rng.integers(0, 2, 900)])
    owner, thresholds = interval_thresholds(X)
    assert_allclose(thresholds[owner == 0], np.arange(100, 900, 100) - 1)
    assert list(thresholds[owner == 1]) == [1]
    assert list(thresholds[owner == 2]) == [0]
