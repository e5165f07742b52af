"""NCMML against finite differences, against scipy from elsewhere, and on what it is
for.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad, minimize
from scipy.special import softmax
from sklearn.datasets import make_circles

from freemetric import NCMML
from freemetric.learners.ncmml import class_mean_loss


def by_definition(A, X, y, centroids, owners):
    """The loss sample by sample, from distances."""
    D = ((X @ A.T)[:, None] - (centroids @ A.T)[None]) ** 2
    p = softmax(-D.sum(axis=2) / 2, axis=1)
    return -np.log((p * (owners == y[:, None])).sum(axis=1)).mean()


@pytest.mark.parametrize("owners", [[0, 1, 2], [0, 0, 1, 1, 1, 2, 2]])
def test_loss_and_gradient(iris, rng, owners):
    X, y = iris
    owners = np.array(owners)
    centroids, A = rng.random((len(owners), 4)), rng.standard_normal((3, 4))
    is_own = owners == y[:, None]

    def loss(flat):
        return class_mean_loss(flat.reshape(3, 4), X, centroids, is_own)

    value, gradient = loss(A)
    assert value == pytest.approx(by_definition(A, X, y, centroids, owners), rel=1e-12)
    off = check_grad(
        lambda flat: loss(flat)[0], lambda flat: loss(flat)[1].ravel(), A.ravel()
    )
    assert off < 1e-6 * np.linalg.norm(gradient) + 1e-7


def test_the_minimum_is_that_of_scipy_from_elsewhere(iris, rng):
    X, y = iris[0][::3], iris[1][::3]
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])

    def energy(flat):
        A = flat.reshape(4, 4)
        ridge = 0.01 * ((A - np.eye(4)) ** 2).sum()
        return by_definition(A, X, y, means, np.arange(3)) + ridge

    found = minimize(
        energy, rng.standard_normal(16), method="BFGS", options={"gtol": 1e-5}
    )
    model = NCMML(regularization=0.01, tol=1e-12).fit(X, y)
    assert model.energy_ == pytest.approx(found.fun, abs=1e-6)
    M = found.x.reshape(4, 4).T @ found.x.reshape(4, 4)
    assert_allclose(model.get_mahalanobis_matrix(), M, atol=0.02 * np.abs(M).max())
    assert_allclose(model.centroids_, means)
    assert model.centroid_classes_.tolist() == [0, 1, 2]


def test_several_centroids_for_classes_of_several_clusters():
    X, y = make_circles(300, noise=0.05, factor=0.3, random_state=0)
    X = np.hstack([X, np.random.default_rng(0).normal(0, 0.2, (300, 3))])
    model = NCMML(n_centroids=5, random_state=0).fit(X, y)
    assert model.energy_ < 0.3 < 0.6 < NCMML().fit(X, y).energy_
    assert model.centroids_.shape == (10, 5)
    assert np.bincount(model.centroid_classes_).tolist() == [5, 5]


def test_where_means_say_nothing_it_stays_where_it_began(rng):
    X, y = rng.standard_normal((200, 3)), np.repeat([0, 1], 100)
    X[y == 0] -= X[y == 0].mean(axis=0)
    X[y == 1] -= X[y == 1].mean(axis=0)
    A = NCMML().fit(X, y).components_
    assert_allclose(A / A[0, 0], np.eye(3), atol=1e-3)
