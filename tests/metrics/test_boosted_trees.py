"""Boosted trees against those of scikit-learn, Newton steps by hand, and what must not matter."""

from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax, softmax
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from freemetric.metrics import BinnedNaiveBayes, BoostedTrees, BoostedTrend, StudentTDiscriminant, boosted_trees
from freemetric.metrics.boosted_trees import (
    DEPTH,
    LEAST_WEIGHT,
    N_FOLDS,
    N_TREES,
    RATE,
    RIDGE,
    Trees,
    learned_rows,
    thresholds_of,
)
from freemetric.metrics.trends import crossed_trend

N_INNER = 2**DEPTH - 1


def squared(y):
    """Slopes of half the squared error."""
    return lambda sums: (y[:, None] - sums, np.ones(sums.shape))


def first(trees, n):
    """The first n trees."""
    return Trees(*(part[:n] for part in trees))


def leaf_of(trees, t, x):
    """The leaf that a sample reaches in a tree, step by step."""
    k = 0
    while k < trees.features.shape[1]:
        k = 2 * k + (2 if x[trees.features[t, k]] > trees.thresholds[t, k] else 1)
    return k - trees.features.shape[1]


@pytest.fixture
def rows(rng):
    """Targets that depend on thresholds, classes by their quantiles, and weights, some of them zero."""
    X = rng.integers(0, 60, (300, 5)).astype(float)
    y = np.where(X[:, 0] > 20, X[:, 1] > 30, np.sin(X[:, 2] / 9)) + 0.5 * rng.standard_normal(300)
    return X, y, np.digitize(y, np.quantile(y, [0.3, 0.6])), rng.random(300) * (rng.random(300) > 0.1)


class TestThresholds:
    def test_few_values_have_a_bin_each(self, rng):
        X = np.column_stack([rng.permutation(np.repeat([0.0, 1.0, 5.0, -3.0], 10)), np.full(40, 7.0)])
        found = thresholds_of(X)
        assert found.shape == (2, 19)  # two rows for every bin
        assert_array_equal(found[0], [-1.5, 0.5, 3.0, *[np.inf] * 16])
        assert np.isposinf(found[1]).all()  # a constant needs none

    @pytest.mark.parametrize(("n", "n_bins"), [(2, 2), (3, 2), (100, 50), (509, 254), (510, 255), (4000, 255)])
    def test_bins_are_equally_full(self, rng, n, n_bins):
        X = rng.standard_normal((n, 2)) ** 3
        found = thresholds_of(X)
        assert found.shape == (2, n_bins - 1)
        for own, x in zip(found, X.T, strict=True):
            counts = np.bincount(np.digitize(x, own), minlength=n_bins)
            assert counts.min() >= n // n_bins
            assert counts.max() <= n // n_bins + 1

    def test_frequent_values_do_not_spoil_the_bins(self, rng):
        """Beside the least value of a bin, whose copies cannot be parted, there are no more rows than elsewhere."""
        values = np.hstack([rng.standard_normal((3000, 3)), rng.exponential(size=(3000, 3))])
        X = np.where(rng.random((3000, 6)) < [0.1, 0.5, 0.9, 0.1, 0.5, 0.9], 0.0, values)  # in the middle, or the least
        for own, x in zip(thresholds_of(X), X.T, strict=True):
            assert (np.diff(own[np.isfinite(own)]) > 0).all()
            assert own[0] > x.min()
            bins = np.digitize(x, own)
            for number in np.unique(bins):
                inside = x[bins == number]
                assert np.count_nonzero(inside > inside.min()) <= 3000 / 255 + 1

    def test_they_lie_between_values(self, rng):
        X = np.column_stack([rng.standard_normal(1000), rng.random(1000).round(2), rng.integers(0, 3, 1000)])
        for own, x in zip(thresholds_of(X), X.T, strict=True):
            used, values = own[np.isfinite(own)], np.unique(x)
            assert (np.diff(used) > 0).all()
            assert np.isposinf(own[len(used) :]).all()
            place = np.searchsorted(values, used)
            assert_allclose(used, (values[place - 1] + values[place]) / 2, rtol=1e-15)
            assert not np.isin(used, values).any()

    def test_neighbouring_floats_stay_in_order(self):
        """Between them there is no number: both sides are the same for a row and for the bin that it was in."""
        values = 1.0 + np.arange(8) * np.spacing(1.0)
        (own,) = thresholds_of(np.repeat(values, 4)[:, None])
        assert (np.diff(np.searchsorted(own, values)) >= 0).all()
        assert len(np.unique(np.searchsorted(own, values))) >= 4

    def test_huge_values_do_not_overflow(self):
        huge = np.repeat([-1.7e308, 1.6e308, 1.7e308], 4)[:, None]
        assert_allclose(thresholds_of(huge)[0, :2], [-5e306, 1.65e308], rtol=1e-12)

    def test_types_and_orders_of_memory(self, rng):
        X = rng.random((90, 3)).astype(np.float32)
        assert_array_equal(thresholds_of(X), thresholds_of(np.asfortranarray(X, dtype=np.float64)))


