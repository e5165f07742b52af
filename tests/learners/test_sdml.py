import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.covariance import graphical_lasso

from freemetric import SDML
from freemetric.exceptions import DataWarning
from freemetric.learners.sdml import SparseInverse


def price(M, S, penalty):
    """F as the docstring writes it."""
    aside = np.abs(M).sum() - np.abs(np.diag(M)).sum()
    return (S * M).sum() - np.linalg.slogdet(M)[1] + penalty * aside


def said(model, X, prior):
    """S, from what the model says it has used."""
    V = X[model.pairs_[:, 0]] - X[model.pairs_[:, 1]]
    return np.linalg.inv(prior) + model.balance_ * (V.T * model.pair_labels_) @ V


@pytest.mark.parametrize("penalty", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("d", [2, 5, 20])
def test_the_graphical_lasso_of_scikit_learn(rng, d, penalty):
    mixing = rng.standard_normal((d, d)) * np.logspace(-1, 1, d)
    rows = rng.standard_normal((60, d)) @ mixing
    S = rows.T @ rows / 60 + 0.1 * np.eye(d)
    expected = graphical_lasso(S, penalty, tol=1e-8, enet_tol=1e-10, max_iter=1000)[1]
    search = SparseInverse(S, penalty)
    assert search.run(1000, 1e-12)
    assert_allclose(search.matrix, expected, atol=1e-4 * np.abs(expected).max())
    assert search.objective == pytest.approx(price(search.matrix, S, penalty))
    assert search.objective <= price(expected, S, penalty) + 1e-9
    assert 0 <= search.gap < 1e-8


def test_the_gap_bounds_how_far_it_is_to_the_minimum(rng):
    rows = rng.standard_normal((30, 8)) * np.logspace(-1, 1, 8)
    S = rows.T @ rows / 30
    exact = SparseInverse(S, 0.05)
    assert exact.run(1000, 1e-12)
    for n in range(1, 6):
        early = SparseInverse(S, 0.05)
        early.run(n, 0.0)
        assert 0 <= early.objective - exact.objective <= early.gap + 1e-10


def test_without_a_penalty_it_is_an_inverse(wine):
    X, y = wine
    model = SDML(sparsity=0, random_state=0).fit(X, y)
    expected = np.linalg.inv(said(model, X, np.eye(13)))
    for found in (model.precision_, model.get_mahalanobis_matrix()):
        assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


GIVEN = np.diag(np.linspace(0.5, 2, 13))
PRIORS = {
    "identity": lambda X: np.eye(13),
    "covariance": lambda X: np.linalg.inv(np.cov(X.T, bias=True)),
    "given": lambda X: GIVEN,
}


@pytest.mark.parametrize("name", PRIORS)
def test_the_objective_is_what_the_formula_says(wine, name):
    X, y = wine
    prior, M0 = GIVEN if name == "given" else name, PRIORS[name](X)
    model = SDML(prior=prior, sparsity=0.02, tol=1e-10, random_state=0).fit(X, y)
    S = said(model, X, M0)
    assert model.objective_ == pytest.approx(price(model.precision_, S, 0.02))
    expected = graphical_lasso(S, 0.02, tol=1e-4, enet_tol=1e-8, max_iter=1000)[1]
    assert_allclose(model.precision_, expected, atol=5e-3 * np.abs(expected).max())


def test_auto_is_as_far_from_the_prior_as_is_safe(wine):
    X, y = wine
    for prior in (np.eye(13), np.diag(np.linspace(0.5, 2, 13))):
        model = SDML(prior=prior, random_state=0).fit(X, y)
        shares = np.linalg.eigvals(said(model, X, prior) @ prior).real
        assert shares.min() == pytest.approx(0.1) or shares.max() == pytest.approx(10)
        assert shares.min() > 0.0999
        assert shares.max() < 10.001


def test_a_balance_that_leaves_no_metric_is_lowered_and_said(wine):
    X, y = wine
    message = r"^balance=0.5 gives .* too much weight .*; 0\.00\d+ is used"
    with pytest.warns(DataWarning, match=message):
        model = SDML(balance=0.5, sparsity=0, random_state=0).fit(X, y)
    assert 0 < model.balance_ < 0.5
    assert np.linalg.eigvalsh(said(model, X, np.eye(13)))[0] == pytest.approx(1e-3)
    safe = SDML(balance=0.8 * model.balance_, random_state=0).fit(X, y)
    assert safe.balance_ == pytest.approx(0.8 * model.balance_)
