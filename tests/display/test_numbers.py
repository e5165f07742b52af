"""What is drawn of numbers are the numbers themselves; nothing that was made for classes fails with them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import LogNorm
from sklearn.datasets import load_diabetes
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import MLKR, NCA, FreeEnergyRegressor, MetricKNeighborsRegressor, Recipe, TableRegressor
from freemetric.display import (
    EmbeddingDisplay,
    ImportancesDisplay,
    IntervalsDisplay,
    MetricDisplay,
    NeighborsCurveDisplay,
    PredictionDisplay,
    TraceDisplay,
)
from freemetric.ensemble.tasks.intervals import out_of_bag, out_of_bag_intervals


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module", params=["linear", "log"])
def model(diabetes, request):
    X, y = diabetes
    kinds = ["scaled/full", "steps/diagonal", "scaled/identity"]
    return FreeEnergyRegressor(6, recipe=Recipe(candidates=kinds), scale=request.param, random_state=0).fit(
        X[::2], y[::2]
    )


@pytest.fixture(scope="module")
def new(diabetes):
    X, y = diabetes
    return X[1::2], y[1::2]


def drawn(axis):
    return np.concatenate([some.get_offsets() for some in axis.collections if isinstance(some, PathCollection)])


def test_out_of_bag_is_what_fit_has_found(model, diabetes):
    y = diabetes[1].to_numpy()[::2]
    known = out_of_bag(model)
    np.testing.assert_allclose(known.truth, y[known.rows])
    assert (known.predicted == model.oob_prediction_[known.rows]).all()
    assert r2_score(known.truth, known.predicted) == pytest.approx(model.oob_score_)


def test_out_of_bag_intervals_hold_as_many_as_they_should(model, diabetes):
    """The errors that they are made of are those of the same rows, so the share is right but for a shortlist."""
    y = diabetes[1].to_numpy()[::2]
    for alpha in (0.1, 0.4):
        rows, intervals = out_of_bag_intervals(model, alpha)
        held = (intervals[:, 0] <= y[rows]) & (y[rows] <= intervals[:, 1])
        assert held.mean() == pytest.approx(1 - alpha, abs=0.03)


def test_predicted_against_true_and_residuals(model, new):
    X, y = new
    given = PredictionDisplay.from_estimator(model, X, y)
    np.testing.assert_allclose(drawn(given.ax_), np.column_stack([y, model.predict(X)]))
    assert f"R² {model.score(X, y):.3f}" in given.ax_.get_title(loc="left")
    known = out_of_bag(model)
    left = PredictionDisplay.from_estimator(model, kind="residuals")
    np.testing.assert_allclose(drawn(left.ax_), np.column_stack([known.predicted, known.truth - known.predicted]))
    assert left.ax_.get_title(loc="left").startswith("out of bag")


def test_any_regressor_and_pipelines(diabetes, new):
    X, y = diabetes
    forest = make_pipeline(StandardScaler(), RandomForestRegressor(3, random_state=0)).fit(X[::2], y[::2])
    display = PredictionDisplay.from_estimator(forest, *new)
    np.testing.assert_allclose(display.y_pred, forest.predict(new[0]))
    np.testing.assert_allclose(PredictionDisplay.from_predictions(new[1], display.y_pred).y_true, new[1])


def test_intervals_by_their_width(model, new):
    X, y = new
    display = IntervalsDisplay.from_estimator(model, X, y, alpha=0.3)
    low, high = model.predict_interval(X, 0.3).T
    assert display.coverage == pytest.approx(((low <= y) & (y <= high)).mean())
    points = drawn(display.ax_)
    order = np.argsort(high - low, kind="stable")
    middle = (y.to_numpy() - (low + high) / 2)[order]
    np.testing.assert_allclose(points[np.argsort(points[:, 0]), 1], middle)


def test_importances(model):
    display = ImportancesDisplay.from_estimator(model, most=4)
    order = np.argsort(-model.feature_importances_, kind="stable")[:4]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == model.feature_names_in_[order].tolist()
    np.testing.assert_allclose([bar.get_width() for bar in display.ax_.patches], model.feature_importances_[order])
    assert "R²" in display.ax_.get_xlabel()


def test_importances_of_the_columns_of_a_table(diabetes):
    X, y = diabetes
    table = X[["bmi", "s5"]].assign(town=np.where(X["sex"] > 0, "Ulm", "Bonn"))
    inside = FreeEnergyRegressor(4, recipe=Recipe(candidates=["scaled/full"]))
    model = TableRegressor(inside, random_state=0).fit(table[::2], y[::2])
    names = [text.get_text() for text in ImportancesDisplay.from_estimator(model).ax_.get_yticklabels()]
    assert sorted(names) == ["bmi", "s5", "town"]
    assert PredictionDisplay.from_estimator(model).whose == "out of bag"
    assert IntervalsDisplay.from_estimator(model, table[1::2], y[1::2]).coverage > 0.7


def test_colours_are_numbers(model, new):
    X, y = new
    display = EmbeddingDisplay.from_estimator(model, X, y, before=True)
    points = display.ax_[1].collections[0]
    assert (points.get_array() == y).all()
    assert isinstance(points.norm, LogNorm) == (model.scale_name_ == "log")
    truth = PCA(2).fit_transform(model.embed(X))
    np.testing.assert_allclose(np.abs(points.get_offsets()), np.abs(truth), atol=1e-8)
    assert len(display.figure_.axes) == 3  # the scale of colours is the third
    assert display.ax_[1].get_legend() is None
    EmbeddingDisplay.from_estimator(model, X, y, n_dims=3)
    with pytest.raises(ValueError, match=r"^class_names are for classes; these are targets of a regression\.$"):
        EmbeddingDisplay.from_estimator(model, X, y, class_names=["a"])


@pytest.mark.parametrize("learner", [MLKR(2, tol=1e-2), make_pipeline(StandardScaler(), MLKR(2, tol=1e-2))])
def test_frames_are_shown_without_a_warning(learner, diabetes):
    """A learner inside of k-NN has seen no names; what is shown has those of the frame."""
    X, y = diabetes
    model = MetricKNeighborsRegressor(learner, most_neighbors=4, n_folds=2, random_state=0).fit(X[:150], y[:150])
    points = EmbeddingDisplay.from_estimator(model, X[150:], y[150:]).ax_.collections[0]
    truth = PCA(2).fit_transform(model.learner_.transform(X[150:].to_numpy()))
    np.testing.assert_allclose(np.abs(points.get_offsets()), np.abs(truth), atol=1e-8)
    names = [text.get_text() for text in MetricDisplay.from_estimator(model, X=X).ax_.get_yticklabels()]
    assert set(names) <= set(X.columns)
    for display in (NeighborsCurveDisplay, PredictionDisplay):
        display.from_estimator(model, X[150:], y[150:])


def test_a_transformer_with_numbers_that_are_not_whole(iris):
    X, y = iris
    learner = NCA(1).fit(X, y)
    display = EmbeddingDisplay.from_estimator(learner, X, X[:, 2])
    np.testing.assert_allclose(drawn(display.ax_)[:, 1], X[:, 2])
    assert display.ax_.get_ylabel() == "target"
    assert EmbeddingDisplay.from_estimator(learner, X, y.astype(float)).ax_.get_ylabel() == "class"


def test_curves_are_squared_errors(model, new):
    X, y = new
    display = NeighborsCurveDisplay.from_estimator(model, X, y, most_neighbors=10)
    assert display.unit == "squared error in % of the variance"
    tried = model.selection_
    assert min(c.error.min() for c in display.candidates) == pytest.approx(tried["oob_squared"].min())
    assert (display.mixture_error is None) == (model.scale_name_ == "log")
    k, error = display.curves["test samples"]
    assert k.tolist() == list(range(1, 11))
    assert error[9] < error[0]
    assert display.candidates[0].label.count("/") == 1


def test_what_was_made_for_classes(model):
    assert TraceDisplay.from_estimator(model).ax_[0].get_ylabel() == "energy"
    MetricDisplay.from_estimator(model, weights=True).figure_.canvas.draw()


def test_one_clear_line(model, new, iris):
    X, y = new
    for display in (PredictionDisplay, IntervalsDisplay):
        with pytest.raises(ValueError, match=r"^Samples need both X and y\.$"):
            display.from_estimator(model, X)
    with pytest.raises(TypeError, match="This display needs X and y, or a FreeEnergyRegressor; NCA is none"):
        PredictionDisplay.from_estimator(NCA().fit(*iris))
    with pytest.raises(TypeError, match="needs a regressor with intervals"):
        IntervalsDisplay.from_estimator(NCA().fit(*iris))
    with pytest.raises(ValueError, match=r"^kind must be one of predicted, residuals; got 'qq'\.$"):
        PredictionDisplay.from_estimator(model, kind="qq")
    if model.scale_name_ == "log":
        with pytest.raises(ValueError, match="averages logarithms, of positive targets; the smallest of y is -"):
            NeighborsCurveDisplay.from_estimator(model, X, y - 100)
    _, axes = plt.subplots(1, 2)
    with pytest.raises(ValueError, match="needs 1 axes, got 2"):
        PredictionDisplay.from_estimator(model, ax=axes)
