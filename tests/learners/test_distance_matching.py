"""DistanceMatching against known metrics and against scipy's own optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import pairwise_distances

from freemetric.learners import DistanceMatching, distance_matching

UNITS = np.array([1e-3, 1.0, 20.0, 1e3])


def objective(M, V, distances, weights):
    off = np.einsum("ni,ij,nj->n", V, M, V) - distances**2
    return weights @ off**2 / (weights @ distances**4)


@pytest.fixture
def pairs(rng):
    """Pairs of samples in unlike units, and distances with 30 % noise."""
    X = rng.random((200, 2, 4)) * UNITS
    B = rng.standard_normal((3, 4)) / UNITS
    exact = np.linalg.norm((X[:, 0] - X[:, 1]) @ B.T, axis=1)
    return X, exact * rng.uniform(0.7, 1.3, 200), rng.uniform(0.1, 2, 200)


@pytest.mark.parametrize("rank", [1, 3, 4])
@pytest.mark.parametrize("p", [None, 4])
def test_exact_distances_give_back_the_metric(rank, p, rng):
    X = rng.random((40, 4)) * UNITS
    B = rng.standard_normal((rank, 4)) / UNITS
    model = DistanceMatching(p, tol=1e-7).fit(X, pairwise_distances(X @ B.T))
    scale = np.outer(UNITS, UNITS)
    found = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(found * scale, B.T @ B * scale, atol=1e-4)
    assert model.objective_ < 1e-13


def test_ways_to_say_the_same(rng):
    X = rng.random((12, 3))
    D = pairwise_distances(X * [1, 2, 3])
    i, j = np.triu_indices(12, k=1)
    listed = np.column_stack([i, j])
    expected = DistanceMatching().fit(X, D).components_
    by_index = DistanceMatching().fit(X, D[i, j], pairs=listed)
    by_sample = DistanceMatching().fit(X[listed], D[i, j])
    np.testing.assert_allclose(by_index.components_, expected)
    np.testing.assert_allclose(by_sample.components_, expected, rtol=1e-6)
    targets = X @ [1.0, -2.0, 0.5]
    gaps = np.abs(targets[:, None] - targets)
    of_targets = DistanceMatching().fit(X, targets).components_
    np.testing.assert_allclose(of_targets, DistanceMatching().fit(X, gaps).components_)


def test_agrees_with_a_general_solver(pairs):
    """scipy's BFGS over Cholesky factors, from several starts."""
    X, distances, weights = pairs
    V = (X[:, 0] - X[:, 1]) / UNITS
    lower = np.tril_indices(4)

    def of_factor(entries):
        factor = np.zeros((4, 4))
        factor[lower] = entries
        return objective(factor @ factor.T, V, distances, weights)

    starts = np.random.default_rng(0).standard_normal((4, 10))
    expected = min(minimize(of_factor, start, tol=1e-12).fun for start in starts)
    model = DistanceMatching(tol=1e-8).fit(X, distances, sample_weight=weights)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    M = model.get_mahalanobis_matrix() * np.outer(UNITS, UNITS)
    assert objective(M, V, distances, weights) == pytest.approx(model.objective_)
    assert 0 <= model.gap_ <= 1e-6 * expected


def test_rank_costs_what_a_direct_search_finds(pairs):
    X, distances, weights = pairs
    V = (X[:, 0] - X[:, 1]) / UNITS

    def of_map(entries):
        A = entries.reshape(1, 4)
        return objective(A.T @ A, V, distances, weights)

    starts = np.random.default_rng(0).standard_normal((12, 4))
    expected = min(minimize(of_map, start, tol=1e-12).fun for start in starts)
    model = DistanceMatching(1, tol=1e-8).fit(X, distances, sample_weight=weights)
    assert model.components_.shape == (1, 4)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    full = DistanceMatching(tol=1e-8).fit(X, distances, sample_weight=weights)
    assert model.gap_ == pytest.approx(model.objective_ - full.objective_, rel=1e-4)


def test_a_weight_of_two_is_a_pair_twice_and_zero_is_none(pairs):
    X, distances, _ = pairs
    counts = np.arange(200) % 3
    weighted = DistanceMatching(tol=1e-9).fit(X, distances, sample_weight=counts)
    copies = DistanceMatching(tol=1e-9).fit(
        X.repeat(counts, axis=0), distances.repeat(counts)
    )
    Z = weighted.pair_distance(X)
    np.testing.assert_allclose(Z, copies.pair_distance(X), rtol=1e-4)


def test_weights_of_samples_multiply(rng):
    X = rng.random((15, 3))
    D = pairwise_distances(X**2)
    w = rng.random(15)
    one = DistanceMatching().fit(X, D, sample_weight=w)
    i, j = np.triu_indices(15, k=1)
    listed = {"pairs": np.column_stack([i, j]), "sample_weight": w[i] * w[j]}
    two = DistanceMatching().fit(X, D[i, j], **listed)
    np.testing.assert_allclose(one.components_, two.components_)


def test_pairs_are_drawn_where_there_are_too_many(rng, monkeypatch):
    monkeypatch.setattr(distance_matching, "MOST_NUMBERS", 1500)
    X = rng.random((200, 3))
    D = pairwise_distances(X * [1, 2, 3])
    order = rng.permutation(200)
    model = DistanceMatching(random_state=0, tol=1e-7)
    found = model.fit(X, D).get_mahalanobis_matrix()
    np.testing.assert_allclose(found, np.diag([1.0, 4, 9]), atol=1e-4)
    noisy = D**1.2
    M = model.fit(X, noisy).get_mahalanobis_matrix()
    again = model.fit(X[order], noisy[np.ix_(order, order)])
    np.testing.assert_allclose(again.get_mahalanobis_matrix(), M, rtol=1e-4)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ((9, 2), np.ones((9, 8)), {}, "1d array"),
        ((9, 2), np.ones(8), {}, r"matrix \(9, 9\), or 9 targets"),
        ((9, 2), np.tri(9), {}, "must be symmetric"),
        ((9, 2), [-1.0], {"pairs": [[0, 1]]}, "none negative"),
        ((9, 2), [1.0], {"pairs": [[0, 9]]}, "points outside X"),
        ((9, 2), [1.0, 2.0], {"pairs": [[0, 1]]}, "1 distances, one for each pair"),
        ((9, 2), np.zeros((9, 9)), {}, "distances of positive weight are zero"),
        ((9, 3, 2), np.ones(9), {}, r"samples of shape \(n, 2, n_features\)"),
        ((9, 2), np.ones(9), {"sample_weight": np.ones(8)}, "sample_weight.shape"),
        ((9, 2), None, {}, "target y is None"),
        ((9, 2, 2), np.ones(9), {"pairs": [[0, 1]]}, "dim 3"),
    ],
)
def test_what_it_refuses(X, y, options, message, rng):
    with pytest.raises(ValueError, match=message):
        DistanceMatching().fit(rng.random(X), y, **options)


def test_directions_in_which_nothing_varies_have_no_weight(rng):
    X = np.column_stack([np.ones(9), rng.random(9)])
    model = DistanceMatching().fit(X, 3 * X[:, 1])
    np.testing.assert_allclose(np.abs(model.components_), [[0, 3]], rtol=1e-4)
    with pytest.raises(ValueError, match="samples of every pair are equal"):
        DistanceMatching().fit(np.ones((5, 2)), np.arange(5.0))
