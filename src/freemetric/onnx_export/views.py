"""Views and class densities as graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.preprocessing import QuantileTransformer

from ..metrics import Axes, View, Whitened
from ..metrics.trends import FARTHEST, Products
from ..metrics.views import Quantiles, Scaled, Steps
from .graph import Graph


def on_quantiles(graph: Graph, transformer: QuantileTransformer, X: str) -> str:
    """What a QuantileTransformer does for a uniform distribution.

    The mean of two interpolations, one from below and one from above: they differ where quantiles are equal. The
    lowest value and all below are 0, the highest and all above are 1; a constant is both, and becomes 0.
    """
    table, levels = transformer.quantiles_, transformer.references_
    upwards = _interpolated(graph, X, table, levels)
    downwards = _interpolated(graph, graph.Neg(X), -table[::-1], -levels[::-1])
    mean = graph.Mul(0.5, graph.Sub(upwards, downwards))
    mean = graph.Where(graph.GreaterOrEqual(X, table[-1]), 1.0, mean)
    return graph.Where(graph.LessOrEqual(X, table[0]), 0.0, mean)


def _interpolated(graph, X, table, levels):
    """``np.interp(X[:, f], table[:, f], levels)`` for every feature f, within the ends of its table."""
    n_rows, n_features = table.shape
    start = n_rows * np.arange(n_features)

    def cells(row):
        return graph.Gather(table.T.ravel(), graph.Add(row, start))

    # The last row that is not above X, by bisection: to compare all rows would take n_rows times the memory.
    row = graph.integers(graph.Less(X, X))  # zeros of its shape
    for power in reversed(range((n_rows - 1).bit_length())):
        trial = graph.Min(graph.Add(row, 2**power), n_rows - 1)
        row = graph.Where(graph.LessOrEqual(cells(trial), X), trial, row)
    above = graph.Min(graph.Add(row, 1), n_rows - 1)
    low, level = cells(row), graph.Gather(levels, row)
    width = graph.Sub(cells(above), low)
    width = graph.Where(graph.Greater(width, 0.0), width, 1.0)  # it is 0 in the last row alone, and so is the rise
    slope = graph.Div(graph.Sub(graph.Gather(levels, above), level), width)
    return graph.Add(graph.Mul(slope, graph.Sub(X, low)), level)


ViewGraph = Callable[[Graph, Any, str], str]


def _scaled(graph, view, X):
    return graph.Div(graph.Sub(X, view.low), view.span)


def _on_quantiles(graph, view, X):
    return on_quantiles(graph, view.transformer, X)


def _steps(graph, view, X):
    return graph.doubles(graph.Greater(graph.take(X, view.owner), view.threshold))


def _products(graph, view, X):
    V = graph.Clip(graph.Sub(graph.Div(graph.Sub(X, view.low), view.span), 0.5), -FARTHEST, FARTHEST)
    return graph.Mul(graph.take(V, view.first), graph.take(V, view.owner))


def _turned(graph, view, X):
    return graph.MatMul(graph.Sub(X, view.centre), view.matrix)


GRAPHS: dict[type[View], ViewGraph] = {
    Scaled: _scaled,
    Quantiles: _on_quantiles,
    Steps: _steps,
    Products: _products,
    Whitened: _turned,
    Axes: _turned,
}
"""Functions (graph, view, X) -> V by the class of the view."""


def register_view_graph(view_class: type[View], function: ViewGraph) -> None:
    """Say how a view is written as a graph, so that models with it can be exported.

    Parameters
    ----------
    view_class : subclass of View
        The view. Classes derived from it may see something else, and need functions of their own.
    function : callable
        Called as ``function(graph, view, X)``, with the fitted view and the name of the patterns in the graph. Returns
        the name of what the view makes of them. Operators of ONNX are methods of ``graph``: ``graph.Mul(X, 2.0)`` adds
        a node and returns the name of its output; arrays and numbers become constants, in double precision.

    Examples
    --------
    >>> from freemetric.metrics.views import Scaled
    >>> from freemetric.onnx_export import register_view_graph
    >>> class Squares(Scaled):
    ...     def __call__(self, X):
    ...         return super().__call__(X) ** 2
    >>> def squares(graph, view, X):
    ...     V = graph.Div(graph.Sub(X, view.low), view.span)
    ...     return graph.Mul(V, V)
    >>> register_view_graph(Squares, squares)
    """
    GRAPHS[view_class] = function


def view_graph(graph: Graph, view: View, X: str) -> str:
    """Patterns X as a view shows them; ValueError where no function is registered for it."""
    if type(view) not in GRAPHS:
        raise ValueError(f"the view {type(view).__name__} has no ONNX graph; register_view_graph adds one")
    return GRAPHS[type(view)](graph, view, X)
