"""Overlaps by hand."""

import numpy as np

from freemetric.thermodynamics import overlap


def test_the_overlap_is_that_of_the_matrices(rng):
    A, B = rng.standard_normal((2, 6, 3, 5))
    M, N = np.swapaxes(A, 1, 2) @ A, np.swapaxes(B, 1, 2) @ B
    by_hand = [
        np.vdot(m, n) / np.sqrt(np.vdot(m, m) * np.vdot(n, n))
        for m, n in zip(M, N, strict=True)
    ]
    np.testing.assert_allclose(overlap(A, B), by_hand)
    turned = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    np.testing.assert_allclose(overlap(A, 7 * turned @ A), 1)
    assert overlap(np.zeros((1, 2)), np.ones((1, 2))) == 0
