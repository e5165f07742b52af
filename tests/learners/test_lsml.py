import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.preprocessing import minmax_scale

from freemetric import LSML
from freemetric.learners import lsml

PRIOR = np.array([[2.0, 0.5], [0.5, 1.0]])


@pytest.fixture
def tiny(rng):
    """Twelve samples in the plane and eight quadruplets, some of which Euclid's
    distance contradicts.
    """
    X = minmax_scale(rng.standard_normal((12, 2)))
    return X, np.array([rng.permutation(12)[:4] for _ in range(8)]), rng.random(8) + 0.1


def price(M, X, quadruplets, weights, prior, gamma=1.0):
    """F as the docstring writes it."""

    def distance(i, j):
        return np.sqrt(np.einsum("ni,ij,nj->n", X[i] - X[j], M, X[i] - X[j]))

    a, b, c, d = quadruplets.T
    P = M @ np.linalg.inv(prior)
    residuals = np.maximum(distance(a, b) - distance(c, d), 0)
    divergence = np.trace(P) - np.linalg.slogdet(P)[1] - len(M)
    return divergence + gamma * weights @ residuals**2


@pytest.mark.parametrize("prior", ["identity", PRIOR], ids=["identity", "array"])
@pytest.mark.parametrize("gamma", [0.3, 5.0, 200.0])
def test_the_convex_programme_solved_by_scipy(tiny, gamma, prior):
    X, quadruplets, weights = tiny
    M0 = np.eye(2) if isinstance(prior, str) else prior

    def metric(z):
        L = np.array([[np.exp(z[0]), 0], [z[1], np.exp(z[2])]])
        return L @ L.T

    found = minimize(
        lambda z: price(metric(z), X, quadruplets, weights, M0, gamma),
        np.zeros(3),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000},
    )
    model = LSML(gamma=gamma, prior=prior, tol=1e-10).fit(
        X, quadruplets=quadruplets, weights=weights
    )
    assert model.objective_ == pytest.approx(found.fun, rel=1e-7)
    assert model.objective_ > 0.01
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), metric(found.x), rtol=1e-3, atol=1e-4
    )


def test_the_objective_is_what_the_formula_says(wine):
    X, y = wine
    for prior in ("identity", "covariance"):
        model = LSML(gamma=3.0, prior=prior, random_state=0).fit(X, y)
        M0 = np.eye(13)
        if prior == "covariance":
            M0 = np.linalg.inv(np.cov(X.T, bias=True))
        M, quadruplets = model.get_mahalanobis_matrix(), model.quadruplets_
        expected = price(M, X, quadruplets, np.ones(len(quadruplets)), M0, 3.0)
        assert model.objective_ == pytest.approx(expected, rel=1e-9)
        assert model.gap_ <= 1e-4 * model.objective_


def test_the_gap_bounds_how_far_it_is_to_the_minimum(tiny, rng):
    X, quadruplets, weights = tiny
    a, b, c, d = quadruplets.T
    model = LSML(gamma=50.0, tol=1e-12)
    best = model.fit(X, quadruplets=quadruplets, weights=weights).objective_
    finite = 0
    for _ in range(40):
        A = np.eye(2) + 0.3 * rng.standard_normal((2, 2))
        search = lsml._Residuals(X[a] - X[b], X[c] - X[d], 50.0 * weights)
        search.d = 2
        value, gradient = search(A.ravel())
        assert value == pytest.approx(
            price(A.T @ A, X, quadruplets, weights, np.eye(2), 50.0)
        )
        assert value - best <= search.gap + 1e-10
        finite += np.isfinite(search.gap)
        step = 1e-6 * rng.standard_normal(4)
        rise = search(A.ravel() + step)[0] - search(A.ravel() - step)[0]
        assert rise == pytest.approx(2 * gradient @ step, rel=1e-3, abs=1e-10)
    assert finite > 10


def test_what_holds_already_leaves_the_prior(tiny):
    X, quadruplets, _ = tiny
    a, b, c, d = X[quadruplets.T]
    ab, cd = np.linalg.norm(a - b, axis=1), np.linalg.norm(c - d, axis=1)
    true = np.where((ab < cd)[:, None], quadruplets, quadruplets[:, [2, 3, 0, 1]])
    model = LSML().fit(X, quadruplets=true)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), np.eye(2), atol=1e-12)
    assert model.objective_ == pytest.approx(0, abs=1e-12)
    assert model.n_iter_ == 1


def test_one_feature_in_closed_form(rng):
    """m - log m - 1 + m R, R the residuals under the prior: m = 1 / (1 + R)."""
    X = np.append([0.0, 1.0], rng.random(10))[:, None]
    quadruplets = np.array([rng.permutation(12)[:4] for _ in range(8)])
    a, b, c, d = X[quadruplets.T, 0]
    R = (np.maximum(abs(a - b) - abs(c - d), 0) ** 2).sum()
    model = LSML().fit(X, quadruplets=quadruplets)
    assert model.get_mahalanobis_matrix().item() == pytest.approx(1 / (1 + R))
    search = lsml._Residuals(X[:4], X[4:8], np.ones(4))
    search.d = 1
    assert np.isfinite(search(np.zeros(1))[0])  # where a line search may step


def test_a_weight_is_a_number_of_times(tiny):
    X, quadruplets, _ = tiny
    counts = np.array([0, 1, 2, 3, 0, 1, 1, 2])
    weighted = LSML(tol=1e-10).fit(X, quadruplets=quadruplets, weights=counts)
    copies = np.repeat(quadruplets, counts, axis=0)
    repeated = LSML(tol=1e-10).fit(X, quadruplets=copies)
    M = repeated.get_mahalanobis_matrix()
    found = weighted.get_mahalanobis_matrix()
    np.testing.assert_allclose(found, M, rtol=1e-3, atol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_)


def test_copies_are_no_trouble(tiny):
    X, quadruplets, _ = tiny
    X = np.vstack([X, X[:1]])
    odd = np.vstack([quadruplets, [[3, 7, 0, 12], [0, 12, 3, 7], [0, 12, 5, 5]]])
    with np.errstate(all="raise"):
        model = LSML(gamma=10, tol=1e-8).fit(X, quadruplets=odd)
    assert np.isfinite(model.components_).all()
    # a pair that never can be apart pulls the other one together, and nothing else is
    # new
    near = LSML(gamma=10, tol=1e-8).fit(X, quadruplets=odd[:-2])
    assert model.objective_ == pytest.approx(near.objective_)
