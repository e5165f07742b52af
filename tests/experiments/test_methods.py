"""Every method fits and is scored; quantiles of rivals against brute force."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from freemetric.experiments import load_dataset
from freemetric.experiments.methods import (
    METHODS,
    PAPER_METHODS,
    SampledFolds,
    divided_by_width,
    make_estimator,
)
from freemetric.experiments.paper import PUBLISHED_NAMES
from freemetric.experiments.protocol import Split, split
from freemetric.experiments.quantiles import LeafQuantiles, WithResiduals
from freemetric.experiments.records import Job
from freemetric.experiments.runner import fitted_record
from freemetric.experiments.scores import INTERVALS, LEVELS

WALKS = ("dmlfe-paper", "dmlfe-identity", "dmlfe-small-steps", "dmlfe-algorithm-1")
QUICK = [name for name in METHODS["classification"] if name not in WALKS]


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True)
    return Split(X[:120], y[:120], X[120:160], y[120:160])


@pytest.fixture(scope="module")
def wines():
    return split(load_dataset("wine"), 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_every_classifier_has_a_record(name, wines):
    estimator = make_estimator(name, "classification", 0)
    record = fitted_record(Job("wine", name), estimator, wines)
    assert record.failure is None
    assert record.honest_error < (61 if name == "constant" else 20)
    assert record.shape == [89, 13, 3]
    with_k = record.honest_k is not None
    assert len(record.errors) == (40 if with_k else 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS["regression"])
def test_every_regressor_has_a_record(name, patients):
    estimator = make_estimator(name, "regression", 0)
    record = fitted_record(Job("diabetes", name), estimator, patients)
    assert record.failure is None
    if name == "constant":
        assert record.coverage is None
        return
    assert record.r2 > 0.2
    assert 0.5 < record.coverage[0] <= record.coverage[2] <= 1


def test_the_paper_and_its_methods():
    assert set(PAPER_METHODS) <= set(METHODS["classification"])
    assert set(PUBLISHED_NAMES) <= set(PAPER_METHODS)
    with pytest.raises(ValueError, match="Unknown method 'nnca' of classification"):
        make_estimator("nnca", "classification")


def test_seeds_and_devices_are_set():
    model = make_estimator("dmlfe", "classification", 7, "cuda")
    learner = model.learner.named_steps["metric"]
    assert (model.random_state, learner.random_state, learner.device) == (7, 7, "cuda")


def test_folds_of_a_sample():
    y = np.repeat([0, 1], [300, 100])
    folds = SampledFolds(True, 0, most=80)
    splits = list(folds.split(y, y))
    assert len(splits) == folds.get_n_splits()
    tested = np.concatenate([test for _, test in splits])
    assert len(tested) == len(set(tested)) == 80
    for train, test in splits:
        assert not set(train) & set(test)


def test_a_width_divided_is_a_kernel_divided(rng):
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    ours = SVR(gamma=0.3).fit(divided_by_width(X), y).predict(divided_by_width(X))
    np.testing.assert_allclose(ours, SVR(gamma=0.3 / 5).fit(X, y).predict(X))


@pytest.mark.parametrize(
    "forest",
    [
        ExtraTreesRegressor(15, random_state=0),
        RandomForestRegressor(15, min_samples_leaf=4, random_state=0),
    ],
)
def test_quantiles_of_a_forest_are_those_of_targets_in_the_same_leaves(
    forest, patients
):
    X, y = patients.X, patients.y
    model = LeafQuantiles(forest).fit(X, y)
    train, test = model.forest_.apply(X), model.forest_.apply(patients.X_test)
    found = model.predict_quantiles(patients.X_test, [0.2, 0.5, 0.9])
    order = np.argsort(y)
    for row in range(0, 40, 7):
        same = train == test[row]  # (rows, trees)
        below = (same / same.sum(axis=0)).mean(axis=1)[order].cumsum()
        places = [np.flatnonzero(below >= q - 1e-9)[0] for q in (0.2, 0.5, 0.9)]
        np.testing.assert_array_equal(found[row], y[order][places])


def test_residuals_are_those_of_the_chosen_parameters(patients):
    X, y = patients.X, 1000 * patients.y + 5
    search = GridSearchCV(SVR(), {"C": [0.1, 3e4]}, cv=SampledFolds(False, 0))
    model = WithResiduals(search, random_state=0).fit(X, y)
    chosen = model.estimator_.best_params_["C"]
    alone = SVR(C=chosen).fit(X, y)
    np.testing.assert_allclose(model.predict(X), alone.predict(X))
    assert 0.5 < model.errors_.std() / y.std() < 1.2  # on held-out samples
    low, high = model.predict_quantiles(X, [0.1, 0.9]).T
    np.testing.assert_allclose(high - low, (high - low)[0])


def test_residual_intervals_hold_as_many_as_they_say(rng):
    X = rng.normal(size=(2000, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=2000)
    search = GridSearchCV(LinearRegression(), {"fit_intercept": [True]})
    model = WithResiduals(search).fit(X[:1000], y[:1000])
    for share in INTERVALS:
        low, high = model.predict_interval(X[1000:], 1 - share).T
        inside = (low <= y[1000:]) & (y[1000:] <= high)
        assert inside.mean() == pytest.approx(share, abs=0.03)


@pytest.mark.slow
def test_a_method_does_as_the_pipeline_it_describes(patients):
    model = make_estimator("knn", "regression", 0)
    record = fitted_record(Job("diabetes", "knn"), clone(model), patients)
    model.fit(patients.X, patients.y)
    errors = patients.y_test - model.predict(patients.X_test)
    assert record.rmse == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-5)
    name = "regressor__kneighborsregressor__n_neighbors"
    assert record.parameters["n_neighbors"] == model.estimator_.best_params_[name]
    regressor = model.estimator_.best_estimator_.regressor_
    scaled = StandardScaler().fit(patients.X).transform(patients.X)
    np.testing.assert_allclose(regressor[0].transform(patients.X), scaled)
    assert np.all(np.diff(model.predict_quantiles(patients.X_test, LEVELS)) >= 0)
