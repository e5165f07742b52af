"""Trees on bins against a search over all splits, and a walk in Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from freemetric.kernels.numba.trees import add_leaves, grow_tree

N_BINS = 12


@pytest.fixture
def rows(rng):
    """Bins (d, N), and forces in steps that single precision adds exactly."""
    bins = rng.integers(0, N_BINS, (5, 240))
    bins[3] = bins[3] // 6  # few values
    force = np.where(bins[0] > 4, np.where(bins[1] > 7, 2.0, -1.0), 0.5 * (bins[3] > 0))
    force += rng.normal(size=240)
    return bins.astype(np.uint8), np.round(force * 256) / 256


def grown(bins, force, weights, depth, least, ridge, columns):
    """Features and last bins (n_inner,) of the nodes, and leaves (N,) of the rows."""
    splits = np.full((2, 2**depth - 1), -7, np.int32)
    node = np.full(len(force), -7, np.int32)
    limits = np.float32(least), np.float32(ridge)
    single = force.astype(np.float32), weights.astype(np.float32)
    grow_tree(bins, np.array(columns), *single, N_BINS, limits, splits, node)
    return *splits, node


def gain_of(force, weights, parts, ridge):
    return sum(force[p].sum() ** 2 / (weights[p].sum() + ridge) for p in parts)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("depth", "least", "ridge"), [(1, 1, 1), (3, 1, 1), (4, 5, 1), (4, 30, 8)]
)
def test_every_split_is_the_best_of_all(rows, rng, depth, least, ridge, is_weighted):
    bins, force = rows
    weights = rng.integers(0, 9, 240) / 4 if is_weighted else np.ones(240)
    force, columns = force * weights, [4, 0, 3, 1]
    features, last, node = grown(bins, force, weights, depth, least, ridge, columns)
    reached, n_split = {0: np.arange(240)}, 0
    for k, (feature, last_bin) in enumerate(zip(features, last, strict=True)):
        here = reached.pop(k)
        gains = {}
        for j in columns:
            for b in range(N_BINS - 1):
                parts = here[bins[j, here] <= b], here[bins[j, here] > b]
                if min(weights[part].sum() for part in parts) >= least:
                    gains[j, b] = gain_of(force, weights, parts, ridge)
        most = max(gains.values(), default=0.0)
        now = gain_of(force, weights, [here], ridge)
        if last_bin >= N_BINS - 1:  # no split
            assert most <= (1 + 2e-5) * now
            reached[2 * k + 1], reached[2 * k + 2] = here, here[:0]
        else:
            n_split += 1
            assert gains[feature, last_bin] == pytest.approx(most, rel=1e-6)
            goes_left = bins[feature, here] <= last_bin
            reached[2 * k + 1], reached[2 * k + 2] = here[goes_left], here[~goes_left]
    assert n_split > depth / 2
    for leaf, here in reached.items():
        assert (node[here] == leaf - len(features)).all()


def test_a_force_that_is_the_same_everywhere_parts_nothing(rows):
    """Sums of single precision differ by rounding, which is no gain."""
    bins, _ = rows
    constant = np.full(240, 0.3)
    _, last, node = grown(bins, constant, np.ones(240), 4, 1, 1e-9, range(5))
    assert (last >= bins.max()).all()
    assert not node.any()


def test_leaves_are_those_of_a_walk(rng):
    n_trees, depth = 6, 3
    X = rng.normal(size=(40, 4))
    features = rng.integers(0, 4, (n_trees, 2**depth - 1)).astype(np.int32)
    thresholds = rng.normal(size=features.shape)
    thresholds[0, 1] = np.inf
    leaves = rng.normal(size=(n_trees, 2**depth, 3))
    out = np.ones((40, 3))
    add_leaves(X, features, thresholds, leaves, out)
    for x, found in zip(X, out, strict=True):
        known = np.ones(3)
        for feature, threshold, leaf in zip(features, thresholds, leaves, strict=True):
            k = 0
            for _ in range(depth):
                k = 2 * k + (2 if x[feature[k]] > threshold[k] else 1)
            known += leaf[k - len(feature)]
        assert_allclose(found, known)


def test_the_order_of_columns_decides_between_equal_splits(rows):
    bins, force = rows
    twice = np.vstack([bins[:1], bins[:1]])
    for columns in ([0, 1], [1, 0]):
        features, *_ = grown(twice, force, np.ones(240), 2, 1, 1, columns)
        assert_array_equal(np.unique(features), columns[:1])
