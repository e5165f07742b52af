"""Means of the nearest neighbours in a learned space as a graph."""

import numpy as np
from numpy.typing import NDArray

from ..learners import MetricKNeighborsRegressor
from ..metrics.neighbor_votes import FARTHEST
from ..metrics.training_set import Places, equal_rows
from .graph import Graph
from .neighbors import votes


def mean_of_neighbors(graph: Graph, model: MetricKNeighborsRegressor, Z: str) -> str:
    """Numbers (n, n_outputs) for patterns Z in the learned space; every row votes for one and for its numbers."""
    numbers = model.numbers_.reshape(len(model.numbers_), -1)
    middle, unit = np.median(numbers, axis=0), np.ptp(numbers, axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    values = np.column_stack([np.ones(len(numbers)), (numbers - middle) / unit])
    places = _places(model.embedding_, values)
    rows = model.embedding_[places.rows]
    centre = np.median(rows, axis=0)  # as of classifiers: distances must not be small beside the lengths
    farthest = FARTHEST * float(np.abs(model.embedding_).max(initial=0))
    Q, by_distance = graph.Sub(graph.Clip(Z, -farthest, farthest), centre), model.weights == "distance"
    counted = graph.Squeeze(votes(graph, Q, rows - centre, places, [model.n_neighbors_], by_distance), np.array([1]))
    means = graph.Div(graph.take(counted, list(range(1, values.shape[1]))), graph.take(counted, [0]))
    return graph.Add(graph.Mul(means, unit), middle)


def _places(Z: NDArray, votes: NDArray) -> Places:
    """Where rows Z lie and what they vote for, in double precision: as exact as the predictions of Python."""
    first, of_row = equal_rows(Z)
    total = np.zeros((len(first), votes.shape[1]))
    np.add.at(total, of_row, votes)
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), total)  # type: ignore[arg-type]
