"""Features on their quantiles, as scikit-learn's QuantileTransformer has them."""

import numpy as np
from sklearn.preprocessing import QuantileTransformer

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
