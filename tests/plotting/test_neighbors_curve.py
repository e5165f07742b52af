import numpy as np
import pytest

from freemetric import LFDA, MetricKNeighborsClassifier
from freemetric.plotting import NeighborsCurveDisplay

from .models import Classifier


def test_candidates_stand_in_the_order_of_their_weights(iris):
    display = NeighborsCurveDisplay.from_estimator(Classifier().fit(*iris))
    first, second = display.curves
    assert (first.name, second.name) == ("quantiles/identity", "scaled/full")
    assert first.loss.tolist() == [0.3, 0.2, 0.25]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["quantiles/identity: 90%", "scaled/full: 10%"]
    assert display.ax_.get_ylabel() == "out-of-bag loss"


def test_candidates_with_other_bags_are_others(iris):
    model = Classifier().fit(*iris)
    model.selection_["view"][:] = "scaled"
    model.selection_["form"][:] = "full"
    model.selection_["bag_size"] = np.repeat([20, 60], 3)
    names = [curve.name for curve in NeighborsCurveDisplay.from_estimator(model).curves]
    assert names == ["scaled/full, bags of 60", "scaled/full, bags of 20"]


def test_the_chosen_number_is_marked(iris):
    model = MetricKNeighborsClassifier(LFDA(), random_state=0).fit(*iris)
    (curve,) = NeighborsCurveDisplay.from_estimator(model).curves
    assert curve.n_neighbors[curve.weight.argmax()] == model.n_neighbors_
    assert curve.weight.sum() == 1
    np.testing.assert_array_equal(curve.loss, model.selection_["error"])


def test_a_model_without_a_choice_is_named(iris):
    with pytest.raises(TypeError, match="chose its number of neighbours; LFDA is none"):
        NeighborsCurveDisplay.from_estimator(LFDA().fit(*iris))
