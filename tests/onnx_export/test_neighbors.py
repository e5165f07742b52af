"""Neighbours vote in the runtime as they do in Python, in scikit-learn and by definition."""

import numpy as np
import onnxruntime
import pytest
import skl2onnx
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import LFDA, NCA, Euclidean, MetricKNeighborsClassifier
from freemetric.metrics import ClassEncoding, TrainingSet
from freemetric.onnx_export import register, to_onnx

from .runtime import about, answer, clear, votes

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


def plain(k):
    return MetricKNeighborsClassifier(Euclidean(), k)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("data", ["iris", "wine", "breast_cancer"])
def test_plain_neighbours(data, k, request):
    X, y = request.getfixturevalue(data)
    X, y, new = X[::2], y[::2], X[1::2]
    model, reference = plain(k).fit(X, y), KNeighborsClassifier(k).fit(X, y)
    label, probabilities = answer(to_onnx(model), new)
    sure = clear(new, X, k)
    assert sure.mean() > 0.8
    assert (label == model.predict(new))[sure].all()
    np.testing.assert_allclose(probabilities[sure], model.predict_proba(new)[sure], atol=1e-12)
    shares = reference.predict_proba(new)
    np.testing.assert_allclose(probabilities[sure], shares[sure], atol=2e-3)  # of which the nearest has one more
    decided = sure & (np.sort(shares)[:, -1] > np.sort(shares)[:, -2])
    assert decided.mean() > 0.7
    assert (label == reference.predict(new))[decided].all()


def test_learner_behind_a_scaler_with_texts_as_labels(wine):
    X, y = 1e3 * wine[0] + 7, np.array(["barbera", "barolo", "grignolino"])[wine[1]]
    model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA(tol=1e-3)), random_state=0)
    model.fit(X[::2], y[::2])
    made = to_onnx(model)
    label, probabilities = answer(made, X[1::2])
    assert about(made) == {"classes": ["barbera", "barolo", "grignolino"]}
    assert label.tolist() == model.predict(X[1::2]).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(X[1::2]), atol=1e-12)


def test_at_the_end_of_a_pipeline_with_names(iris):
    pandas = pytest.importorskip("pandas")
    X, y = pandas.DataFrame(iris[0], columns=["a b", "a_b", "c", "d"]), iris[1]
    model = make_pipeline(MinMaxScaler(), MetricKNeighborsClassifier(LFDA(2), 3)).fit(X[::2], y[::2])
    made = to_onnx(model)
    sure = clear(*(model[1].learner_.transform(model[0].transform(part)) for part in (X[1::2], X[::2])), 3)
    assert (answer(made, X[1::2].to_numpy())[0] == model.predict(X[1::2]))[sure].all()
    assert about(made) == {"classes": [0, 1, 2], "columns": ["a b", "a_b", "c", "d"]}


@pytest.mark.parametrize("labels", [[3, -7], ["no", "yes"], [False, True], [1.0, 2.0], ["größer", ""]])
def test_one_feature_and_labels_of_any_type(labels, rng):
    X = rng.random((40, 1))
    y = np.array(labels)[(X[:, 0] > 0.5).astype(int)]
    model = plain(4).fit(X, y)
    new = rng.random((30, 1))
    assert answer(to_onnx(model), new)[0].tolist() == model.predict(new).tolist()


def test_nearest_decides_between_equal_counts():
    X, y = np.array([[0.0], [3.0], [4.0], [6.0]]), np.array(["a", "b", "c", "d"])
    label, probabilities = answer(to_onnx(plain(2).fit(X, y)), [[1.0], [2.0], [3.6], [5.2], [9.0]])
    assert label.tolist() == ["a", "b", "c", "d", "d"]
    np.testing.assert_allclose(np.sort(probabilities)[:, -2:], [[1 / 2.001, 1.001 / 2.001]] * 5)
    label, _ = answer(to_onnx(plain(4).fit(X, y)), [[-1.0], [2.0], [5.2]])
    assert label.tolist() == ["a", "b", "d"]


def test_many_equal_distances(rng):
    """On a grid with copies nearly all distances are equal to others; then the first sample counts."""
    X, y = rng.integers(0, 4, (80, 3)).astype(float), rng.integers(0, 3, 80)
    new = rng.integers(0, 4, (60, 3)).astype(float)
    for k in (1, 2, 5):
        model = plain(k).fit(X, y)
        label, probabilities = answer(to_onnx(model), new)
        wanted = expected(model, new)
        np.testing.assert_allclose(probabilities, wanted, atol=1e-12)
        assert (label == wanted.argmax(axis=1)).all()


def expected(model, Q):
    """Shares of the votes for samples Q in the learned space, by definition; the nearest row has a little more."""
    training_set = model.training_set_
    Z = training_set.X[training_set.places.rows]
    counted = votes(Q, training_set.places, Z, model.n_neighbors_) + 1e-3 * votes(Q, training_set.places, Z, 1)
    return counted / counted.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_copies_of_rows_vote_as_in_python(k, rng):
    places = rng.random((24, 3))
    number = rng.choice(24, 300, p=(1 + np.arange(24)) / 300)
    y = (np.digitize(places[number, 0], [0.3, 0.6]) + (rng.random(300) < 0.3)) % 3
    model, new = MetricKNeighborsClassifier(Euclidean(), k).fit(places[number], y), rng.random((60, 3))
    assert len(model.training_set_.places.rows) == 24
    probabilities = answer(to_onnx(model), new)[1]
    np.testing.assert_allclose(probabilities, model.predict_proba(new), rtol=0, atol=1e-6)
    np.testing.assert_allclose(probabilities, expected(model, new), rtol=0, atol=1e-12)


def test_far_from_the_origin(rng):
    X = 1e9 + rng.random((50, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    model, new = plain(3).fit(X, y), 1e9 + rng.random((50, 2))
    sure = clear(new, X, 3)
    assert sure.sum() > 40
    assert (answer(to_onnx(model), new)[0] == model.predict(new))[sure].all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_python_refuses_has_no_probabilities(bad, iris):
    X = iris[0][:3].copy()
    X[1, 2] = bad
    _, probabilities = answer(to_onnx(plain(3).fit(*iris)), X)
    assert np.isnan(probabilities).all(axis=1).tolist() == [False, True, False]


def test_skl2onnx_itself_with_its_dictionaries(iris):
    model = plain(3).fit(iris[0], np.array(["a", "b", "c"])[iris[1]])
    register()
    X = iris[0].astype(np.float32)
    made = skl2onnx.to_onnx(model, X[:1])
    label, probabilities = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose([[row[c] for c in "abc"] for row in probabilities], model.predict_proba(X), atol=1e-6)


def test_weights_of_patterns(rng):
    X, y = rng.random((30, 2)), rng.integers(0, 2, 30)
    model, new = plain(3).fit(X, y), rng.random((40, 2))
    chosen = rng.permutation(30)[:20]
    model.training_set_ = TrainingSet(X[chosen], y[chosen], ClassEncoding(2), 0.1 + rng.random(20), chosen)
    probabilities = answer(to_onnx(model), new)[1]
    np.testing.assert_allclose(probabilities, expected(model, new), atol=1e-12)
    np.testing.assert_allclose(probabilities, model.predict_proba(new), atol=1e-6)
