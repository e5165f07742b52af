"""Every learner's map, alone and in a pipeline, is the same in Python and in the runtime."""

import numpy as np
import onnxruntime
import pytest
import skl2onnx
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from freemetric import (
    LEARNERS,
    LFDA,
    RCA,
    Euclidean,
    FreeEnergyClassifier,
    FreeEnergySelector,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricRetriever,
)
from freemetric.learners.base import MetricLearner
from freemetric.onnx_export import register, to_onnx

from .runtime import about, answer


@pytest.mark.parametrize("name", LEARNERS)
def test_map(name, iris):
    X, y = iris
    learner = LEARNERS[name]().fit(X[::5], y[::5])
    (Z,) = answer(to_onnx(learner), X)
    np.testing.assert_allclose(Z, X @ learner.components_.T, rtol=0, atol=1e-12)


def test_map_to_fewer_dimensions_with_names(wine):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(wine[0], columns=[f"mass (g) of {i}" for i in range(13)])
    learner = LFDA(2).fit(X, wine[1])
    made = to_onnx(learner)
    np.testing.assert_allclose(answer(made, X.to_numpy())[0], learner.transform(X), atol=1e-12)
    assert about(made) == {"columns": list(X.columns)}


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_pipeline_with_scikit_learns_neighbours(scaler, breast_cancer):
    X, y = breast_cancer
    model = make_pipeline(scaler, LFDA(3), KNeighborsClassifier(5)).fit(X[::2], y[::2])
    made = to_onnx(model)
    label, probabilities = answer(made, X[1::2])
    assert (label == model.predict(X[1::2])).all()
    np.testing.assert_allclose(probabilities, model.predict_proba(X[1::2]), atol=1e-12)
    assert about(made) == {"classes": [0, 1]}


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_search(search, iris):
    X, y = iris
    pipeline = make_pipeline(MinMaxScaler(), LFDA(), KNeighborsClassifier(3))
    options = {"n_iter": 2} if search is RandomizedSearchCV else {}
    found = search(pipeline, {"lfda__n_components": [1, 2]}, cv=2, **options).fit(X[::2], y[::2])
    assert (answer(to_onnx(found), X)[0] == found.predict(X)).all()


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "cosine", "linear"])
def test_kernels(kernel, iris):
    X, y = iris
    model = Kernelized(RCA(2), kernel, max_exact=0, n_landmarks=30, random_state=0).fit(X[::2], y[::2])
    (Z,) = answer(to_onnx(model), X)
    np.testing.assert_allclose(Z, model.transform(X), rtol=0, atol=1e-7)


def test_kernels_in_classifiers_given_as_numbers_and_of_ones_own(iris):
    X, y = iris
    model = MetricKNeighborsClassifier(Kernelized(RCA(2)), 3).fit(X[::2], y[::2])
    assert (answer(to_onnx(model), X)[0] == model.predict(X)).all()
    given = Kernelized(RCA(2), "precomputed").fit(X @ X.T, y)
    np.testing.assert_allclose(answer(to_onnx(given), X @ X.T)[0], given.transform(X @ X.T), atol=1e-9)
    with pytest.raises(ValueError, match=r"^Kernelized cannot be exported: a kernel of one's own has no ONNX graph"):
        to_onnx(Kernelized(RCA(2), lambda U, V: U @ V.T).fit(X, y))


def test_selected_features(wine):
    X, y = wine
    selector = FreeEnergySelector(n_features_to_select=4, n_replicas=1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(answer(to_onnx(selector), X)[0], X[:, selector.get_support()])
    model = make_pipeline(selector, LFDA(2), KNeighborsClassifier(3)).fit(X, y)
    assert (answer(to_onnx(model), X)[0] == model.predict(X)).all()


@pytest.mark.parametrize("learner", ["auto", "cosine", None, make_pipeline(MinMaxScaler(), RCA(2))])
def test_vectors_of_a_retriever(learner, wine):
    X, y = wine
    model = MetricRetriever(learner, random_state=0).fit(X, y)
    (Z,) = answer(to_onnx(model), X)
    np.testing.assert_allclose(Z, model.transform(X), rtol=1e-9, atol=1e-9)


def test_a_retriever_by_an_ensemble_has_no_graph(wine):
    model = MetricRetriever(FreeEnergyClassifier(4, random_state=0)).fit(*wine)
    with pytest.raises(ValueError, match="MetricRetriever cannot be exported: the learned space of an ensemble has no"):
        to_onnx(model)


class Twice(MetricLearner):
    def _learn(self, X, y):
        return 2 * np.eye(X.shape[1])


def test_learner_of_ones_own(iris):
    np.testing.assert_array_equal(answer(to_onnx(Twice().fit(*iris)), iris[0])[0], 2 * iris[0])


def test_skl2onnx_itself_in_single_precision(iris):
    X, y = iris
    register()
    X32 = X.astype(np.float32)
    pipeline = make_pipeline(StandardScaler(), Euclidean()).fit(X, y)
    made = skl2onnx.to_onnx(pipeline, X32[:1])
    (Z,) = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"X": X32})
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, pipeline.transform(X), atol=1e-5)