@pytest.mark.parametrize("form", [np.float32, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], np.array])
def test_sums_are_those_of_a_walk(rng, form):
    features, thresholds = rng.integers(0, 4, (6, 7)).astype(np.int32), rng.integers(0, 9, (6, 7)).astype(float)
    trees, X = Trees(features, thresholds, rng.standard_normal((6, 8, 2))), rng.integers(0, 9, (40, 4)).astype(float)
    by_hand = [sum(trees.leaves[t, leaf_of(trees, t, x)] for t in range(6)) for x in X]
    assert_allclose(trees(form(X)), by_hand, atol=1e-12)
    assert trees(X[:0]).shape == (0, 2)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_without_a_ridge_they_are_scikit_learns(rows, is_weighted, monkeypatch):
    """All trees, of both losses. Leaves so large that no two splits part a node alike."""
    monkeypatch.setattr(boosted_trees, "RIDGE", 1e-9)
    monkeypatch.setattr(boosted_trees, "LEAST_WEIGHT", 20.0)
    X, y, c, w = rows
    w, usual = w if is_weighted else None, {"n_estimators": N_TREES, "max_depth": DEPTH}
    usual["min_weight_fraction_leaf"] = 20 / 300
    met = slice(None) if w is None else w > 0  # scikit-learn's thresholds do not look at the others
    known = GradientBoostingRegressor(learning_rate=RATE, **usual).fit(X, y, w)
    assert_allclose(BoostedTrend.of(X, y, w)(X)[met], known.predict(X)[met], atol=1e-6)
    # The sums of two classes are one apart from the other: every step counts twice in their difference.
    known = GradientBoostingClassifier(learning_rate=2 * RATE, init="zero", **usual).fit(X, c > 0, w)
    F = BoostedTrees.of(X, (c > 0).astype(int), 2, w)(X)
    assert_allclose((F[:, 0] - F[:, 1])[met], known.decision_function(X)[met], atol=1e-5)


def greedy(X, force, rows, depth):
    """Leaves of a tree, as lists of rows: every split is the best of all, searched in the values themselves."""

    def gain(part):
        return force[part].sum() ** 2 / (len(part) + RIDGE)

    most, best = 1.00001 * gain(rows), None
    for x in X.T:
        for value in np.unique(x[rows]):
            parts = rows[x[rows] <= value], rows[x[rows] > value]
            if min(map(len, parts)) >= LEAST_WEIGHT and sum(map(gain, parts)) > most:
                most, best = sum(map(gain, parts)), parts
    if depth == 0 or best is None:
        return [rows]
    return [leaf for part in best for leaf in greedy(X, force, part, depth - 1)]


def test_the_first_tree_is_a_newton_step(rows):
    """The mean residual of a leaf, times a rate, as if there were one more row without any."""
    X, y, _, _ = rows
    trend = BoostedTrend.of(X, y)
    residuals = y - y.mean()
    found, leaves = first(trend.trees, 1)(X)[:, 0], greedy(X, residuals, np.arange(300), DEPTH)
    assert len(leaves) > 8
    for leaf in leaves:
        assert_allclose(found[leaf], 0.2 * residuals[leaf].sum() / (len(leaf) + 1), atol=1e-9)
    assert trend.base == pytest.approx(y.mean())


