"""GMML against its objective minimised by scipy, matrix powers of scipy's, and all
pairs one by one.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, sqrtm
from scipy.optimize import minimize

from freemetric import GMML


def all_pairs(y):
    pairs = np.array(list(combinations(range(len(y)), 2)))
    return pairs, np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)


def moments(X, y):
    """S and D, pair by pair."""
    pairs, labels = all_pairs(y)
    V = X[pairs[:, 0]] - X[pairs[:, 1]]
    return [
        np.einsum("ni,nj->ij", V[labels == sign], V[labels == sign])
        / (labels == sign).sum()
        for sign in (1, -1)
    ]


@pytest.fixture
def some(iris):
    return iris[0][::3], iris[1][::3]


def test_it_solves_its_objective(some):
    S, D = moments(*some)
    rows, columns = np.tril_indices(4)

    def objective(flat):
        L = np.zeros((4, 4))
        L[rows, columns] = flat
        M = L @ L.T
        return np.trace(M @ S) + np.trace(np.linalg.solve(M, D))

    start = np.eye(4)[rows, columns]
    found = minimize(objective, start, method="BFGS", options={"gtol": 1e-7})
    M = GMML().fit(*some).get_mahalanobis_matrix()
    value = np.trace(M @ S) + np.trace(np.linalg.solve(M, D))
    assert value == pytest.approx(found.fun, rel=1e-8)
    assert found.fun == pytest.approx(2 * np.trace(sqrtm(S @ D)).real)
    np.testing.assert_allclose(M @ S @ M, D, atol=1e-10)  # Riccati's equation


@pytest.mark.parametrize("t", [0, 0.2, 0.7, 1])
def test_points_of_the_geodesic(some, t):
    S, D = moments(*some)
    root = sqrtm(S)
    back = np.linalg.inv(root)
    expected = back @ fractional_matrix_power(root @ D @ root, t) @ back
    found = GMML(t=t).fit(*some).get_mahalanobis_matrix()
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def test_all_pairs_are_the_same_as_labels(some):
    X, y = some
    pairs, labels = all_pairs(y)
    of_labels = GMML().fit(X, y).components_
    of_pairs = GMML().fit(X, pairs=pairs, pair_labels=labels).components_
    np.testing.assert_allclose(of_pairs, of_labels, atol=1e-9)


def test_regularisation_leads_to_the_prior(some, rng):
    X, y = some
    root = rng.standard_normal((4, 4))
    M0 = root @ root.T + np.eye(4)
    S, D = moments(X, y)
    near = S + 0.3 * np.trace(S @ M0) / 4 * np.linalg.inv(M0)
    far = D + 0.3 * np.trace(np.linalg.solve(M0, D)) / 4 * M0
    M = GMML(regularization=0.3, prior=M0).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(M @ near @ M, far, atol=1e-9)
    again = GMML(regularization=0.3, prior=7 * M0).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(again, M)  # its size does not matter
