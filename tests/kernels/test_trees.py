"""Trees on bins against a search over all splits, scikit-learn's trees, and a walk in Python."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from freemetric.kernels.numba.trees import add_leaves, grow_tree

NOTHING = 1e-9  # a ridge that changes nothing


def grown(
    bins, force, weights=None, n_bins=None, depth=3, least=1.0, ridge=1.0, columns=None
):
    """Features and last bins (n_inner,) of the nodes, and the leaves (N,) of the rows."""
    weights = np.ones(len(force)) if weights is None else weights
    columns = np.arange(len(bins)) if columns is None else np.array(columns)
    n_bins = int(bins.max()) + 1 if n_bins is None else n_bins
    splits, node = (
        np.full((2, 2**depth - 1), -7, np.int32),
        np.full(len(force), -7, np.int32),
    )
    limits = np.float32(least), np.float32(ridge)
    force, weights = force.astype(np.float32), weights.astype(np.float32)
    grow_tree(
        bins.astype(np.uint8), columns, force, weights, n_bins, limits, splits, node
    )
    return *splits, node


def gain_of(force, weights, parts, ridge):
    """By how much a mean in every part lowers half the squared error, times two."""
    return sum(force[part].sum() ** 2 / (weights[part].sum() + ridge) for part in parts)


def all_splits(bins, force, weights, rows, n_bins, least, ridge, columns):
    """Gains of all splits (feature, last bin) of these rows that leave enough weight on both sides."""
    found = {}
    for j in columns:
        for b in range(n_bins - 1):
            parts = rows[bins[j, rows] <= b], rows[bins[j, rows] > b]
            if min(weights[part].sum() for part in parts) >= least:
                found[j, b] = gain_of(force, weights, parts, ridge)
    return found


@pytest.fixture
def rows(rng):
    """Bins (d, N) and forces that follow several of them together, in steps that single precision adds exactly."""
    bins = rng.integers(0, 12, (5, 240))
    bins[3] = bins[3] // 6  # few values
    force = np.where(
        bins[0] > 4, np.where(bins[1] > 7, 2.0, -1.0), 0.5 * (bins[3] > 0)
    ) + rng.standard_normal(240)
    return bins, np.round(force * 256) / 256


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("depth", "least", "ridge"),
    [(1, 1.0, 1.0), (3, 1.0, 1.0), (4, 5.0, 1.0), (4, 30.0, 8.0)],
)
def test_every_split_is_the_best_of_all(rows, rng, depth, least, ridge, is_weighted):
    """No split lowers the error more, of any column and any bin, among the rows that reach the node."""
    bins, force = rows
    weights = rng.integers(0, 9, 240) / 4 if is_weighted else np.ones(240)
    force, columns, n_bins = force * weights, [4, 0, 3, 1], 12
    features, last, node = grown(
        bins, force, weights, n_bins, depth, least, ridge, columns
    )
    reached, n_split = {0: np.arange(240)}, 0
    for k, (j, b) in enumerate(zip(features, last, strict=True)):
        here = reached.pop(k)
        possible = all_splits(bins, force, weights, here, n_bins, least, ridge, columns)
        most, now = (
            max(possible.values(), default=0.0),
            gain_of(force, weights, [here], ridge),
        )
        if b >= n_bins - 1:  # none
            assert most <= (1 + 2e-5) * now
            reached[2 * k + 1], reached[2 * k + 2] = here, here[:0]
        else:
            n_split += 1
            assert possible[j, b] == pytest.approx(most, rel=1e-6)
            assert most > now
            reached[2 * k + 1], reached[2 * k + 2] = (
                here[bins[j, here] <= b],
                here[bins[j, here] > b],
            )
    assert n_split > depth / 2
    for leaf, here in reached.items():
        assert (node[here] == leaf - len(features)).all()


def test_a_force_that_is_the_same_everywhere_parts_nothing(rows):
    """Sums of single precision differ by rounding, which is no gain."""
    bins, _ = rows
    _, last, node = grown(bins, np.full(240, 0.3), depth=4, ridge=NOTHING)
    assert (last >= bins.max()).all()
    assert not node.any()


def test_no_side_has_too_little_weight():
    bins, force = np.arange(9)[None], np.array([9.0, 0, 0, 0, 0, 0, 0, 0, -9.0])
    assert grown(bins, force, depth=1, least=4.0)[1] in (3, 4)
    assert grown(bins, force, depth=1, least=1.0)[1] in (0, 7)
    assert (
        grown(bins, force, depth=1, least=5.0)[1] >= 8
    )  # nine rows have no two such parts
    assert not grown(bins, force, depth=1, least=5.0)[2].any()
    heavy = np.where(np.arange(9) == 8, 5.0, 1.0)
    assert (
        grown(bins, force * heavy, heavy, depth=1, least=5.0)[1] == 7
    )  # one row is enough


def test_rows_without_weight_have_no_part(rows, rng):
    """They reach leaves as others do, and neither the splits nor the leaves of others depend on them."""
    bins, force = rows
    known = grown(bins, force, n_bins=12, least=5.0)
    more = np.hstack([bins, rng.integers(0, 12, (5, 60))])
    weights = np.repeat([1.0, 0.0], [240, 60])
    features, last, node = grown(
        more, np.append(force, np.zeros(60)), weights, 12, least=5.0
    )
    for found, expected in zip((features, last, node[:240]), known, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert len(np.unique(node[240:])) > 4


def test_only_listed_columns_are_used(rows):
    bins, _ = rows
    force = np.where(bins[2] > 5, 1.0, -1.0) + 0.01 * bins[0]
    assert 2 in grown(bins, force)[0]
    features, last, _ = grown(bins, force, columns=[1, 3])
    assert set(features) <= {1, 3}
    assert (last < bins.max()).any()


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_without_a_ridge_it_is_scikit_learns_tree(rng, depth, is_weighted):
    X, weights = (
        rng.random((250, 4)),
        rng.uniform(0.5, 1.5, 250) if is_weighted else np.ones(250),
    )
    y = np.where(X[:, 1] > 0.6, X[:, 2] > 0.3, X[:, 0]) + 0.3 * rng.standard_normal(250)
    bins = X.argsort(axis=0).argsort(axis=0).T  # every value has its own
    known = DecisionTreeRegressor(
        max_depth=depth, min_weight_fraction_leaf=20 / weights.sum()
    )
    known.fit(X.astype(np.float32), y, weights)
    _, _, node = grown(bins, y * weights, weights, 250, depth, 20.0, NOTHING)
    means = np.bincount(node, y * weights, 2**depth) / np.maximum(
        np.bincount(node, weights, 2**depth), NOTHING
    )
    np.testing.assert_allclose(
        means[node], known.predict(X.astype(np.float32)), atol=1e-6
    )
    assert len(np.unique(node)) == known.get_n_leaves() > depth


@pytest.mark.parametrize("n_sums", [1, 3])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_leaves_are_those_of_a_walk(rng, depth, n_sums):
    n_inner = 2**depth - 1
    X = rng.integers(-3, 4, (50, 6)).astype(
        float
    )  # many are equal to a threshold, which is left of it
    X[:5, 2] = [1e308, -1e308, np.inf, -np.inf, 0.0]
    features = rng.integers(0, 6, (7, n_inner)).astype(np.int32)
    thresholds, leaves = (
        rng.integers(-3, 4, (7, n_inner)).astype(float),
        rng.standard_normal((7, n_inner + 1, n_sums)),
    )
    thresholds[0, 0], thresholds[1, 0] = np.inf, -np.inf
    before = rng.standard_normal((50, n_sums))
    found = before.copy()
    add_leaves(X, features, thresholds, leaves, found)
    for x, total, start in zip(X, found, before, strict=True):
        expected = start.copy()
        for t in range(7):
            path = ""
            while len(path) < depth:
                node = 2 ** len(path) - 1 + int("0" + path, 2)
                path += "1" if x[features[t, node]] > thresholds[t, node] else "0"
            expected += leaves[t, int(path, 2)]
        np.testing.assert_allclose(total, expected, atol=1e-12)
