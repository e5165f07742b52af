"""Fitted searches of scikit-learn come back with their results, and hold nothing that is run."""

import io
from collections import OrderedDict

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import freemetric
from freemetric import LFDA, RCA, Euclidean, MetricKNeighborsClassifier, MetricKNeighborsRegressor, TableClassifier
from freemetric.files import ModelFileError, load, save
from freemetric.files.registry import BY_CLASS
from freemetric.sklearn_compat import HALVING

X = np.random.default_rng(0).random((60, 3))
y = X[:, 0] > 0.5
KNN = MetricKNeighborsClassifier(LFDA(), 3)
FEW = {"n_neighbors": [1, 3, 5]}
SEARCHES = {
    "grid": GridSearchCV(KNN, {**FEW, "learner": [LFDA(), RCA()]}, cv=3, return_train_score=True),
    "several grids": GridSearchCV(KNN, [FEW, {"learner": [RCA(1)]}], cv=StratifiedKFold(3)),
    "several scores": GridSearchCV(KNN, FEW, scoring=["accuracy", "f1"], refit="f1", cv=3),
    "scores by name": GridSearchCV(KNN, FEW, scoring={"right": "accuracy"}, refit="right", cv=3),
    "pipeline": GridSearchCV(
        make_pipeline(StandardScaler(), KNN), {"metrickneighborsclassifier__n_neighbors": [1, 3]}, cv=3
    ),
    "random": RandomizedSearchCV(KNN, {"n_neighbors": stats.randint(1, 9)}, n_iter=3, random_state=0, cv=3),
    "random numbers": RandomizedSearchCV(
        MetricKNeighborsClassifier(LFDA()),
        {"learner__n_components": [1, 2], "n_neighbors": stats.randint(low=1, high=9)},
        n_iter=2,
        random_state=np.random.RandomState(1),
        scoring="neg_log_loss",
    ),
    "halving": HALVING[0](KNN, FEW, cv=3, random_state=0),
    "random halving": HALVING[1](KNN, {"n_neighbors": list(range(1, 9))}, cv=3, random_state=0),
    "numbers": GridSearchCV(
        MetricKNeighborsRegressor(Euclidean(), 3), {"n_neighbors": [1, 3]}, cv=KFold(3, shuffle=True, random_state=0)
    ),
    "table": GridSearchCV(TableClassifier(KNN), {"classifier__n_neighbors": [1, 3]}, cv=3),
}
pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


def through_file(model):
    held = io.BytesIO()
    save(model, held)
    held.seek(0)
    return load(held)


@pytest.fixture(scope="module")
def fitted_grid():
    return clone(SEARCHES["grid"]).fit(X, y)


@pytest.mark.parametrize("name", [name for name in SEARCHES if name != "numbers"])
def test_a_search_comes_back(name):
    search = SEARCHES[name].fit(X, y)
    loaded = through_file(search)
    assert type(loaded) is type(search)
    np.testing.assert_array_equal(loaded.predict(X), search.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), search.predict_proba(X))
    assert loaded.score(X, y) == search.score(X, y)
    assert loaded.best_score_ == search.best_score_
    assert str(loaded.best_params_) == str(search.best_params_)
    assert loaded.n_splits_ == search.n_splits_
    assert list(loaded.cv_results_) == list(search.cv_results_)
    for key, column in search.cv_results_.items():
        assert type(loaded.cv_results_[key]) is type(column)
        assert str(loaded.cv_results_[key]) == str(column), key
    again = loaded.fit(X, y)  # the parameters are there, too
    assert str(again.best_params_) == str(search.best_params_) or name.startswith("random numbers")


def test_within_a_pipeline():
    model = make_pipeline(StandardScaler(), SEARCHES["grid"]).fit(X, y)
    np.testing.assert_array_equal(through_file(model).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"scoring": lambda model, X, y: 1.0}, "its parameter `scoring` is a function, '<lambda>'"),
        ({"scoring": make_scorer(mean_absolute_error)}, "its parameter `scoring` is of the class sklearn"),
        ({"refit": lambda results: 0}, "its parameter `refit` is a function"),
        ({"estimator": DecisionTreeClassifier(), "param_grid": {"max_depth": [1]}}, "DecisionTreeClassifier, which"),
    ],
)
def test_what_cannot_be_saved(change, what):
    search = GridSearchCV(**{"estimator": KNN, "param_grid": FEW, "cv": 3, **change}).fit(X, y)
    with pytest.raises(ModelFileError, match=what):
        save(search, io.BytesIO())


def test_unknown_distributions_are_refused():
    search = RandomizedSearchCV(KNN, {"n_neighbors": stats.skellam(5, 1, loc=3)}, n_iter=2, random_state=0, cv=3)
    with pytest.raises(ModelFileError, match="a distribution that is not known"):
        save(search.fit(X, y), io.BytesIO())


@pytest.mark.parametrize(
    "change",
    [
        {"scoring": "no such score"},
        {"scoring": [LFDA()]},
        {"estimator": 1},
        {"best_estimator_": LFDA()},  # not fitted
        {"best_estimator_": "x"},
        {"best_index_": 99},
        {"best_params_": OrderedDict()},
        {"cv_results_": []},
        {"cv_results_": {"params": [{}], "mean_test_score": np.zeros(2)}},
        {"cv_results_": {"params": [1]}},
        {"predict": 1},
        {"_run_search": 1},
        {"anything_": 1},
    ],
)
def test_altered_states_are_refused(change, fitted_grid):
    entry = BY_CLASS[GridSearchCV]
    state = {**entry.to_state(fitted_grid), **change}
    with pytest.raises((ValueError, TypeError)):
        entry.rebuilt(state)


def test_the_machine_decides_about_threads():
    search = GridSearchCV(KNN, FEW, cv=3, n_jobs=1, pre_dispatch="3*n_jobs").fit(X, y)
    loaded = through_file(search)
    assert (loaded.n_jobs, loaded.pre_dispatch) == (None, "2*n_jobs")


def test_numbers():
    search = SEARCHES["numbers"].fit(X, X[:, 1])
    assert through_file(search).score(X, X[:, 1]) == search.score(X, X[:, 1])
    assert freemetric.save is save
