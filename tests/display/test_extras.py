"""matplotlib is asked for when something is drawn, not before."""

import importlib
import sys

import numpy as np
import pytest

import freemetric.display


class Missing:
    """Finds no matplotlib, as where it is not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "matplotlib":
            raise ModuleNotFoundError(name=name)


def test_one_line_where_it_is_missing(nca, iris, classifier, monkeypatch):
    monkeypatch.setattr(freemetric, "display", freemetric.display)  # and back to this one afterwards
    for name in list(sys.modules):
        if name.startswith(("matplotlib", "freemetric.display")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    display = importlib.import_module("freemetric.display")
    for draw in (
        lambda: display.EmbeddingDisplay.from_estimator(nca, *iris),
        lambda: display.MetricDisplay.from_estimator(nca),
        lambda: display.TraceDisplay.from_estimator(classifier),
        lambda: display.NeighborsCurveDisplay.from_estimator(classifier),
        lambda: display.ComparisonDisplay.from_errors(np.eye(3)),
    ):
        with pytest.raises(ImportError, match=r"^This needs matplotlib: pip install 'freemetric\[display\]'\.$"):
            draw()
