"""Matrices that are written as diagonals mean the same."""

import numpy as np
import pytest

from freemetric.metrics.averaged_metric import followed_by, image, pulled_back, root


@pytest.fixture(params=["diagonal", "matrix"])
def M(request, rng):
    B = rng.standard_normal((4, 4))
    return rng.random(4) if request.param == "diagonal" else B.T @ B


def dense(M):
    return np.diag(M) if M.ndim == 1 else M


def test_images_under_the_root_are_as_far_apart_as_the_metric_says(M, rng):
    V, axes = rng.standard_normal((6, 4)), rng.standard_normal((4, 2))
    Z = image(root(M), V)
    np.testing.assert_allclose(np.einsum("ij,ij->i", Z, Z), np.einsum("ij,jk,ik->i", V, dense(M), V))
    np.testing.assert_allclose(V @ followed_by(root(M), axes), Z @ axes)


@pytest.mark.parametrize("shape", [(4,), (5, 4)])
def test_pulled_back_it_measures_what_was_mapped(M, rng, shape):
    J = rng.standard_normal(shape)
    X = rng.standard_normal((6, shape[0]))
    V = X * J if J.ndim == 1 else X @ J
    expected = np.einsum("ij,jk,ik->i", V, dense(M), V)
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", X, pulled_back(M, J), X), expected)
