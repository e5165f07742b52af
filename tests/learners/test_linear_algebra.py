"""Shortcuts against the definitions that they stand for."""

import numpy as np
import pytest
from scipy.linalg import eigh

from freemetric.learners.linear_algebra import (
    FEW_GROUPS,
    SINGULAR,
    generalised_eigenvectors,
    group_means,
    is_regular,
    map_by_contrast,
    within_groups,
)


def covariance_with(rng, values):
    vectors = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (vectors * values) @ vectors.T


@pytest.mark.parametrize("factor", [0.0, 0.5, 0.9, 1.1, 2.0, 1e8])
def test_what_is_regular(rng, factor):
    values = np.append(rng.uniform(1, 2, size=9), 0)
    values[-1] = factor * SINGULAR * values.mean()
    assert is_regular(covariance_with(rng, values)) == (factor > 1)


def test_nothing_is_not_regular():
    assert not is_regular(np.zeros((3, 3)))
    assert not is_regular(np.zeros((0, 0)))


def test_generalised_eigenvectors(rng):
    S = covariance_with(rng, rng.uniform(0, 1, size=6))
    T = covariance_with(rng, np.geomspace(1e-6, 1, 6))
    values, directions = generalised_eigenvectors(S, T)
    np.testing.assert_allclose(values, eigh(S, T, eigvals_only=True)[::-1], rtol=1e-8)
    np.testing.assert_allclose(directions @ T @ directions.T, np.eye(6), atol=1e-8)
    np.testing.assert_allclose(
        directions @ S @ directions.T, np.diag(values), atol=1e-8 * values[0]
    )


@pytest.mark.parametrize("n_groups", [1, 3, FEW_GROUPS, FEW_GROUPS + 1, 100])
def test_means_of_groups(rng, n_groups):
    X, groups = rng.normal(size=(300, 4)), np.arange(300) % n_groups
    expected = [X[groups == g].mean(axis=0) for g in range(n_groups)]
    np.testing.assert_allclose(group_means(X, groups), expected, atol=1e-12)
    np.testing.assert_allclose(
        within_groups(X, groups), X - np.array(expected)[groups], atol=1e-12
    )


def contrast(plane, M, near, far):
    """Far against near, over all directions of a plane, by determinants: any rows that
    span it give the same.
    """
    root = np.linalg.cholesky(M)  # images are V @ root
    like, unlike = ((V @ root).T @ (V @ root) / len(V) for V in (near, far))
    like += np.trace(like) / len(like) * np.eye(len(like))
    Z = np.linalg.solve(root, plane.T)  # the rows in the learned space
    return np.linalg.det(Z.T @ unlike @ Z) / np.linalg.det(Z.T @ like @ Z)


def test_no_other_plane_has_more_contrast(rng):
    M = covariance_with(rng, rng.uniform(0.1, 1, size=5))
    near, far = rng.normal(size=(2, 40, 5))
    far *= [3, 1, 2, 1, 1]
    A = map_by_contrast(M, near, far)
    np.testing.assert_allclose(A.T @ A, M, atol=1e-12)
    best = contrast(A[:2], M, near, far)
    others = rng.normal(size=(2000, 2, 5)) @ A
    nearby = A[:2] + 0.01 * rng.normal(size=(200, 2, 5)) @ A
    assert max(contrast(plane, M, near, far) for plane in [*others, *nearby]) < best


def test_only_what_differs_is_kept_where_nothing_is_near(rng):
    far = rng.normal(size=(40, 4)) * [1, 0, 5, 0]
    A = map_by_contrast(np.eye(4), np.empty((0, 4)), far, 2)
    np.testing.assert_allclose(A[:, [1, 3]], 0, atol=1e-12)
