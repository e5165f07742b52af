"""Means of the nearest neighbours in a learned space as a graph."""

import numpy as np

from ..learners import MetricKNeighborsRegressor
from ..metrics.places import shared_places
from .graph import Graph
from .neighbors import votes


def mean_of_neighbors(graph: Graph, model: MetricKNeighborsRegressor, Z: str) -> str:
    """Numbers (n, n_outputs) for patterns Z in the learned space; every row votes for one and for its numbers."""
    if model.weights != "uniform":
        raise ValueError(
            f"MetricKNeighborsRegressor(weights={model.weights!r}) has no graph; weights='uniform' has one"
        )
    numbers = model.numbers_.reshape(len(model.numbers_), -1)
    middle, unit = np.median(numbers, axis=0), np.ptp(numbers, axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    ballots = np.column_stack([np.ones(len(numbers)), (numbers - middle) / unit])
    places = shared_places(model.embedding_, ballots)
    rows = model.embedding_[places.rows]
    centre = np.median(rows, axis=0)  # as of classifiers: distances must not be small beside the lengths
    counted = graph.Squeeze(
        votes(graph, graph.Sub(Z, centre), rows - centre, places, [model.n_neighbors_]), np.array([1])
    )
    means = graph.Div(graph.take(counted, list(range(1, ballots.shape[1]))), graph.take(counted, [0]))
    return graph.Add(graph.Mul(means, unit), middle)
