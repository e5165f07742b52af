"""Searches against sorting all distances."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from freemetric.kernels.numba import backend as numba_
from freemetric.kernels.numba.nearest import Cells, as_places, as_queries, least_of, nearest, others_nearest, rank
from freemetric.kernels.numba.votes import distances_in_diagonal_spaces


def sorted_distances(Q, Z, K):
    return np.sort(((Q[:, None] - Z[None]) ** 2).sum(axis=2), axis=1)[:, :K]


def distances_to(Q, Z, rows):
    return ((Q[:, None] - Z[rows]) ** 2).sum(axis=2)


@pytest.mark.parametrize(
    ("n", "M", "p", "K"), [(70, 50, 3, 50), (5, 3000, 7, 33), (130, 4097, 1, 1), (3, 9500, 2, 300), (3, 2500, 2, 300)]
)
def test_the_nearest_are_the_nearest(n, M, p, K, rng):
    Q, Z = rng.standard_normal((n, p)), rng.standard_normal((M, p))
    rows = nearest(as_queries(Q), as_places(Z), K)
    assert all(len(set(row)) == K for row in rows)
    np.testing.assert_allclose(distances_to(Q, Z, rows), sorted_distances(Q, Z, K), atol=1e-5)


@pytest.mark.parametrize(("R", "N", "K"), [(3, 50, 49), (20, 100, 7), (2, 1000, 33), (3, 12, 1)])
def test_the_others_nearest_are_the_nearest_of_scikit_learn(R, N, K, rng):
    Z = rng.standard_normal((R, N, 8)).astype(np.float32)
    for found, space in zip(others_nearest(Z, K), Z, strict=True):
        expected = NearestNeighbors(n_neighbors=K).fit(space).kneighbors(return_distance=False)
        np.testing.assert_array_equal(np.sort(found), np.sort(expected))


def test_others_at_one_point_are_others(rng):
    found = others_nearest(np.zeros((2, 30, 8), dtype=np.float32), 5)
    assert all(len(set(row) - {i}) == 5 for space in found for i, row in enumerate(space))


def test_many_at_one_distance(rng):
    Z = rng.integers(0, 2, (9000, 3)).astype(float)
    rows = nearest(as_queries(Z[:20]), as_places(Z), 40)
    assert all(len(set(row)) == 40 for row in rows)
    np.testing.assert_allclose(distances_to(Z[:20], Z, rows), sorted_distances(Z[:20], Z, 40), atol=1e-6)
    same = nearest(as_queries(np.zeros((2, 3))), as_places(np.zeros((8200, 3))), 5)
    np.testing.assert_array_equal(same, [np.arange(5)] * 2)  # the first of equals


@pytest.mark.parametrize("n", [1, 7, 8, 33, 500, 1500])
def test_ranks_are_those_of_a_sort_with_the_first_of_equals_first(n, rng):
    near = rng.integers(0, max(2, n // 3), n + 8).astype(np.float32)
    rows, ranks = rng.permutation(n + 8).astype(np.int32), np.empty(n + 8, np.int32)
    expected = np.lexsort((rows[:n], near[:n]))
    expected = near[expected], rows[expected]
    rank(near, rows, n, ranks)
    for values, ordered in zip((near, rows), expected, strict=True):  # many values are moved
        placed = np.empty_like(ordered)
        placed[ranks[:n]] = values[:n]
        np.testing.assert_array_equal(placed, ordered)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(("M", "p"), [(500, 6), (30_000, 2)])
def test_searches_by_tiles_and_by_trees(M, p, n_jobs, rng):
    Z, Q = 1e3 + rng.standard_normal((M, p)), 1e3 + rng.standard_normal((100, p))
    rows = numba_.NearestNeighbors(Z, n_jobs=n_jobs).kneighbors(Q, 9)
    np.testing.assert_allclose(distances_to(Q, Z, rows), sorted_distances(Q, Z, 9), rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_cells(rng):
    Z, Q = rng.standard_normal((20_000, 5)).astype(np.float32), rng.standard_normal((50, 5)).astype(np.float32)
    cells = Cells.of(Z)
    assert sorted(cells.numbers) == list(range(20_000))
    truth = nearest(as_queries(Q), as_places(Z), 20)
    everywhere = cells.nearest(Q, 20, n_cells=len(cells.centres))
    np.testing.assert_allclose(distances_to(Q, Z, everywhere), distances_to(Q, Z, truth), atol=1e-5)
    few = cells.nearest(Q, 20, n_cells=8)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(truth, few, strict=True)])
    assert recall > 0.8
    most = cells.nearest(Q[:2], 5000, n_cells=1)  # one cell does not hold so many: others are asked, too
    assert all(len(set(row)) == 5000 for row in most)


def test_small_cells(rng, monkeypatch):
    monkeypatch.setattr("freemetric.kernels.numba.nearest.ROWS_OF_A_CELL", 40)
    Z, Q = rng.standard_normal((300, 2)).astype(np.float32), rng.standard_normal((4, 2)).astype(np.float32)
    cells = Cells.of(Z)
    assert len(cells.centres) == 7
    for n_cells in (1, 7):  # one cell does not hold so many
        rows = cells.nearest(Q, 150, n_cells)
        assert all(len(set(row)) == 150 for row in rows)
    np.testing.assert_allclose(distances_to(Q, Z, rows), sorted_distances(Q, Z, 150), atol=1e-5)


def test_equal_rows_have_cells_as_well():
    cells = Cells.of(np.ones((3000, 2), dtype=np.float32))
    assert len(set(cells.nearest(np.ones((1, 2), dtype=np.float32), 12, 1)[0])) == 12


@pytest.mark.parametrize("S", [1, 7, 64, 65, 129, 1000, 1500])
@pytest.mark.parametrize("equal", [False, True], ids=["different", "many equal"])
def test_least_of_is_a_stable_sort(S, equal, rng):
    h = (rng.integers(0, 9, (20, S)) if equal else rng.random((20, S))).astype(np.float32)
    for K in {1, min(S, 32), S}:
        np.testing.assert_array_equal(least_of(h, K), np.argsort(h, axis=1, kind="stable")[:, :K])


@pytest.mark.parametrize("n", [3, 8, 67, 128])
def test_distances_in_diagonal_spaces_by_hand(n, rng):
    d = 11
    Z, Q, squares = (rng.random(shape).astype(np.float32) for shape in ((150, 16), (5, 16), (3, d)))
    candidates = np.array([rng.permutation(150)[:n] for _ in range(5)], dtype=np.int32)
    out, room = np.empty((3, 5, n), np.float32), np.empty((d, n), np.float32)
    distances_in_diagonal_spaces(Z, Q, squares, candidates, room, out)
    apart = (Z[candidates, :d].astype(float) - Q[:, None, :d]) ** 2
    np.testing.assert_allclose(out, np.einsum("rd,qsd->rqs", squares.astype(float), apart), rtol=1e-5)


def test_cells_find_the_same_for_every_query_alone(rng):
    Z, Q = rng.normal(size=(3000, 3)).astype(np.float32), rng.normal(size=(60, 3)).astype(np.float32)
    cells = Cells.of(Z)
    found = cells.nearest(Q, 300, 1)  # some cells hold fewer
    alone = np.concatenate([cells.nearest(q[None], 300, 1) for q in Q])
    np.testing.assert_allclose(distances_to(Q, Z, found), distances_to(Q, Z, alone), atol=1e-5)
