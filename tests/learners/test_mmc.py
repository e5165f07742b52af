import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from freemetric import MMC


@pytest.fixture
def tiny(rng):
    """Twelve samples with three features; fourteen pairs, half of them similar."""
    X = rng.standard_normal((12, 3)) * [1, 0.3, 2]
    pairs = np.array([rng.permutation(12)[:2] for _ in range(14)])
    return X, pairs, np.repeat([1, -1], 7)


def differences(X, pairs, labels, label):
    i, j = pairs[labels == label].T
    return X[i] - X[j]


def mean_distance(M, U, V):
    """F of M, scaled to a mean squared distance of one of the similar pairs U."""
    M = M / np.einsum("ni,ij,nj->n", U, M, U).mean()
    return np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", V, M, V), 0)).mean()


def random_metrics(rng, n, d):
    """Of every rank, at all scales."""
    for k in range(n):
        B = rng.standard_normal((1 + k % d, d)) * np.exp(rng.standard_normal(d))
        yield B.T @ B


@pytest.mark.parametrize("diagonal", [False, True])
def test_the_programme_solved_by_scipy(tiny, diagonal):
    X, pairs, labels = tiny
    U, V = differences(X, pairs, labels, 1), differences(X, pairs, labels, -1)

    def metric(z):
        return np.diag(z**2) if diagonal else (L := z.reshape(3, 3)).T @ L

    start = np.ones(3) if diagonal else np.eye(3).ravel()
    found = minimize(lambda z: -mean_distance(metric(z), U, V), start, method="BFGS")
    model = MMC(diagonal=diagonal, tol=1e-9).fit(X, pairs=pairs, pair_labels=labels)
    assert model.objective_ == pytest.approx(-found.fun, rel=1e-5)
    M, expected = model.get_mahalanobis_matrix(), metric(found.x)
    np.testing.assert_allclose(
        M / np.trace(M), expected / np.trace(expected), atol=5e-3
    )
    assert np.einsum("ni,ij,nj->n", U, M, U).mean() == pytest.approx(1)
    assert mean_distance(M, U, V) == pytest.approx(model.objective_)


def test_no_metric_is_better_than_the_gap_allows(tiny, rng):
    X, pairs, labels = tiny
    U, V = differences(X, pairs, labels, 1), differences(X, pairs, labels, -1)
    model = MMC().fit(X, pairs=pairs, pair_labels=labels)
    others = [mean_distance(M, U, V) for M in random_metrics(rng, 300, 3)]
    assert max(others) <= model.objective_ + model.gap_
    assert model.gap_ <= 1e-3 * model.objective_
    with pytest.warns(ConvergenceWarning):
        early = MMC(max_iter=1, tol=1e-12).fit(X, pairs=pairs, pair_labels=labels)
    best = MMC(tol=1e-10).fit(X, pairs=pairs, pair_labels=labels).objective_
    assert 0 < best - early.objective_ <= early.gap_


def test_any_linear_map_of_the_data_gives_the_same_distances(tiny, rng):
    X, pairs, labels = tiny
    B = rng.standard_normal((3, 3))
    first, second = (
        MMC(tol=1e-8).fit(Z, pairs=pairs, pair_labels=labels).pair_distance(Z[pairs])
        for Z in (X, X @ B)
    )
    np.testing.assert_allclose(second, first, rtol=1e-2)


def test_features_that_say_nothing_get_no_weight(rng):
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 3)) * [0.1, 1, 1] + np.outer(y, [1, 0, 0])
    model = MMC(diagonal=True, random_state=0).fit(X, y)
    weights = np.diag(model.get_mahalanobis_matrix())
    assert weights[0] > 100 * weights[1:].max()