@pytest.mark.parametrize("is_weighted", [False, True])
def test_every_leaf_is_a_newton_step(rows, is_weighted):
    """Of the log loss of three classes, whatever the splits are."""
    X, _, c, w = rows
    w = w if is_weighted else None
    trees, sums, share = BoostedTrees.of(X, c, 3, w).trees, np.zeros((300, 3)), np.ones(300) if w is None else w
    share = share / share.mean()
    for t in range(N_TREES):
        leaves, P = np.array([leaf_of(trees, t, x) for x in X]), softmax(sums, axis=1)
        for leaf in np.unique(leaves):
            here = leaves == leaf
            force = share[here] @ (np.eye(3)[c] - P)[here]
            curvature = share[here] @ (P * (1 - P))[here]
            assert_allclose(trees.leaves[t, leaf], 0.2 * force / (curvature + 1), atol=1e-9)
        sums += trees.leaves[t, leaves]
    assert_allclose(trees(X), sums, atol=1e-9)


def test_losses_fall_from_tree_to_tree(rows):
    X, y, c, _ = rows
    trend, density = BoostedTrend.of(X, y), BoostedTrees.of(X, c, 3)
    squares = [((y - trend.base - first(trend.trees, n)(X)[:, 0]) ** 2).mean() for n in range(N_TREES + 1)]
    logs = [-log_softmax(first(density.trees, n)(X), axis=1)[np.arange(300), c].mean() for n in range(N_TREES + 1)]
    assert logs[0] == pytest.approx(np.log(3))
    for losses in (squares, logs):
        assert all(after < before for before, after in pairwise(losses))
        assert losses[-1] < 0.5 * losses[0]


def test_a_threshold_parts_training_rows_as_its_bin(rng):
    """Also where hardly any number lies between two values."""
    X = 1.0 + rng.integers(0, 30, (300, 3)) * np.spacing(1.0)
    y = (X[:, 0] > 1 + 10 * np.spacing(1.0)) + 0.1 * rng.standard_normal(300)
    trees = Trees.boosted(X, np.zeros((300, 1)), squared(y))
    sums = np.zeros(300)
    for t in range(N_TREES):
        leaves = np.array([leaf_of(trees, t, x) for x in X])
        for leaf in np.unique(leaves):
            here = leaves == leaf
            assert trees.leaves[t, leaf, 0] == pytest.approx(RATE * (y - sums)[here].sum() / (here.sum() + 1), abs=1e-9)
        sums += trees.leaves[t, leaves, 0]


def test_rows_without_weight_change_nothing(rows):
    X, y, c, _ = rows
    w = np.where(np.arange(300) < 250, 1.0, 0.0)
    other, of_others = np.where(w > 0, y, 1e3 - 5 * y), np.where(w > 0, c, 2 - c)
    for found, expected in (
        (BoostedTrend.of(X, other, w)(X), BoostedTrend.of(X, y, w)(X)),
        (BoostedTrees.of(X, of_others, 3, w)(X), BoostedTrees.of(X, c, 3, w)(X)),
    ):
        assert_array_equal(found, expected)
    assert (BoostedTrend.of(X, other)(X) != BoostedTrend.of(X, y)(X)).all()


def test_weights_have_no_unit(rows):
    X, y, c, w = rows
    assert_array_equal(BoostedTrend.of(X, y, 1024 * w)(X), BoostedTrend.of(X, y, w)(X))
    assert_array_equal(BoostedTrees.of(X, c, 3, w / 1024)(X), BoostedTrees.of(X, c, 3, w)(X))


