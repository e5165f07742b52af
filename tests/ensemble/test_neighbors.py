"""Near rows and the votes of the nearest ones against brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from freemetric.ensemble import neighbors
from freemetric.ensemble.neighbors import Shortlist, nearest_rows, neighbor_means, space
from freemetric.ensemble.training_set import TrainingSet, equal_rows

from . import brute_force

SIZES = [1, 2, 5, 13, 30]


# --- near rows -----------------------------------------------------------------------


def recall(found, known):
    shared = [len(np.intersect1d(*pair)) for pair in zip(found, known, strict=True)]
    return np.sum(shared) / known.size


@pytest.mark.parametrize("n_axes", [1, 3, 40])
def test_nearest_rows_come_in_the_order_of_distance(rng, n_axes):
    Q, Z = rng.normal(size=(20, n_axes)), rng.normal(size=(300, n_axes))
    known = np.argsort(cdist(Q, Z), axis=1)[:, :12]
    assert (nearest_rows(Q, Z, 12) == known).mean() > 0.98


def test_there_are_no_more_rows_than_there_are(rng):
    Z = rng.normal(size=(5, 2))
    assert (np.sort(nearest_rows(Z, Z, 50), axis=1) == np.arange(5)).all()


def test_a_shortlist_compares_all_of_few_rows(rng):
    Z, Q = rng.normal(size=(2000, 6)), rng.normal(size=(50, 6))
    found = Shortlist(Z).nearest(Q, 64)
    known = np.argsort(cdist(Q, Z), axis=1)[:, :64]
    assert recall(found, known) > 0.999


@pytest.mark.parametrize("n_axes", [2, 8])
def test_cells_hold_nearly_all_near_rows(rng, n_axes, monkeypatch):
    monkeypatch.setattr(neighbors, "MANY", 4000)
    monkeypatch.setattr(neighbors, "SCANNED", 1500)
    middles = 3 * rng.normal(size=(30, n_axes))
    Z = middles[rng.integers(0, 30, 5000)] + rng.normal(size=(5000, n_axes))
    Q = Z[:200] + 0.1 * rng.normal(size=(200, n_axes))
    shortlist = Shortlist(Z)
    assert shortlist.n_probed < len(shortlist.centres) / 2
    found = shortlist.nearest(Q, 64)
    assert all(len(np.unique(row)) == 64 for row in found)
    assert recall(found, np.argsort(cdist(Q, Z), axis=1)[:, :64]) > 0.95
    all_rows = shortlist.nearest(Q[:2], len(Z))  # more than the cells nearby hold
    assert (np.sort(all_rows, axis=1) == np.arange(len(Z))).all()


# --- votes ---------------------------------------------------------------------------


@pytest.fixture
def rows(rng):
    """A function: rows X, values and weights; rows of few places if ``has_copies``."""

    def draw(has_copies=True, is_weighted=True, n=40):
        X = rng.normal(size=(n, 3))
        if has_copies:
            X = X[rng.integers(0, 9, n)]
        weights = rng.uniform(0.2, 3, n) if is_weighted else np.ones(n)
        return X, rng.normal(size=(n, 2)), weights

    return draw


@pytest.mark.parametrize("has_copies", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_votes_are_those_of_brute_force(rows, rng, has_copies, is_weighted):
    """Of new samples, and of training samples, which leave out themselves alone."""
    X, values, weights = rows(has_copies, is_weighted)
    training_set = TrainingSet.of(X, values, weights)
    places = X[training_set.row_of_point]
    own = np.arange(40)[::3]
    for Q, rows_of_Q in ((rng.normal(size=(7, 3)), None), (X[own], own)):
        found = neighbor_means(places, Q, training_set, SIZES, rows_of_Q)
        for i, query in enumerate(Q):
            row = None if rows_of_Q is None else rows_of_Q[i]
            for j, k in enumerate(SIZES):
                known = brute_force.votes(X, values, weights, query, k, own=row)
                assert_allclose(found[i, j], known, atol=1e-9)


def test_the_order_of_rows_does_not_matter(rows, rng):
    X, values, weights = rows()
    order = rng.permutation(40)
    Q = rng.normal(size=(5, 3))
    found = []
    for some in (np.arange(40), order):
        training_set = TrainingSet.of(X[some], values[some], weights[some])
        places = training_set.X[training_set.row_of_point]
        found.append(neighbor_means(places, Q, training_set, SIZES))
    assert_allclose(*found, atol=1e-9)


def test_more_neighbours_than_rows_are_all_rows(rows, rng):
    X, values, weights = rows()
    training_set = TrainingSet.of(X, values, weights)
    Q = rng.normal(size=(2, 3))
    found = neighbor_means(X[training_set.row_of_point], Q, training_set, [400])
    known = np.average(values, axis=0, weights=weights)
    assert_allclose(found[:, 0], [known, known])


def test_equal_rows_share_a_place():
    X = np.array([[0.0, 1], [2, 3], [-0.0, 1], [2, 3], [1, 0]])
    first, place = equal_rows(X)
    assert_array_equal(first, [0, 1, 4])
    assert_array_equal(place, [0, 1, 0, 1, 2])


def test_masses_and_sums_add_up(rows):
    X, values, weights = rows()
    training_set = TrainingSet.of(X, values, weights)
    assert training_set.counts.sum() == len(training_set) == 40
    for place in range(len(training_set.row_of_point)):
        own = (X[training_set.row_of_point[place]] == X).all(axis=1)
        assert_allclose(training_set.masses[place], weights[own].sum())
        assert_allclose(training_set.sums[place], weights[own] @ values[own])


def test_a_row_stretches_and_a_matrix_mixes(rng):
    V, A, row = rng.normal(size=(5, 3)), rng.normal(size=(2, 3)), rng.normal(size=3)
    assert_allclose(space(V, A), [A @ v for v in V])
    assert_allclose(space(V, row[None]), [np.diag(row) @ v for v in V])
