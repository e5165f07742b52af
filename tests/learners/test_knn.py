"""k-NN in a learned space against scikit-learn's, and k against a search by folds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import (
    LDA,
    NCA,
    RCA,
    Euclidean,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
)


@pytest.mark.parametrize("learner", [RCA(), make_pipeline(MinMaxScaler(), LDA(2))])
def test_it_is_k_nn_of_the_learned_space(learner, wine):
    X, y = wine[0][::2], np.array(["a", "b", "c"])[wine[1][::2]]
    model = MetricKNeighborsClassifier(learner, 5).fit(X, y)
    pipeline = make_pipeline(clone(learner), KNeighborsClassifier(5)).fit(X, y)
    new = wine[0][1::2]
    np.testing.assert_array_equal(model.predict(new), pipeline.predict(new))
    np.testing.assert_allclose(model.predict_proba(new), pipeline.predict_proba(new))
    distances, _ = model.kneighbors(new, 3)
    Z = pipeline[:-1].transform(X)
    gaps = np.linalg.norm(pipeline[:-1].transform(new)[:, None] - Z, axis=2)
    np.testing.assert_allclose(distances, np.sort(gaps, axis=1)[:, :3])
    assert model.n_neighbors_ == 5
    assert model.selection_ is None


def test_k_of_classes_is_chosen_on_folds_that_refit_the_metric(wine):
    X, y = wine
    model = MetricKNeighborsClassifier(LDA(), most_neighbors=12, random_state=3)
    model.fit(X, y)
    errors = np.zeros(12)
    for train, held_out in StratifiedKFold(5, shuffle=True, random_state=3).split(X, y):
        space = LDA().fit(X[train], y[train])
        for k in range(1, 13):
            search = KNeighborsClassifier(k).fit(space.transform(X[train]), y[train])
            wrong = search.predict(space.transform(X[held_out])) != y[held_out]
            errors[k - 1] += wrong.sum()
    np.testing.assert_allclose(model.selection_["error"], errors / len(y))
    assert model.n_neighbors_ == errors.argmin() + 1


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_k_of_targets_is_chosen_on_folds(weights):
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, 10 * X[:, 2]])
    options = {"weights": weights, "most_neighbors": 9, "n_folds": 3, "random_state": 0}
    model = MetricKNeighborsRegressor(Euclidean(), **options).fit(X, Y)
    errors = np.zeros(9)
    for train, held_out in KFold(3, shuffle=True, random_state=0).split(X):
        for k in range(1, 10):
            search = KNeighborsRegressor(k, weights=weights).fit(X[train], Y[train])
            off = (search.predict(X[held_out]) - Y[held_out]) / Y.std(axis=0)
            errors[k - 1] += (off**2).mean(axis=1).sum()
    np.testing.assert_allclose(model.selection_["error"], errors / len(y))
    best = KNeighborsRegressor(model.n_neighbors_, weights=weights).fit(X, Y)
    np.testing.assert_allclose(model.predict(X[:9]), best.predict(X[:9]))


def test_unlabelled_rows_are_no_neighbours(iris):
    X, y = iris
    some = np.where(np.arange(150) % 2, -1, y)
    model = MetricKNeighborsClassifier(Euclidean(), 1).fit(X, some)
    assert set(model.predict(X)) == {0, 1, 2}
    alone = MetricKNeighborsClassifier(Euclidean(), 1).fit(X[some >= 0], y[some >= 0])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_an_interrupted_fit_leaves_the_model(iris, wine, monkeypatch):
    model = MetricKNeighborsClassifier(NCA(max_iter=5, tol=1), 3).fit(*iris)
    before = model.predict(iris[0])

    def interrupted(self, X, y, weights=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(NCA, "_learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*wine)
    np.testing.assert_array_equal(model.predict(iris[0]), before)