def test_few_of_many_features_are_looked_at_by_a_tree(rng):
    """Half of them; all where there are few."""
    X = rng.random((300, 20))
    trees = Trees.boosted(X, np.zeros((300, 1)), squared(rng.standard_normal(300)))
    used = [set(of_tree[np.isfinite(at)]) for of_tree, at in zip(trees.features, trees.thresholds, strict=True)]
    assert max(map(len, used)) <= 10
    assert set.union(*used) == set(range(20))
    few = Trees.boosted(X[:, :8], np.zeros((300, 1)), squared(np.where(X[:, 7] > 0.5, 1.0, -1.0)))
    assert (few.features[:20, 0] == 7).all()  # later ones have nothing left to find
    assert not (trees.features[:20, 0] == 7).all()


def boxes(rng, n):
    """Four classes: outside of a box in two of six features, and three parts of it along a third feature."""
    X = rng.random((n, 6))
    inside = (np.abs(X[:, 0] - 0.5) < 0.3) & (np.abs(X[:, 3] - 0.5) < 0.3)
    return X, np.where(inside, 1 + np.digitize(X[:, 5], [0.3, 0.6]), 0)


class TestClasses:
    def test_boxes_are_for_trees(self, rng):
        (X, y), (new, truth) = boxes(rng, 500), boxes(rng, 2000)
        kinds = BoostedTrees, StudentTDiscriminant, BinnedNaiveBayes
        wrong = [(kind.of(X, y, 4)(new).argmin(axis=1) != truth).mean() for kind in kinds]
        assert wrong[0] < 0.1
        assert wrong[0] < 0.5 * min(wrong[1:])

    def test_a_class_without_rows_is_unlikely(self, rows):
        X, _, c, _ = rows
        F = BoostedTrees.of(X, c, 4)(X)
        assert np.isfinite(F).all()
        assert softmax(-F, axis=1)[:, 3].max() < 0.02

    def test_constants_leave_the_shares_of_the_classes(self, rng):
        y = np.repeat([0, 1, 2], [20, 30, 50])
        F = BoostedTrees.of(np.ones((100, 2)), y, 3)(rng.random((5, 2)))
        assert_allclose(softmax(-F, axis=1), np.tile([0.2, 0.3, 0.5], (5, 1)), atol=0.01)

    def test_so_many_features_are_affordable(self):
        assert BoostedTrees.affordable(1000, 100)
        assert not BoostedTrees.affordable(1001, 2)

    def test_nothing_is_left_to_chance(self, rows):
        X, _, c, w = rows
        before = BoostedTrees.of(X, c, 3, w)(X).tobytes()
        assert BoostedTrees.of(X, c, 3, w)(X).tobytes() == before

    @pytest.mark.parametrize("rescaled", [lambda X: X**3 - 7, lambda X: np.exp(X / 5), lambda X: np.sqrt(X)])
    def test_scales_of_features_do_not_matter(self, rows, rescaled):
        X, _, c, _ = rows
        assert_array_equal(BoostedTrees.of(rescaled(X), c, 3)(rescaled(X)), BoostedTrees.of(X, c, 3)(X))

    def test_through_state(self, rows):
        X, _, c, _ = rows
        made = BoostedTrees.of(X, c, 3)
        assert made.shape == (3, 5)
        assert set(made.to_state()) == {"features", "thresholds", "leaves", "n_features"}
        assert BoostedTrees.from_state(made.to_state())(X).tobytes() == made(X).tobytes()


