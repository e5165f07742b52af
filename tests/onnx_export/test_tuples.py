"""Classifiers of tuples, and metric-learn's names, say the same in the runtime; truth is numpy's, from the maps."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from freemetric import (
    ITML,
    LSML,
    MMC,
    RCA,
    SCML,
    Kernelized,
    PairClassifier,
    QuadrupletClassifier,
    TripletClassifier,
    metric_learn,
)
from freemetric.onnx_export import to_onnx

from .runtime import about, answer, session


def asked(made, tuples):
    """All outputs for tuples (n, t, d)."""
    return session(made).run(None, {f"X{i + 1}": tuples[:, i] for i in range(tuples.shape[1])})


def distance(A, tuples, i, j):
    return np.linalg.norm(tuples[:, i] @ A.T - tuples[:, j] @ A.T, axis=1)


@pytest.fixture
def tuples(wine):
    X, y = wine
    X = MinMaxScaler().fit_transform(X)
    drawn = np.random.default_rng(0).integers(len(X), size=(400, 4))
    return X, y, drawn


def pairs_of(tuples):
    X, y, drawn = tuples
    return X[drawn[:, :2]], np.where(y[drawn[:, 0]] == y[drawn[:, 1]], 1, -1)


@pytest.mark.parametrize(
    "model", [PairClassifier(ITML(random_state=0)), metric_learn.MMC(), metric_learn.ITML()], ids=repr
)
def test_pairs(model, tuples):
    pairs, alike = pairs_of(tuples)
    model.fit(pairs[:200], alike[:200])
    made = to_onnx(model)
    decision, label = asked(made, pairs)
    A = getattr(model, "learner_", model).components_
    np.testing.assert_allclose(decision, -distance(A, pairs, 0, 1), atol=1e-12)
    clear = np.abs(decision + model.threshold_) > 1e-9
    np.testing.assert_array_equal(label[clear], np.where(distance(A, pairs, 0, 1) <= model.threshold_, 1, -1)[clear])
    np.testing.assert_array_equal(label[clear], model.predict(pairs)[clear])
    assert about(made) == {"classes": [-1, 1]}


@pytest.mark.parametrize(
    ("model", "points", "near", "far"),
    [
        (TripletClassifier(SCML(random_state=0)), 3, (0, 1), (0, 2)),
        (QuadrupletClassifier(LSML()), 4, (0, 1), (2, 3)),
        (metric_learn.SCML(n_basis=100, random_state=0), 3, (0, 1), (0, 2)),
        (metric_learn.LSML(), 4, (0, 1), (2, 3)),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_comparisons(model, points, near, far, tuples):
    X, _, drawn = tuples
    given = X[drawn[:, :points]]
    model.fit(given[:200])
    decision, label = asked(to_onnx(model), given)
    A = getattr(model, "learner_", model).components_
    np.testing.assert_allclose(decision, distance(A, given, *far) - distance(A, given, *near), atol=1e-12)
    clear = np.abs(decision) > 1e-9
    np.testing.assert_array_equal(label[clear], model.predict(given)[clear])
    assert set(label) == {-1, 1}


def test_without_a_threshold_there_is_no_label(tuples):
    pairs, alike = pairs_of(tuples)
    made = to_onnx(PairClassifier(MMC()).fit(pairs, alike, calibrate=None))
    assert [output.name for output in made.graph.output] == ["decision"]


@pytest.mark.parametrize(
    "learner", [make_pipeline(StandardScaler(), MMC(2)), Kernelized(MMC(), "rbf")], ids=["pipeline", "kernel"]
)
def test_learners_inside_that_are_no_matrix(learner, tuples):
    pairs, alike = pairs_of(tuples)
    model = PairClassifier(learner).fit(pairs, alike)
    decision, _ = asked(to_onnx(model), pairs)
    np.testing.assert_allclose(decision, model.decision_function(pairs), atol=1e-8)


@pytest.mark.parametrize("name", ["Covariance", "LFDA", "NCA", "MMC_Supervised", "LSML_Supervised", "RCA"])
def test_transformers_of_metric_learn(name, iris):
    X, y = iris
    learner = getattr(metric_learn, name)().fit(X[::2], y[::2])
    (Z,) = answer(to_onnx(learner), X)
    np.testing.assert_allclose(Z, X @ learner.components_.T, atol=1e-12)
    model = make_pipeline(StandardScaler(), getattr(metric_learn, name)(), KNeighborsClassifier(3)).fit(X[::2], y[::2])
    label, _ = answer(to_onnx(model), X[1::2])
    np.testing.assert_array_equal(label, model.predict(X[1::2]))


def test_two_of_one_name(iris):
    X, y = iris
    ours, theirs = RCA(2).fit(X, y), metric_learn.RCA(3).fit(X, y)
    for learner in (ours, theirs):
        np.testing.assert_allclose(answer(to_onnx(learner), X)[0], X @ learner.components_.T, atol=1e-12)
