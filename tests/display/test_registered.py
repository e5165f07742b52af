"""Views and forms of users' own are drawn unasked."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.display import EmbeddingDisplay, MetricDisplay, NeighborsCurveDisplay, TraceDisplay
from freemetric.display.neighbors_curve import LINES, line_of
from freemetric.metrics import FORMS

from .toys import Doubled, Toy, known, toy_model


@pytest.fixture(scope="module")
def model(iris):
    with toy_model(*iris) as model:
        yield model


def test_the_metric_is_that_of_the_view(model, iris):
    display = MetricDisplay.from_estimator(model)
    assert display.ax_.get_title() == "averaged M, logarithms and roots\n(100 % of the votes)"
    view, (member,) = model.views_["toy"], model.members_
    u, v = np.array([1.0, 0, 1, 0])[view.owner], np.array([0.0, 0, 1, 1])[view.owner]
    far, near = member.spaces(view(iris[0])), member.spaces(np.array([u, v]))
    scaled = [np.sum((a - b) ** 2) / (2 * Z.var(axis=0, ddof=1).sum()) for Z, (a, b) in zip(far, near, strict=True)]
    difference = np.array([1, 0, 0, -1])
    np.testing.assert_allclose(difference @ display.matrix @ difference, np.mean(scaled))


def test_a_view_without_words_has_its_name(iris):
    class Silent(Toy):
        words = property()  # as where nobody has written any

    with known({"silent": Silent}):
        model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["silent/diagonal"]), random_state=0).fit(*iris)
        assert MetricDisplay.from_estimator(model).ax_.get_title().startswith("averaged M, silent\n")


def test_patterns_and_traces(model, iris):
    assert EmbeddingDisplay.from_estimator(model, *iris, before=True).embedding.shape == (150, 2)
    assert TraceDisplay.from_estimator(model).trace is model.trace_


def test_lines_differ_by_form(model):
    display = NeighborsCurveDisplay.from_estimator(model)
    line = display.ax_.lines[0]
    assert line.get_label().startswith("toy/twice, T = ")
    assert line.get_linestyle() == "-."
    assert [line_of(form) for form in FORMS] == list(LINES[: len(FORMS)])


def test_more_forms_than_lines(iris):
    with known(forms={f"form {i}": Doubled() for i in range(2 * len(LINES))}):
        kinds = ["scaled/form 9"]
        model = FreeEnergyClassifier(2, recipe=Recipe(candidates=kinds), random_state=0).fit(*iris)
        assert NeighborsCurveDisplay.from_estimator(model).candidates[0].form == "form 9"
    plt.close("all")