class TestTrend:
    def test_a_sample_has_no_part_in_its_own(self, rows):
        """Sample 17 counts in the trends of all other folds, and in that of all samples."""
        X, y, _, w = rows
        other, w = y.copy(), w + 0.1
        other[17] += 5
        for weights in (None, w):
            (one, before), (another, after) = (crossed_trend(BoostedTrend, X, z, weights) for z in (y, other))
            fold = np.arange(300) % 5 == 17 % 5
            assert_array_equal(after[fold], before[fold])
            assert (after[~fold] != before[~fold]).mean() > 0.9
            assert one(X[[17]]) < another(X[[17]])

    @pytest.mark.parametrize("is_weighted", [False, True])
    def test_others_are_trends_of_the_other_folds(self, rows, is_weighted):
        X, y, _, w = rows
        trend, left_out = crossed_trend(BoostedTrend, X.astype(np.float32), y, w if is_weighted else None)
        for k in range(5):
            met = np.arange(300) % 5 == k
            known = BoostedTrend.of(X[~met], y[~met], w[~met] if is_weighted else None)
            assert_array_equal(left_out[met], known(X[met]))
        assert_array_equal(trend(X), BoostedTrend.of(X, y, w if is_weighted else None)(X))

    @pytest.mark.parametrize(("n", "d", "there_is_one"), [(199, 2, False), (200, 2, True), (200, 1001, False)])
    def test_neither_few_rows_nor_many_features(self, rng, n, d, there_is_one):
        found = crossed_trend(BoostedTrend, rng.random((n, d)), rng.random(n))
        assert (found is not None) == there_is_one
        assert BoostedTrend.is_for(n, 1000) == (n >= 200)

    def test_steps_of_a_corner_are_found(self, rng):
        """Where one feature counts for large values of another alone."""
        X, new = rng.random((600, 4)), rng.random((500, 4))
        y, truth = (np.where(V[:, 0] > 0.5, 2.0 * (V[:, 1] > 0.3), 0.0) for V in (X, new))
        trend, left_out = crossed_trend(BoostedTrend, X, y + 0.2 * rng.standard_normal(600))
        assert ((trend(new) - truth) ** 2).mean() < 0.05
        assert ((left_out - y) ** 2).mean() < 0.05

    def test_a_constant_target(self, rng):
        trend, left_out = crossed_trend(BoostedTrend, rng.random((200, 2)), np.full(200, 7.0))
        assert_allclose(left_out, 7.0)
        assert_allclose(trend(np.array([[1e300, -1e300]])), 7.0)

    def test_some_of_very_many_rows(self, rng, monkeypatch):
        """What is not learned from changes nothing, and rows that are learned from have no part in their own."""
        monkeypatch.setattr(boosted_trees, "MOST_ROWS", 250)
        X, numbers = rng.random((700, 2)), learned_rows(700)
        y = np.where(X[:, 0] > 0.4, 1.0, -1.0) + 0.1 * rng.standard_normal(700)
        trend, left_out = crossed_trend(BoostedTrend, X, y)
        assert left_out.shape == (700,)
        assert ((left_out - np.where(X[:, 0] > 0.4, 1.0, -1.0)) ** 2).mean() < 0.05
        other = np.full(700, 1e3)
        other[numbers] = y[numbers]
        same, also = crossed_trend(BoostedTrend, X, other)
        assert_array_equal(also, left_out)
        assert_array_equal(same(X), trend(X))
        for k in range(5):
            outside = numbers[numbers % 5 != k]
            assert_array_equal(left_out[k::5], BoostedTrend.of(X[outside], y[outside])(X[k::5]))

    def test_through_state(self, rows):
        X, y, _, _ = rows
        made = BoostedTrend.of(X, y)
        assert made.n_features == 5
        assert BoostedTrend.from_state(made.to_state())(X).tobytes() == made(X).tobytes()


def test_learned_rows_are_evenly_spaced(monkeypatch):
    monkeypatch.setattr(boosted_trees, "MOST_ROWS", 100)
    for n in (1, 99, 100):
        assert_array_equal(learned_rows(n), np.arange(n))
    for n in (101, 150, 1234):
        found = learned_rows(n)
        assert_array_equal(np.bincount(found % N_FOLDS), np.full(N_FOLDS, 20))
        assert found[0] == 0
        assert n - 2 * N_FOLDS < found[-1] < n
        assert (np.abs(np.diff(found[::N_FOLDS]) - n / 20) < 1.5 * N_FOLDS).all()


@pytest.mark.parametrize("times", [5, 10])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_learned_rows_are_of_all_folds(times, more, monkeypatch):
    """Where the step between them is the number of folds, too."""
    monkeypatch.setattr(boosted_trees, "MOST_ROWS", 300)
    found = learned_rows(times * 299 + 1 + more)
    assert (np.bincount(found % N_FOLDS, minlength=N_FOLDS) > 30).all()


