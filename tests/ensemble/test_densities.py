"""Student's t against its formula, naive Bayes on intervals against counts in loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, softmax, xlogy
from scipy.stats import multivariate_t
from sklearn.datasets import load_iris

from freemetric.ensemble import ScreenedNaiveBayes, StudentTClassifier
from freemetric.ensemble.densities import interval_thresholds

PRIOR = 3.0


# --- Student's t -------------------------------------------------------------------


def by_formula(X, y, weights, Q):
    """Logits (n, C): minus F, on standardised features."""
    d = X.shape[1]
    middle = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=weights))
    Z, Q = (X - middle) / spread, (Q - middle) / spread
    weights = weights / weights.mean()
    scatters, sizes, centres = [], [], []
    for c in np.unique(y):
        own, w = Z[y == c], weights[y == c]
        centre = np.average(own, axis=0, weights=w)
        scatters.append((w[:, None] * (own - centre)).T @ (own - centre))
        sizes.append(w.sum())
        centres.append(centre)
    within = sum(scatters) / sum(sizes)
    logits = []
    for scatter, size, centre in zip(scatters, sizes, centres, strict=True):
        S = (scatter + d * within) / (size + d)
        S = (1 - 1e-4) * S + 1e-4 * np.trace(S) / d * np.eye(d)
        # The density has S as its shape, and d degrees of freedom.
        log_density = multivariate_t(centre, S, df=d).logpdf(Q)
        constant = gammaln(d) - gammaln(d / 2) - d / 2 * np.log(d * np.pi)
        logits.append((log_density - constant) / np.sqrt(d))
    return np.transpose(logits)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_probabilities_are_those_of_the_formula(rng, is_weighted):
    X, y = load_iris(return_X_y=True)
    weights = rng.uniform(0.2, 3, 150) if is_weighted else np.ones(150)
    model = StudentTClassifier().fit(X, y, 7 * weights)
    Q = X + rng.normal(size=X.shape)
    known = softmax(by_formula(X, y, weights, Q), axis=1)
    assert_allclose(model.predict_proba(Q), known, atol=1e-9)


def test_units_do_not_matter():
    X, y = load_iris(return_X_y=True)
    expected = StudentTClassifier().fit(X, y).predict_proba(X)
    for factor in (1e-100, [1e-9, 1, 1e9, 1e100]):
        other = factor * X + 0.0
        found = StudentTClassifier().fit(other, y).predict_proba(other)
        assert_allclose(found, expected, atol=1e-9)


def test_far_samples_and_flat_classes_have_probabilities(rng):
    X = np.repeat(rng.normal(size=(4, 3)), 5, axis=0)
    y = np.repeat([0, 1, 0, 2], 5)
    X[:, 2] = 4.0
    model = StudentTClassifier().fit(X, y)
    P = model.predict_proba(np.array([[1e300, -1e300, 4], [0, 0, 1e9], X[0]]))
    assert np.isfinite(P).all()
    assert (model.predict(X) == y).all()


# --- naive Bayes ---------------------------------------------------------------------


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
            is_inside = inside == j
            counts = np.array([weights[is_inside & (y == c)].sum() for c in classes])
            share = counts.sum() / sizes.sum()
            if counts.sum() == 0:
                ratios[j] = np.zeros(len(classes))
                continue
            n_intervals += 1
            G += 2 * xlogy(counts, counts / (sizes * share)).sum()
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
