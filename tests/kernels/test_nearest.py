"""Lists of neighbours against a full sort, and the votes against loops in Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from freemetric.kernels import Similarity, cpu_kernels, kernels_for, reference
from freemetric.kernels.numba.nearest import (
    add_votes,
    mixed_distances,
    nearest_columns,
    stretched_distances,
)


@pytest.mark.parametrize(("N", "size"), [(2, 1), (20, 19), (150, 16), (600, 3)])
def test_lists_are_those_of_a_sort(rng, N, size):
    Z = rng.standard_normal((3, N, 4))
    truth = reference.others_in_order(Z, size)
    np.testing.assert_array_equal(cpu_kernels().others_in_order(Z, size), truth)
    found = cpu_kernels().others_nearest(Z.astype(np.float32), size)
    # float32 may swap neighbours at almost equal distances
    assert (found == truth).mean() > 0.999


def test_of_equal_distances_the_first_row_wins(rng):
    Z = rng.integers(3, size=(2, 80, 2)).astype(float)
    truth = reference.others_in_order(Z, 10)
    np.testing.assert_array_equal(cpu_kernels().others_in_order(Z, 10), truth)


@pytest.mark.parametrize("kind", ["integers", "numbers"])
def test_lists_do_not_depend_on_the_guess(rng, kind):
    """A walk that is resumed has other lists to begin with."""
    draws = {
        "integers": rng.integers(4, size=(2, 90, 2)),
        "numbers": rng.random((2, 90, 3)),
    }
    Z = draws[kind].astype(np.float32)
    cold = cpu_kernels().others_nearest(Z, 12)
    others = np.tile(np.arange(89), (2, 90, 1))
    for _ in range(3):
        guess = rng.permuted(others, axis=2)[:, :, :12]
        guess = guess + (guess >= np.arange(90)[:, None])
        warm = cpu_kernels().others_nearest(Z, 12, guess.astype(np.int32))
        np.testing.assert_array_equal(warm, cold)


@pytest.mark.parametrize("device", ["cpu", "torch"])
@pytest.mark.parametrize("diagonal", [False, True])
def test_lists_of_energies_hold_the_nearest(rng, device, diagonal):
    if device == "torch":
        pytest.importorskip("torch", reason="the GPU kernels need torch")
    kernels = kernels_for("cuda" if device == "torch" else "cpu")
    X, y = rng.random((1, 40, 4)), rng.integers(3, size=(1, 40))
    A = rng.standard_normal((3, 1 if diagonal else 2, 4))
    cost = Similarity("class")
    truth = reference.neighbor_lists(reference.prepare(X, y, cost), A, 6, diagonal)
    lists = kernels.neighbor_lists(kernels.prepare(X, y, cost, "cpu"), A, 6, diagonal)
    rows = lists.own if device == "cpu" else lists.rows.numpy()
    found = np.zeros(truth.shape, dtype=bool)
    np.put_along_axis(found, rows.astype(int), True, axis=2)
    np.testing.assert_array_equal(found, truth)


@pytest.mark.parametrize("n_kept", [1, 5, 30])
def test_nearest_columns_are_sorted_and_the_first_of_equals_is_first(rng, n_kept):
    D = rng.integers(0, 12, (20, 30)).astype(np.float32)
    out = np.empty((20, n_kept), np.int32)
    nearest_columns(D, out)
    assert_array_equal(out, np.argsort(D, axis=1, kind="stable")[:, :n_kept])


def test_distances_under_maps_are_those_of_images(rng):
    X = rng.normal(size=(25, 7)).astype(np.float32)
    Q = rng.normal(size=(6, 7)).astype(np.float32)
    candidates = np.array([rng.permutation(25)[:20] for _ in range(6)], np.int32)
    stretches = rng.normal(size=(3, 7)).astype(np.float32)
    Z = X[:, None] * stretches
    images = Q[:, None] * stretches
    differences = images[:, :, None] - Z[candidates].swapaxes(1, 2)
    known = (differences**2).sum(axis=3)
    out = np.full((2, 6, 3, 20), np.nan, np.float32)
    stretched_distances(X, Q, candidates, stretches**2, out[0])
    mixed_distances(Z, images, candidates, out[1])
    assert_allclose(out, [known, known], rtol=1e-5)


def loops(distances, candidates, counts, masses, sizes, parts):
    """What the values of every candidate are multiplied with."""
    out = np.zeros(candidates.shape)
    for q, own in enumerate(candidates):
        for of_map in distances[q]:
            order = np.argsort(of_map)
            for k, part in zip(sizes, parts, strict=True):
                left, inside = k, np.zeros(len(own))
                for place in order:
                    inside[place] = min(left, counts[own[place]])
                    left -= inside[place]
                share = inside / counts[own]
                out[q] += part * share / (share @ masses[own])
    return out


@pytest.mark.parametrize("has_copies", [False, True])
@pytest.mark.parametrize("sizes", [[1], [3], [1, 2, 5, 20], [7, 400]])
def test_votes_are_those_of_loops(rng, sizes, has_copies):
    n_places = 25
    distances = rng.uniform(size=(6, 3, 20)).astype(np.float32)
    candidates = np.array([rng.permutation(n_places)[:20] for _ in range(6)], np.int32)
    counts = rng.integers(1, 9, n_places) if has_copies else np.ones(n_places, int)
    masses = (counts * rng.uniform(0.3, 2, n_places)).astype(np.float32)
    parts = rng.uniform(0.1, 1, len(sizes)).astype(np.float32)
    sizes = np.array(sizes)
    before = rng.uniform(size=candidates.shape).astype(np.float32)
    out = before.copy()
    add_votes(distances, candidates, counts, masses, sizes, parts, out)
    known = loops(distances, candidates, counts, masses, sizes, parts)
    assert_allclose(out - before, known, atol=2e-6)
