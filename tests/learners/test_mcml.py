"""MCML against its definition, finite differences, and the conditions of a convex
minimum.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import log_softmax

from freemetric import MCML
from freemetric.learners.mcml import Collapse


def divergence(M, X, y):
    """The mean over samples of KL(q | p), and its gradient by M, pair by pair in double
    precision.
    """
    V = X[:, None] - X[None]
    h = -np.einsum("ijk,kl,ijl->ij", V, M, V)
    np.fill_diagonal(h, -np.inf)
    q = ((y[:, None] == y) & ~np.eye(len(y), dtype=bool)).astype(float)
    counted = q.any(axis=1)
    q[counted] /= q[counted].sum(axis=1, keepdims=True)
    logp = np.where(q > 0, log_softmax(h, axis=1), 0.0)
    value = (q * (np.log(np.where(q > 0, q, 1)) - logp)).sum() / len(X)
    excess = (q - np.exp(log_softmax(h, axis=1)) * counted[:, None]) / len(X)
    return value, np.einsum("ij,ijk,ijl->kl", excess, V, V)


@pytest.fixture
def some(iris):
    return iris[0][::3], iris[1][::3]


@pytest.mark.parametrize("p", [1, 2, 4])
def test_value_and_gradient_by_definition(some, rng, p):
    X, y = some
    y = np.where(np.arange(50) == 7, 3, y)  # alone in its class
    A = 2 * rng.standard_normal((p, 4))
    value, slope = divergence(A.T @ A, X, y)
    found, gradient = Collapse(X, y)(A)
    assert found == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(
        gradient, 2 * A @ slope, atol=1e-5 * np.abs(gradient).max()
    )
    step = 1e-4 * rng.standard_normal((p, 4))
    values = [divergence(B.T @ B, X, y)[0] for B in (A + step, A - step)]
    difference = values[0] - values[1]
    assert difference == pytest.approx(2 * (gradient * step).sum(), rel=1e-3)


def test_the_conditions_of_a_convex_minimum(some):
    """The slope is not negative in any direction that stays positive semidefinite, and
    zero along M.
    """
    model = MCML(tol=1e-10).fit(*some)
    M = model.get_mahalanobis_matrix()
    value, slope = divergence(M, *some)
    slope += 2e-4 * (M - np.eye(4))
    assert model.objective_ == pytest.approx(
        value + 1e-4 * ((M - np.eye(4)) ** 2).sum(), rel=1e-5
    )
    assert np.linalg.eigvalsh(slope)[0] > -1e-4
    assert abs((slope * M).sum()) < 1e-3


def test_classes_collapse(wine):
    X, y = wine
    model = MCML().fit(X, y)
    before, after = (cdist(Z, Z) for Z in (X, model.transform(X)))
    same = y[:, None] == y
    ratios = [D[same].mean() / D[~same].mean() for D in (before, after)]
    assert ratios[1] < 0.5 * ratios[0]


def test_batches_lower_the_objective_of_all_nearly_as_far(wine):
    X, y = np.repeat(wine[0], 6, axis=0), np.repeat(wine[1], 6)
    X = X + 0.1 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape)
    maps = [
        MCML(regularization=0, batch_size=size, random_state=0).fit(X, y).components_
        for size in (None, 300)
    ]
    low, reached = (divergence(A.T @ A, X, y)[0] for A in maps)
    start = divergence(np.eye(13) / np.ptp(X, axis=0).max() ** 2, X, y)[0]
    assert low < reached < low + 0.1 * (start - low)
