"""Votes and means of nearest neighbours as graphs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..learners import MetricKNeighborsRegressor
from ..metrics.neighbor_votes import FARTHEST
from ..metrics.training_set import Places, equal_rows
from .graph import Graph


def votes(
    graph: Graph,
    Q: str,
    Z: str | NDArray,
    places: Places,
    ks: Sequence[int] | NDArray,
    by_distance: bool = False,
    candidates: str | None = None,
) -> str:
    """Votes (n, len(ks), C) of the k nearest rows to those of Q (n, p), for every k in ks; places lie at Z (M, p).

    Where there are candidates (n, S), only those of every row of Q vote. Of places that are equally far the first
    is the nearest: the first candidate, or the first of all. Votes count the same, or by the inverse of distances.
    """
    n_places = min(max(ks), len(places.rows))
    nearest = nearest_of(graph, Q, Z, n_places) if candidates is None else _among(graph, Q, Z, n_places, candidates)
    votes = graph.Gather(places.votes.astype(np.float64), nearest)
    needed = _needed(graph, nearest, places, np.asarray(ks))
    if by_distance:
        needed = graph.Mul(needed, graph.Unsqueeze(_nearness(graph, Q, Z, nearest), np.array([1])))
    return graph.MatMul(needed, votes)


def nearest_of(graph: Graph, Q: str, Z: str | NDArray, n: int) -> str:
    """Numbers (n_queries, n) of the rows of Z (M, p) nearest to those of Q (n_queries, p), nearest first."""
    return _least(graph, _distances(graph, Q, Z), n)


def _among(graph, Q, Z, n, candidates):
    """The same of the candidates (n_queries, S) of every query: all distances are one product, few are sorted."""
    of_candidates = graph.GatherElements(_distances(graph, Q, Z), candidates, axis=1)
    return graph.GatherElements(candidates, _least(graph, of_candidates, n), axis=1)


def _distances(graph, Q, Z):
    """|q - z|^2 (n_queries, M) without |q|^2, the same for all z."""
    lengths = graph.ReduceSumSquare(Z, np.array([1]), keepdims=0)
    return graph.Gemm(Q, Z, lengths, alpha=-2.0, transB=1)


def _least(graph, distances, n):
    """Columns (n_queries, n) of the least distances, in their order; the first of equals first."""
    return graph.TopK(distances, np.array([n]), axis=1, largest=0, sorted=1, n_outputs=2)[1]


def _nearness(graph, Q, Z, nearest):
    """Inverse distances (n_queries, n) from the nearest; where some are at none, one for these and nothing for others.

    Distances are those of differences: lengths, which are good enough to find neighbours, would blur the nearest.
    """
    apart = graph.Sub(graph.Unsqueeze(Q, np.array([1])), graph.Gather(Z, nearest))
    distances = graph.Sqrt(graph.ReduceSumSquare(apart, np.array([2]), keepdims=0))
    is_there = graph.doubles(graph.Equal(distances, 0.0))
    some_are = graph.Greater(graph.ReduceMax(is_there, np.array([1]), keepdims=1), 0.0)
    return graph.Where(some_are, is_there, graph.Reciprocal(distances))


def _needed(graph, nearest, places, ks):
    """Which part of the j-th nearest place votes among the k nearest rows, (n_queries or 1, len(ks), n_places).

    All of its rows where the places before it and its own have no more than k of them, some where they have more.
    """
    if places.are_single:
        most = min(ks.max(), len(places.rows))
        return (np.arange(most) < ks[:, None]).astype(np.float64)[None]
    counts = graph.Gather(places.counts.astype(np.float64), graph.Unsqueeze(nearest, np.array([1])))
    before = graph.CumSum(counts, 2, exclusive=1)
    return graph.Clip(graph.Div(graph.Sub(ks[:, None].astype(np.float64), before), counts), 0.0, 1.0)


def weighted(graph: Graph, weights: NDArray, votes: str) -> str:
    """Sum (n, C) of weights[k] * votes[:, k]."""
    return graph.Squeeze(graph.MatMul(weights[None], votes), np.array([1]))


def shares(graph: Graph, votes: str) -> str:
    """Votes as shares of their sum over the classes."""
    return graph.Div(votes, graph.total(votes, -1))


def mean_of_neighbors(graph: Graph, model: MetricKNeighborsRegressor, Z: str) -> str:
    """Targets (n, n_outputs) of samples Z in the learned space; every row votes for one and for its targets."""
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
