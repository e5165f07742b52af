"""The page about numbers in a real browser: colours on a scale, predictions, intervals, and why this number."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from freemetric import FreeEnergyRegressor, Recipe
from freemetric.report import write

PHONE = {"width": 390, "height": 844}
PLOTS = ("space-0", "space-1", "motion", "predicted-plot", "residuals-plot", "intervals-plot", "importances-plot")


@pytest.fixture(scope="module")
def model():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    kinds = ["scaled/full", "steps/diagonal"]
    return FreeEnergyRegressor(6, recipe=Recipe(candidates=kinds), scale="log", random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def report(model, tmp_path_factory):
    return write(model, tmp_path_factory.mktemp("page") / "report.html")


@pytest.mark.slow
def test_figures_and_rows(visit, report, model):
    page = visit(report)
    for plot in PLOTS:
        assert page.evaluate("id => document.getElementById(id).querySelectorAll('.main-svg').length", plot) > 0, plot
    shades = page.evaluate("Array.from(document.getElementById('space-1').data[0].marker.color)")
    truth = load_diabetes().target[::2]
    np.testing.assert_allclose(shades, np.log10(truth), rtol=1e-5)
    scored = np.isfinite(model.oob_prediction_)
    drawn = page.evaluate("document.getElementById('predicted-plot').data.slice(1).flatMap(t => Array.from(t.y))")
    np.testing.assert_allclose(np.sort(drawn), np.sort(model.oob_prediction_[scored]), rtol=1e-5)
    page.fill("#search", "outside")
    assert "which misses it" in page.inner_text("#answer")
    page.fill("#search", "7")
    said = page.inner_text("#answer")
    assert f"Its target is {truth[7]:.0f}, predicted {model.oob_prediction_[7]:.4g}" in said
    assert "mean of the neighbours that vote" in said
    assert "class" not in page.inner_text("body")


@pytest.mark.slow
def test_a_phone(visit, report):
    page = visit(report, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
