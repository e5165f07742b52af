import numpy as np
import pytest
from scipy.optimize import minimize

from freemetric.learners import itml
from freemetric.learners.itml import ITML


@pytest.fixture
def tiny(rng):
    """Twelve samples in the plane, four similar and five dissimilar pairs, some of them
    against the bounds.
    """
    X = rng.standard_normal((12, 2)) * [1, 0.3]
    similar = [[0, 1], [2, 3], [4, 5], [0, 6]]
    dissimilar = [[7, 8], [1, 9], [2, 10], [3, 11], [5, 8]]
    return X, np.array(similar + dissimilar), np.repeat([1, -1], [4, 5])


def differences(model, X):
    return X[model.pairs_[:, 0]] - X[model.pairs_[:, 1]]


def divergence(r):
    return r - np.log(r) - 1


@pytest.mark.parametrize(
    "prior", ["identity", np.array([[2.0, 0.5], [0.5, 1.0]])], ids=["identity", "array"]
)
@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_the_convex_programme_solved_by_scipy(tiny, gamma, prior):
    X, pairs, labels = tiny
    u, l = 0.4, 2.5
    M0 = np.eye(2) if isinstance(prior, str) else prior
    V, targets = X[pairs[:, 0]] - X[pairs[:, 1]], np.where(labels == 1, u, l)

    def unpack(z):
        L = np.array([[z[0], 0], [z[1], z[2]]])
        return L @ L.T, np.exp(z[3:])

    def objective(z):
        M, xi = unpack(z)
        P = M @ np.linalg.inv(M0)
        slack = gamma * divergence(xi / targets).sum()
        return np.trace(P) - np.linalg.slogdet(P)[1] - 2 + slack

    def feasible(z):
        M, xi = unpack(z)
        return labels * (xi - np.einsum("ci,ij,cj->c", V, M, V))

    start = np.concatenate([[1, 0, 1], np.log(np.einsum("ci,ci->c", V, V))])
    limits = {"type": "ineq", "fun": feasible}
    options = {"maxiter": 1000, "ftol": 1e-12}
    result = minimize(
        objective, start, method="SLSQP", constraints=limits, options=options
    )
    assert result.success
    model = ITML(gamma=gamma, prior=prior, bounds=(u, l), tol=1e-10)
    model.fit(X, pairs=pairs, pair_labels=labels)
    assert model.objective_ == pytest.approx(result.fun, rel=1e-5)
    M = unpack(result.x)[0]
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_the_conditions_of_optimality(wine, gamma):
    X, y = wine
    model = ITML(
        gamma=gamma, n_constraints=100, prior="covariance", tol=1e-12, random_state=0
    ).fit(X, y)
    V, s, (u, l) = differences(model, X), model.pair_labels_, model.bounds_
    M, M0 = model.get_mahalanobis_matrix(), np.linalg.inv(np.cov(X.T, bias=True))
    stationary = np.linalg.inv(M0) + np.einsum("c,ci,cj->ij", s * model.dual_, V, V)
    np.testing.assert_allclose(np.linalg.inv(M), stationary, rtol=1e-6, atol=1e-8)
    assert (model.dual_ >= 0).all()
    xi = 1 / (1 / np.where(s == 1, u, l) - s * model.dual_ / gamma)
    distances = np.einsum("ci,ij,cj->c", V, M, V)
    assert (s * (distances - xi) <= 1e-4 * xi).all()
    active = model.dual_ > 1e-6 * model.dual_.max()
    assert 0 < active.sum() < len(s)
    np.testing.assert_allclose(distances[active], xi[active], rtol=1e-4)


def test_pairs_within_the_bounds_leave_the_prior(tiny):
    X, pairs, labels = tiny
    model = ITML(bounds=(100, 1e-6)).fit(X, pairs=pairs, pair_labels=labels)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), np.eye(2), atol=1e-12)
    assert model.objective_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("most", "rtol"), [(20_000, 1e-12), (1000, 0.2)])
def test_default_bounds_are_percentiles(wine, most, rtol, monkeypatch):
    """Of all distances, or of a sample of them."""
    X, y = wine
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)[np.triu_indices(len(X), 1)]
    expected = np.percentile(squared[squared > 0], [5, 95])
    monkeypatch.setattr(itml, "MOST_DISTANCES", most)
    bounds = ITML(random_state=0).fit(X, y).bounds_
    np.testing.assert_allclose(bounds, expected, rtol=rtol)
