"""Learners by batches give what they give at once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.covariance import oas

from freemetric import LDA, RCA, Covariance
from freemetric.learners.linear_algebra import oracle_amount

LEARNERS = [LDA(), RCA(), Covariance(), LDA(1, regularization=0.1)]
LEARNERS += [RCA(2, regularization=0.1), Covariance(3, regularization=0.1)]
pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("begins", ["fit", "partial_fit"])
def test_batches_are_one_fit(learner, begins, wine):
    X, y = wine
    order = np.random.default_rng(0).permutation(len(y))
    X, names = X[order] + 100, np.array(["red", "rose", "white"])[y[order]]
    expected = clone(learner).fit(X, names)
    model = clone(learner)
    getattr(model, begins)(X[:60], names[:60])
    for rows in (slice(60, 61), slice(61, 150), slice(150, None)):
        model.partial_fit(X[rows], names[rows])
    M, found = (m.get_mahalanobis_matrix() for m in (expected, model))
    np.testing.assert_allclose(found, M, rtol=1e-7, atol=1e-9 * np.abs(M).max())
    assert model.class_counts_.sum() == len(y)
    assert set(vars(model)) == set(vars(expected))


@pytest.mark.parametrize("learner", [LDA(), RCA()], ids=repr)
def test_classes_may_come_later(learner, wine):
    X, y = wine  # sorted by class
    model = clone(learner).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    expected = clone(learner).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    M, found = (m.get_mahalanobis_matrix() for m in (expected, model))
    np.testing.assert_allclose(found, M, rtol=1e-7, atol=1e-9 * np.abs(M).max())
    np.testing.assert_array_equal(model.class_counts_, np.bincount(y))
    np.testing.assert_allclose(model.class_means_[2], X[y == 2].mean(axis=0))


def test_shrinkage_by_the_number_of_rows_is_scikit_learns(rng):
    rows = rng.standard_normal((30, 8)) * np.linspace(1, 4, 8)
    C = rows.T @ rows / 30
    assert oracle_amount(C, 30) == pytest.approx(oas(rows, assume_centered=True)[1])


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=repr)
def test_few_rows_of_many_features_are_shrunk_and_more_rows_are_not(learner, rng):
    y = np.arange(3000) % 3
    X = rng.standard_normal((3000, 40)) + y[:, None] * rng.random(40)
    model = clone(learner).partial_fit(X[:12], y[:12])
    assert np.isfinite(model.components_).all()
    model.partial_fit(X[12:], y[12:])
    M = clone(learner).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, rtol=1e-6, atol=1e-9)


def test_constant_features_stay_without_weight(rng):
    X = np.column_stack([rng.random((60, 2)), np.full(60, 0.1)])
    model = Covariance().partial_fit(X[:25]).partial_fit(X[25:])
    M = Covariance().fit(X).get_mahalanobis_matrix()
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M)
    assert not M[2].any()


def test_what_a_batch_cannot_be(wine):
    X, y = wine
    frame = pd.DataFrame(X[:, :3], columns=list("abc"))
    model = LDA().partial_fit(frame, y)
    before = model.components_.copy()
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[list("bac")], y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        clone(model).partial_fit(X[:, :3], y).partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(frame, y[1:])
    with pytest.raises(ValueError, match="LDA requires y to be passed"):
        model.partial_fit(frame)
    with pytest.raises(ValueError, match="same mean"):
        LDA().partial_fit(X[:20], y[:20])  # of one class
    np.testing.assert_array_equal(model.components_, before)
