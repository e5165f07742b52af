"""Means of neighbours against scikit-learn's, and k against a search by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import MLKR, Euclidean, MetricKNeighborsRegressor, load
from freemetric.learners.knn import NeighborMeans


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(200, 6, noise=1.0, random_state=0)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("several", [False, True])
def test_it_predicts_as_scikit_learn(friedman, weights, several):
    X, y = friedman
    y = np.column_stack([y, 5 - y**2]) if several else y
    ours = MetricKNeighborsRegressor(Euclidean(), 7, weights=weights).fit(X[:150], y[:150])
    theirs = KNeighborsRegressor(7, weights=weights).fit(X[:150], y[:150])
    np.testing.assert_allclose(ours.predict(X[140:]), theirs.predict(X[140:]), rtol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_k_is_the_best_for_metrics_that_have_not_seen_the_fold(friedman, weights):
    X, y = friedman
    learner = make_pipeline(StandardScaler(), MLKR(2, tol=1e-2))
    model = MetricKNeighborsRegressor(learner, weights=weights, most_neighbors=12, n_folds=3, random_state=0).fit(X, y)
    errors = np.zeros(12)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        learner.fit(X[train], y[train])
        for k in range(12):
            knn = KNeighborsRegressor(k + 1, weights=weights).fit(learner.transform(X[train]), y[train])
            errors[k] += ((knn.predict(learner.transform(X[test])) - y[test]) ** 2).sum()
    np.testing.assert_allclose(model.selection_["error"], errors / len(y) / y.var(), rtol=1e-6)
    assert model.n_neighbors_ == errors.argmin() + 1


def test_the_curve_over_k(friedman):
    pytest.importorskip("matplotlib")
    from freemetric.display import NeighborsCurveDisplay

    X, y = friedman
    for target in (y, np.column_stack([y, -3 * y])):
        model = MetricKNeighborsRegressor(Euclidean(), most_neighbors=8, random_state=0).fit(X[:150], target[:150])
        curves = NeighborsCurveDisplay.from_estimator(model, X[150:], target[150:], most_neighbors=6).curves
        np.testing.assert_array_equal(curves["inner folds"][1], model.selection_["error"])
        off = [KNeighborsRegressor(k).fit(X[:150], y[:150]).predict(X[150:]) - y[150:] for k in range(1, 7)]
        np.testing.assert_allclose(curves["test samples"][1], np.mean(np.square(off), axis=1) / y[:150].var())


def test_copies_share_their_part():
    Z, Y = np.array([[0.0], [0.0], [1.0], [3.0]]), np.array([[1.0], [5.0], [2.0], [9.0]])
    for order in (slice(None), slice(None, None, -1)):
        said = NeighborMeans(Z[order], Y[order], by_distance=False).of(np.array([[0.1]]), [1, 2, 3, 4])
        np.testing.assert_allclose(said[0, :, 0], [3, 3, 8 / 3, 17 / 4])
    there = NeighborMeans(Z, Y, by_distance=True).of(np.array([[0.0]]), [1, 4])
    np.testing.assert_allclose(there[0, :, 0], [3, 3])


def test_it_is_saved(friedman, tmp_path):
    X, y = friedman
    model = MetricKNeighborsRegressor(MLKR(2, tol=1e-2), 3).fit(X, np.column_stack([y, -y]))
    model.save(tmp_path / "model.fm")
    np.testing.assert_array_equal(load(tmp_path / "model.fm").predict(X), model.predict(X))
    model.numbers_ = model.numbers_[1:]
    with pytest.raises(ValueError, match="numbers_ of MetricKNeighborsRegressor are not those of the samples"):
        model.check_state()


def test_what_cannot_be_learned_is_said_in_one_line(friedman):
    X, y = friedman
    with pytest.raises(ValueError, match="MetricKNeighborsRegressor learns from numeric targets, and y has 'a'"):
        MetricKNeighborsRegressor(MLKR()).fit(X, np.full(200, "a"))
    with pytest.raises(ValueError, match="'weights' parameter of MetricKNeighborsRegressor"):
        MetricKNeighborsRegressor(MLKR(), weights="rank").fit(X, y)


def test_samples_of_extreme_magnitude_get_predictions(rng):
    X, y = rng.random((30, 3)), rng.random(30)
    for weights in ("uniform", "distance"):
        model = MetricKNeighborsRegressor(Euclidean(), 3, weights=weights).fit(X, y)
        with np.errstate(all="raise"):
            found = model.predict(np.vstack([1e300 * X[:2], [[0.5, 1e300, 0.5]], [[-1e300, 1e300, 0]]]))
        assert (y.min() <= found).all()
        assert (found <= y.max()).all()
