"""Lists of neighbours against a full sort."""

import numpy as np
import pytest

from freemetric.kernels import Similarity, cpu_kernels, kernels_for, reference


@pytest.mark.parametrize(("N", "size"), [(2, 1), (20, 19), (150, 16), (600, 3)])
def test_lists_are_those_of_a_sort(rng, N, size):
    Z = rng.standard_normal((3, N, 4))
    truth = reference.others_in_order(Z, size)
    np.testing.assert_array_equal(cpu_kernels().others_in_order(Z, size), truth)
    found = cpu_kernels().others_nearest(Z.astype(np.float32), size)
    assert (
        found == truth
    ).mean() > 0.999  # float32 may swap neighbours at almost equal distances


def test_of_equal_distances_the_first_row_wins(rng):
    Z = rng.integers(3, size=(2, 80, 2)).astype(float)
    truth = reference.others_in_order(Z, 10)
    np.testing.assert_array_equal(cpu_kernels().others_in_order(Z, 10), truth)


@pytest.mark.parametrize("kind", ["integers", "numbers"])
def test_lists_do_not_depend_on_the_guess(rng, kind):
    """A walk that is resumed has other lists to begin with."""
    Z = (
        rng.integers(4, size=(2, 90, 2))
        if kind == "integers"
        else rng.random((2, 90, 3))
    )
    Z = Z.astype(np.float32)
    cold = cpu_kernels().others_nearest(Z, 12)
    for seed in range(3):
        order = np.random.default_rng(seed).permuted(
            np.tile(np.arange(89), (2, 90, 1)), axis=2
        )
        guess = order[:, :, :12] + (order[:, :, :12] >= np.arange(90)[:, None])
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
