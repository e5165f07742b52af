"""Student's t around class centres, against the formula written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, softmax
from scipy.stats import multivariate_t
from sklearn.datasets import load_iris

from freemetric.ensemble import StudentTClassifier


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
