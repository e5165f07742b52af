"""ANMM against its definition, sample by sample, and against projections that are not
its own.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group

from freemetric import ANMM


def average_margin(X, y, Z, n_neighbors, n_others):
    """Of samples at Z whose neighbours are those at X."""
    D, E = cdist(X, X), cdist(Z, Z) ** 2
    np.fill_diagonal(D, np.inf)
    margins = []
    for i in range(len(X)):
        near = np.argsort(D[i])
        own = near[(y[near] == y[i]) & (near != i)][:n_neighbors]
        other = near[y[near] != y[i]][:n_others]
        margins.append(E[i, other].mean() - E[i, own].mean())
    return np.mean(margins)


@pytest.fixture
def flowers(iris, rng):
    """Irises without ties."""
    return iris[0] + 1e-6 * rng.standard_normal((150, 4)), iris[1]


@pytest.mark.parametrize(("n_neighbors", "n_others"), [(3, 3), (7, 2)])
def test_margins_are_what_they_are_called(flowers, n_neighbors, n_others):
    X, y = flowers
    model = ANMM(n_neighbors=n_neighbors, n_others=n_others, n_components=4).fit(X, y)
    A = model.components_
    np.testing.assert_allclose(A @ A.T, np.eye(4), atol=1e-12)
    sizes = n_neighbors, n_others
    expected = [average_margin(X, y, X @ row[:, None], *sizes) for row in A]
    np.testing.assert_allclose(model.margins_, expected, rtol=1e-8)
    assert (np.diff(model.margins_) < 0).all()


def test_no_other_projection_has_a_larger_margin(flowers, rng):
    X, y = flowers
    model = ANMM(2, n_neighbors=5, n_others=5).fit(X, y)
    best = average_margin(X, y, model.transform(X), 5, 5)
    assert best == pytest.approx(model.margins_.sum())
    rotations = ortho_group.rvs(4, 25, random_state=rng)
    assert best > max(average_margin(X, y, X @ Q[:2].T, 5, 5) for Q in rotations)


def test_all_directions_of_positive_margin_are_kept(wine):
    X, y = wine
    model = ANMM().fit(X, y)
    every = ANMM(13).fit(X, y).margins_
    assert (every > 0).sum() == len(model.components_) < 13
    margin = average_margin(X, y, model.transform(X), 10, 10)
    assert margin == pytest.approx(every[every > 0].sum())


def test_small_classes_have_the_neighbours_that_there_are(rng):
    X, y = rng.random((12, 3)), np.repeat([0, 1, 2], [2, 3, 7])
    found = ANMM(3).fit(X, y)
    Z = found.transform(X)
    by_hand = [average_margin(X, y, z[:, None], 10, 10) for z in Z.T]
    np.testing.assert_allclose(found.margins_, by_hand)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_one_direction_stays_where_no_margin_is_positive(rng):
    y = np.repeat([0, 1], 20)
    X = np.tile(
        rng.random((20, 3)), (2, 1)
    )  # every sample has its copy in the other class
    assert ANMM(n_neighbors=1, n_others=1).fit(X, y).components_.shape == (1, 3)
