"""Means of the nearest neighbours in a learned space as a graph."""

import numpy as np
from numpy.typing import NDArray

from ..learners import MetricKNeighborsRegressor
from ..metrics.neighbor_votes import FARTHEST
from ..metrics.training_set import Places, shared_places
from .graph import Graph
from .neighbors import votes


def mean_of_neighbors(graph: Graph, model: MetricKNeighborsRegressor, Z: str) -> str:
    """Numbers (n, n_outputs) for patterns Z in the learned space; every row votes for one and for its numbers."""
    numbers = model.numbers_.reshape(len(model.numbers_), -1)
    middle, unit = np.median(numbers, axis=0), np.ptp(numbers, axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    ballots = np.column_stack([np.ones(len(numbers)), (numbers - middle) / unit])
    places = _exactly(shared_places(model.embedding_, ballots), ballots)
    rows = model.embedding_[places.rows]
    centre = np.median(rows, axis=0)  # as of classifiers: distances must not be small beside the lengths
    farthest = FARTHEST * float(np.abs(model.embedding_).max(initial=0))
    Q, by_distance = graph.Sub(graph.Clip(Z, -farthest, farthest), centre), model.weights == "distance"
    counted = graph.Squeeze(votes(graph, Q, rows - centre, places, [model.n_neighbors_], by_distance), np.array([1]))
    means = graph.Div(graph.take(counted, list(range(1, ballots.shape[1]))), graph.take(counted, [0]))
    return graph.Add(graph.Mul(means, unit), middle)


def _exactly(places: Places, votes: NDArray) -> Places:
    """Votes are counted in single precision; numbers are to be as exact as those of Python."""
    ballots: NDArray = np.zeros((len(places.rows), votes.shape[1]))
    np.add.at(ballots, places.of_row, votes)
    return places._replace(ballots=ballots)
