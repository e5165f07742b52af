"""Permutation importances against scikit-learn's, and of columns that move together."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.inspection import permutation_importance as columns_one_by_one
from sklearn.linear_model import LinearRegression

from freemetric.inspection import permutation_importance


@pytest.mark.slow
def test_single_columns_are_as_scikit_learn_has_them():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    options = dict(n_repeats=30, scoring="neg_log_loss", random_state=0)
    theirs = columns_one_by_one(forest, X[1::2], y[1::2], **options)
    ours = permutation_importance(forest, X[1::2], y[1::2], **options)
    error = np.hypot(theirs.importances_std, ours.importances_std) / np.sqrt(30)
    difference = ours.importances_mean - theirs.importances_mean
    assert (np.abs(difference) <= 4 * error).all()
    assert ours.names.tolist() == list(range(13))


def test_gaps_are_values_to_shuffle(rng):
    X, y = rng.random((80, 2)), np.arange(80) % 2
    X[y == 1, 0] = np.nan
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, y)
    found = permutation_importance(model, X, y, random_state=0)
    assert found.importances_mean[0] > 0.3
    assert found.importances_mean[1] == 0


def test_a_group_moves_together():
    """Each twin alone costs a quarter of the variance of both together."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(2000)
    X = np.column_stack([x, x, rng.standard_normal(2000)])
    y = x
    model = LinearRegression().fit(X, y)  # half of each twin
    options = dict(scoring="neg_mean_squared_error", random_state=0)
    alone = permutation_importance(model, X, y, **options).importances_mean
    groups = ["twins", "twins", "noise"]
    found = permutation_importance(model, X, y, groups=groups, **options)
    assert found.names.tolist() == ["twins", "noise"]
    np.testing.assert_allclose(alone, [0.5, 0.5, 0], atol=0.05)
    np.testing.assert_allclose(found.importances_mean, [2, 0], atol=0.2)


class Constellations:
    """An estimator that scores how many rows of X occur in the original one."""

    def fit(self, X, y):
        return self

    def score(self, X, y):
        return np.mean([tuple(row) in y for row in np.asarray(X).tolist()])


def test_one_hot_columns_stay_valid():
    rng = np.random.default_rng(0)
    X = np.eye(3)[rng.integers(0, 3, 50)]
    rows = {tuple(row) for row in X.tolist()}
    options = {"groups": ["colour"] * 3, "n_repeats": 1}
    found = permutation_importance(Constellations(), X, rows, **options)
    np.testing.assert_array_equal(found.importances, 0)


def test_a_frame_keeps_its_types_and_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": range(30), "word": list("abc") * 10})
    frame["word"] = frame["word"].astype("category")
    dtypes = []

    class Typed(Constellations):
        def score(self, X, y):
            dtypes.append(X.dtypes.tolist())
            return float((X["n"].to_numpy() == y).mean())

    y = frame["n"].to_numpy()
    found = permutation_importance(Typed(), frame, y, random_state=0)
    assert found.names.tolist() == ["n", "word"]
    assert found.importances_mean[0] > 0.8
    assert found.importances_mean[1] == 0
    assert all(some == frame.dtypes.tolist() for some in dtypes)
    assert frame["n"].tolist() == list(range(30))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(groups=["a"]), "group of each of 2 features"),
        (dict(n_repeats=0), "n_repeats must be at least 1"),
    ],
)
def test_refused(options, words):
    X = np.arange(8.0).reshape(4, 2)
    model = LinearRegression().fit(X, X[:, 0])
    permutation_importance(model, X, X[:, 0], n_repeats=1)
    with pytest.raises(ValueError, match=words):
        permutation_importance(model, X, X[:, 0], **options)