def nans(array):
    return np.where(np.arange(array.size).reshape(array.shape) == 3, np.nan, array)


@pytest.mark.parametrize("kind", ["density", "trend"])
@pytest.mark.parametrize(
    ("name", "changed", "problem"),
    [
        ("features", lambda array: array[:, 1:], "features of trees"),
        ("features", lambda array: array[1:], "features of trees"),
        ("features", lambda array: array[None], "features of trees"),
        ("features", lambda array: array.astype(float), "features of trees"),
        ("features", lambda array: array - 5, "features of trees are others than the samples have"),
        ("features", lambda array: array + 5, "features of trees are others than the samples have"),
        ("features", lambda array: None, "features of trees"),
        ("thresholds", nans, "thresholds of trees have another shape, or are no numbers"),
        ("thresholds", lambda array: array[:, 1:], "thresholds of trees"),
        ("thresholds", lambda array: array[1:], "thresholds of trees"),
        ("thresholds", lambda array: array.astype(np.float32), "thresholds of trees"),
        ("thresholds", lambda array: array.astype(complex), "thresholds of trees"),
        ("thresholds", lambda array: array.tolist(), "thresholds of trees"),
        ("leaves", nans, "leaves of trees"),
        ("leaves", lambda array: np.full_like(array, np.inf), "leaves of trees"),
        ("leaves", lambda array: array[:, :-1], "leaves of trees have another shape"),  # no power of two
        ("leaves", lambda array: np.repeat(array, 2, axis=1), "features of trees"),  # one that is too large
        ("leaves", lambda array: array[:, :1], "leaves of trees have another shape"),
        ("leaves", lambda array: array[:, :0], "leaves of trees have another shape"),
        ("leaves", lambda array: array[:, :, :0], "leaves of trees have another shape"),
        ("leaves", lambda array: array[:0], "leaves of trees have another shape"),
        ("leaves", lambda array: array[0], "leaves of trees"),
        ("leaves", lambda array: array.astype(int), "leaves of trees"),
        ("n_features", lambda n: 0, "n_features of trees"),
        ("n_features", lambda n: -1, "n_features of trees"),
        ("n_features", lambda n: 5.0, "n_features of trees"),
        ("n_features", lambda n: True, "n_features of trees"),
        ("n_features", lambda n: 3, "features of trees are others than the samples have"),
    ],
)
def test_broken_states(rows, kind, name, changed, problem):
    X, y, c, _ = rows
    made = BoostedTrees.of(X, c, 3) if kind == "density" else BoostedTrend.of(X, y)
    state = made.to_state()
    with pytest.raises(ValueError, match=problem) as caught:
        type(made).from_state(state | {name: changed(state[name])})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["density", "trend"])
@pytest.mark.parametrize("name", ["features", "leaves"])
@pytest.mark.parametrize("dtype", ["float16", ">f8", "longdouble", ">i4", "int8", "float32"])
def test_numbers_of_other_types(rows, kind, name, dtype):
    """A file is refused where compiled code cannot read its numbers; else it says the same."""
    X, y, c, _ = rows
    made = BoostedTrees.of(X, c, 3) if kind == "density" else BoostedTrend.of(X, y)
    state = made.to_state()
    found = made
    with suppress(ValueError):
        found = type(made).from_state(state | {name: state[name].astype(dtype)})
    assert_allclose(found(X), made(X), atol=1e-2)


@pytest.mark.parametrize("base", [np.nan, np.inf, None, True, "1", np.zeros(1)])
def test_a_base_that_is_no_number(rows, base):
    X, y, c, _ = rows
    with pytest.raises(ValueError, match="base of BoostedTrend is no number"):
        BoostedTrend.from_state(BoostedTrend.of(X, y).to_state() | {"base": base})
    of_classes = BoostedTrees.of(X, c, 3).to_state()
    with pytest.raises(ValueError, match="leaves of trees have another shape"):
        BoostedTrend.from_state(of_classes | {"base": 0.0})
