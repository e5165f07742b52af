import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from freemetric import LFDA
from freemetric.plotting import (
    ConfusionDisplay,
    EmbeddingDisplay,
    PredictionDisplay,
    ReliabilityDisplay,
)
from freemetric.plotting.predictions import predictions_of

from .models import Classifier, Regressor

NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture
def flowers(iris):
    return iris[0], NAMES[iris[1]]


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_training_samples_are_predicted_out_of_bag(flowers, in_pipeline):
    X, y = flowers
    model = Classifier()
    model = make_pipeline(MinMaxScaler(), model) if in_pipeline else model
    model.fit(X, y)
    assert model.score(X, y) == 1  # every sample finds itself
    inner = model[-1] if in_pipeline else model
    expected = inner.classes_[inner.oob_decision_function_.argmax(axis=1)]
    for given in ((X, y), (None, y), (None, None)):
        found = predictions_of(model, *given)
        np.testing.assert_array_equal(found.predicted, expected)
        np.testing.assert_array_equal(found.truth, y)
        assert "out of bag" in found.source
    assert (expected != y).any()


def test_new_samples_are_predicted_and_those_of_the_fit_out_of_bag(flowers):
    X, y = flowers
    model = Classifier().fit(X[::2], y[::2])
    found = predictions_of(model, X, y)
    expected = model.predict(X)
    oob = model.classes_[model.oob_decision_function_.argmax(axis=1)]
    expected[::2] = oob
    np.testing.assert_array_equal(found.predicted, expected)
    assert found.source.startswith("75 of them are training samples")
    assert "none" in predictions_of(model, X[1:40:2], y[1:40:2]).source


def test_samples_that_are_never_out_of_bag_are_left_out(flowers):
    X, y = flowers
    model = Classifier().fit(X, y)
    model.oob[:10] = np.nan
    found = predictions_of(model)
    np.testing.assert_array_equal(found.rows, np.arange(10, 150))


def test_the_truth_is_needed(iris):
    with pytest.raises(ValueError, match="give y"):
        predictions_of(Regressor().fit(*iris), iris[0])
    with pytest.raises(TypeError, match="an ensemble; LFDA is none"):
        predictions_of(LFDA().fit(*iris))


def test_confusion_of_texts(flowers):
    X, y = flowers
    model = make_pipeline(LFDA(), LinearSVC()).fit(X, y)
    display = ConfusionDisplay.from_estimator(model, X, y)
    expected = confusion_matrix(y, model.predict(X))
    np.testing.assert_array_equal(display.confusion_matrix, expected)
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == NAMES.tolist()


def test_reliability_is_the_calibration_curve_of_two_classes(rng):
    p = rng.uniform(0.5, 1, 1000)
    y = np.where(rng.uniform(size=1000) < p, "yes", "no")
    P = np.column_stack([1 - p, p])
    display = ReliabilityDisplay.from_predictions(y, P, n_bins=5)
    options = {"n_bins": 5, "strategy": "quantile", "pos_label": "yes"}
    share, mean = calibration_curve(y, p, **options)
    np.testing.assert_allclose(display.accuracy, share)
    np.testing.assert_allclose(display.probability, mean)
    np.testing.assert_allclose(display.expected_error, np.abs(share - mean).mean())


def test_reliability_names_a_wrong_shape():
    with pytest.raises(ValueError, match="a column for each of 2 classes"):
        ReliabilityDisplay.from_predictions(["a", "b"], np.ones((2, 3)))


def test_intervals_of_new_samples(rng):
    X = rng.normal(size=(100, 2))
    y = 30 * X[:, 0]
    model = Regressor().fit(X[:50], y[:50])
    display = PredictionDisplay.from_estimator(model, X, y, alpha=0.2)
    assert np.isnan(display.intervals[:50]).all()
    np.testing.assert_allclose(display.y_pred[:50], model.oob_prediction_)
    np.testing.assert_allclose(np.ptp(display.intervals[50:], axis=1), 16)
    held = np.abs(y - display.y_pred)[50:] <= 8
    np.testing.assert_array_equal(display.held[50:], held)
    assert f"{held.mean():.0%} of 80% intervals" in display.ax_.get_title()


def test_out_of_bag_targets_have_no_intervals(rng):
    X = rng.normal(size=(50, 2))
    model = Regressor().fit(X, X[:, 0])
    assert PredictionDisplay.from_estimator(model, X, X[:, 0]).intervals is None
    display = PredictionDisplay.from_estimator(model)
    assert display.held.all()
    np.testing.assert_array_equal(display.y_true, X[:, 0])


def test_targets_that_are_texts(rng):
    X = rng.normal(size=(50, 2))
    y = X[:, 0].round(2)
    texts = [f"{number:.2f}".replace(".", ",") for number in y]
    model = Regressor().fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, texts)
    np.testing.assert_array_equal(display.y_true, y)
    display = PredictionDisplay.from_predictions(texts, y)
    np.testing.assert_array_equal(display.y_true, y)
    np.testing.assert_array_equal(EmbeddingDisplay.of(model, X, texts).y, y)


def test_the_display_for_the_other_task_is_named(flowers, rng):
    X, y = flowers
    with pytest.raises(TypeError, match="ConfusionDisplay is"):
        PredictionDisplay.from_estimator(Classifier().fit(X, y), X, y)
    numbers = Regressor().fit(X, X[:, 0])
    for display in (ConfusionDisplay, ReliabilityDisplay):
        with pytest.raises(TypeError, match="PredictionDisplay is"):
            display.from_estimator(numbers, X, X[:, 0])
