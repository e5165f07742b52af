import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import normalize

from freemetric.exceptions import DataWarning
from freemetric.learners import scml
from freemetric.learners.scml import (
    SCML,
    class_discriminants,
    draw_basis,
    nearest_triplets,
)


def distances(X, i, j, M):
    D = X[i] - X[j]
    return np.einsum("id,de,ie->i", D, M, D)


def objective(X, triplets, basis, weights, regularization):
    a, p, n = np.asarray(triplets).T
    M = sum(w * np.outer(b, b) for w, b in zip(weights, basis, strict=True))
    hinge = np.maximum(0, 1 + distances(X, a, p, M) - distances(X, a, n, M))
    return hinge.mean() + regularization * weights.sum()


def optimum(X, triplets, basis, regularization):
    """min over w, s >= 0 of mean(s) + beta sum(w) with s_t >= 1 + z_t . w, by linear
    programming.
    """
    P = X @ basis.T
    a, p, n = triplets.T
    Z = (P[a] - P[p]) ** 2 - (P[a] - P[n]) ** 2
    T, m = Z.shape
    costs = np.append(np.full(m, regularization), np.full(T, 1 / T))
    limits = sparse.hstack([sparse.csr_matrix(Z), -sparse.identity(T)], format="csc")
    return linprog(costs, A_ub=limits, b_ub=-np.ones(T)).fun


def test_objective_is_brute_force(wine):
    X, y = wine
    model = SCML(random_state=0, regularization=1e-3, max_iter=6000, tol=1).fit(X, y)
    triplets = nearest_triplets(X, y, 3, 10)
    expected = objective(X, triplets, model.basis_, model.weights_, 1e-3)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    M = (model.basis_.T * model.weights_) @ model.basis_
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), M, rtol=1e-9, atol=1e-9 * np.abs(M).max()
    )


@pytest.mark.parametrize(
    ("data", "n_basis", "regularization", "gamma", "close"),
    [
        ("iris", 20, 1e-3, 1.0, 1e-3),
        ("iris", 20, 1e-5, 3.0, 1e-2),
        ("wine", 20, 1e-3, 0.3, 2e-3),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_finds_the_optimum_of_the_linear_programme(
    data, n_basis, regularization, gamma, close, request
):
    X, y = (part[::3] for part in request.getfixturevalue(data))
    model = SCML(n_basis=n_basis, regularization=regularization, gamma=gamma)
    model.set_params(max_iter=200_000, tol=0, random_state=0).fit(X, y)
    lowest = optimum(X, nearest_triplets(X, y, 3, 10), model.basis_, regularization)
    assert lowest * (1 - 1e-9) <= model.objective_ <= lowest * (1 + close)


@pytest.mark.slow
def test_bases_of_ones_own_are_weighed_as_well_as_they_can_be(wine, rng):
    X, y = wine
    basis = rng.standard_normal((40, X.shape[1]))
    fitted = SCML(basis=3 * basis, random_state=0, tol=1e-5).fit(X, y)
    unit = basis / np.linalg.norm(basis, axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.basis_, unit)
    best = optimum(X, nearest_triplets(X, y, 3, 10), unit, fitted.regularization)
    assert best - 1e-6 <= fitted.objective_ <= best + 0.01


@pytest.mark.parametrize("basis", [np.eye(3), np.zeros((2, 4))])
def test_bases_must_be_directions_of_the_features(iris, basis):
    message = "basis must hold directions of 4 features, none of length 0"
    with pytest.raises(ValueError, match=message):
        SCML(basis=basis).fit(*iris)


def blobs(rng, d):
    y = np.repeat([0, 1, 2], 30)
    return rng.standard_normal((90, d)) + 2 * rng.standard_normal((3, d))[y], y


def test_discriminants_are_those_of_scikit_learn(rng, monkeypatch):
    monkeypatch.setattr(scml, "SHRINKAGE", 1e-9)
    X, y = blobs(rng, 5)
    known = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    ours, theirs = class_discriminants(X, y, 2), known.scalings_.T[:2]
    cosines = np.abs(normalize(ours) @ normalize(theirs).T)
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-5)


@pytest.mark.parametrize("n_basis", [1, 7, 40])
def test_number_and_length_of_bases(iris, rng, n_basis):
    X, y = iris
    for data in ((X, y), (np.zeros_like(X), y), (X, None)):
        basis = draw_basis(rng, *data, nearest_triplets(X, y, 3, 10), n_basis)
        assert basis.shape == (n_basis, 4)
        np.testing.assert_allclose(np.linalg.norm(basis, axis=1), 1)


def test_too_many_bases_are_a_warning(rng):
    X, y = rng.random((20, 3)), np.repeat([0, 1], 10)
    with pytest.warns(DataWarning, match="n_basis=500 is more than .*; 60 is used"):
        model = SCML(n_basis=500, random_state=0).fit(X, y)
    assert model.basis_.shape == (60, 3)


@pytest.fixture
def plane(rng):
    """Triplets that only know about the first two of ten features."""
    X = rng.random((300, 10))
    triplets = rng.integers(300, size=(5000, 3))
    D = ((X[triplets[:, :1], :2] - X[triplets[:, 1:], :2]) ** 2).sum(axis=2)
    is_wrong = D[:, 0] > D[:, 1]
    triplets[is_wrong, 1:] = triplets[is_wrong, :0:-1]
    return X, triplets


def test_triplets_instead_of_labels(plane):
    X, triplets = plane
    model = SCML(random_state=0).fit(X, triplets=triplets[:4000])
    expected = objective(X, triplets[:4000], model.basis_, model.weights_, 1e-5)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    M = model.get_mahalanobis_matrix()
    assert np.trace(M[:2, :2]) > 0.8 * np.trace(M)
    a, p, n = triplets[4000:].T
    assert (distances(X, a, p, M) < distances(X, a, n, M)).mean() > 0.85
    plain = np.eye(10)
    assert (distances(X, a, p, plain) < distances(X, a, n, plain)).mean() < 0.7
