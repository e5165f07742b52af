"""The views of a free-energy classifier as graphs."""

from ..learners.free_energy.views import Quantiles, Scaled, Steps
from .quantiles import on_quantiles


def scaled(graph, view, X):
    return graph.Div(graph.Sub(X, view.low), view.span)


def quantiles(graph, view, X):
    return on_quantiles(graph, view.transformer, X)


def steps(graph, view, X):
    return graph.doubles(graph.Greater(graph.take(X, view.owner), view.threshold))


GRAPHS = {Scaled: scaled, Quantiles: quantiles, Steps: steps}
"""Functions (graph, view, X) -> V by the class of the view."""
