import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import logsumexp

from freemetric.learners import dml_eig
from freemetric.learners.dml_eig import DMLeig

NO_RIDGE = 1e-12


@pytest.fixture
def tiny(rng):
    """Forty samples of three features; twelve similar and twenty dissimilar pairs."""
    X = rng.standard_normal((40, 3)) * [1, 0.5, 0.2]
    pairs = rng.permuted(np.tile(np.arange(40), (32, 1)), axis=1)[:, :2]
    return X, pairs, np.where(np.arange(32) < 12, 1, -1)


def squared_distances(M, X, pairs):
    V = X[pairs[:, 0]] - X[pairs[:, 1]]
    return np.einsum("ci,ij,cj->c", V, M, V)


def metric_of(entries):
    L = np.zeros((3, 3))
    L[np.tril_indices(3)] = entries
    return L @ L.T


@pytest.mark.parametrize("smoothing", [1.0, 0.1, 0.01])
def test_the_smoothed_programme_solved_by_scipy(tiny, smoothing):
    X, pairs, labels = tiny

    def minus_smallest(z):
        D = squared_distances(metric_of(z), X, pairs[labels == -1])
        return smoothing * logsumexp(-D / smoothing)

    def excess(z):
        return squared_distances(metric_of(z), X, pairs[labels == 1]).mean() - 1

    result = minimize(
        minus_smallest,
        [1, 0, 1, 0, 0, 1],
        method="SLSQP",
        constraints={"type": "eq", "fun": excess},
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert result.success
    model = DMLeig(smoothing=smoothing, regularization=NO_RIDGE, tol=1e-6)
    model.fit(X, pairs=pairs, pair_labels=labels)
    assert model.objective_ == pytest.approx(-result.fun, abs=1e-5)
    M = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, metric_of(result.x), rtol=1e-2, atol=1e-2)
    most = model.objective_ + model.gap_
    assert model.objective_ - 1e-9 <= -result.fun <= most + 1e-6


def test_similar_pairs_are_at_distance_one(tiny):
    X, pairs, labels = tiny
    model = DMLeig(regularization=NO_RIDGE).fit(X, pairs=pairs, pair_labels=labels)
    assert (model.pair_distance(X[pairs[labels == 1]]) ** 2).mean() == pytest.approx(1)
    distances = model.pair_distance(X[pairs[labels == -1]]) ** 2
    assert model.objective_ == pytest.approx(-logsumexp(-distances))


def test_much_smoothing_leaves_the_leading_discriminant(tiny):
    X, pairs, labels = tiny
    V = X[pairs[:, 0]] - X[pairs[:, 1]]
    similar, dissimilar = (
        V[labels == s].T @ V[labels == s] / (labels == s).sum() for s in (1, -1)
    )
    direction = eigh(dissimilar, similar)[1][:, -1]
    model = DMLeig(smoothing=1e4, regularization=NO_RIDGE, tol=1e-6)
    M = model.fit(X, pairs=pairs, pair_labels=labels).get_mahalanobis_matrix()
    expected = np.outer(direction, direction)
    np.testing.assert_allclose(M, expected, rtol=1e-2, atol=1e-2)


def test_the_objective_rises_to_within_the_gap(wine, monkeypatch):
    seen = []
    original = dml_eig._SmallestDistance.step

    def record(self, squared, q):
        seen.append((self.highest, self.highest + self.gap))
        return original(self, squared, q)

    monkeypatch.setattr(dml_eig._SmallestDistance, "step", record)
    model = DMLeig(smoothing=1e-2, tol=1e-4, max_iter=200).fit(*wine)
    last = (model.objective_, model.objective_ + model.gap_)
    below, above = np.array([*seen, last]).T
    assert len(seen) > 3
    assert (np.diff(below) > 0).all()
    assert below.max() <= above.min() + 1e-9


def test_many_pairs_are_sampled(wine):
    expected = DMLeig().fit(*wine)
    assert DMLeig(n_constraints=None).fit(*wine).objective_ == expected.objective_
    one, same, other = (
        DMLeig(n_constraints=300, random_state=s).fit(*wine) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.components_, same.components_)
    assert one.objective_ != other.objective_
    assert one.objective_ > expected.objective_  # fewer pairs to keep apart


def test_many_features_are_searched_by_lanczos(wine, monkeypatch):
    M = DMLeig(tol=1e-6).fit(*wine).get_mahalanobis_matrix()
    monkeypatch.setattr(dml_eig, "DENSE", 5)
    found = DMLeig(tol=1e-6).fit(*wine).get_mahalanobis_matrix()
    np.testing.assert_allclose(found, M, atol=1e-2 * np.abs(M).max())
