"""Votes and means of nearest neighbours as graphs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..learners import MetricKNeighborsRegressor
from ..metrics.neighbor_votes import FARTHEST
from ..metrics.training_set import Places, equal_rows
from .graph import GraphBuilder


def votes(
    graph: GraphBuilder,
    Q: str,
    Z: str | NDArray,
    places: Places,
    ks: Sequence[int] | NDArray,
    candidates: str | None = None,
) -> str:
    """Votes (n, len(ks), C) of the k nearest rows to those of Q (n, p), for every k in ks; places lie at Z (M, p).

    Only the candidates (n, S) of every row of Q vote, if there are some.
    """
    nearest = nearest_of(graph, Q, Z, min(max(ks), len(places.rows)), candidates)
    return graph.MatMul(_needed(graph, nearest, places, np.asarray(ks)), _votes_at(graph, places, nearest))


def nearest_of(graph: GraphBuilder, Q: str, Z: str | NDArray, n: int, candidates: str | None = None) -> str:
    """Numbers (n_queries, n) of the rows of Z (M, p) nearest to those of Q (n_queries, p), nearest first.

    Of equally far rows the first is the nearest: the first of all, or of the candidates (n_queries, S).
    """
    lengths = graph.ReduceSumSquare(Z, np.array([1]), keepdims=0)
    distances = graph.Gemm(Q, Z, lengths, alpha=-2.0, transB=1)  # |q - z|^2 without |q|^2, the same for all z
    if candidates is None:
        return _least(graph, distances, n)
    # All distances are one product, few are sorted.
    of_candidates = graph.GatherElements(distances, candidates, axis=1)
    return graph.GatherElements(candidates, _least(graph, of_candidates, n), axis=1)


def _votes_at(graph, places, nearest):
    return graph.Gather(places.votes.astype(np.float64), nearest)


def _least(graph, distances, n):
    """Columns (n_queries, n) of the least distances, in their order; the first of equals first."""
    return graph.TopK(distances, np.array([n]), axis=1, largest=0, sorted=1, n_outputs=2)[1]


def _nearness(graph, Q, Z, nearest):
    """Inverse distances (n_queries, n) of the nearest; if some are zero, one for these and zero for others.

    Distances are those of differences, because lengths lose digits of the smallest.
    """
    apart = graph.Sub(graph.Unsqueeze(Q, np.array([1])), graph.Gather(Z, nearest))
    distances = graph.Sqrt(graph.ReduceSumSquare(apart, np.array([2]), keepdims=0))
    is_there = graph.doubles(graph.Equal(distances, 0.0))
    some_are = graph.Greater(graph.ReduceMax(is_there, np.array([1]), keepdims=1), 0.0)
    return graph.Where(some_are, is_there, graph.Reciprocal(distances))


def _needed(graph, nearest, places, ks):
    """Share of the rows of the j-th nearest place that are among the k nearest, (n_queries or 1, len(ks), n_places)."""
    if places.are_single:
        most = min(ks.max(), len(places.rows))
        return (np.arange(most) < ks[:, None]).astype(np.float64)[None]
    counts = graph.Gather(places.counts.astype(np.float64), graph.Unsqueeze(nearest, np.array([1])))
    before = graph.CumSum(counts, 2, exclusive=1)
    return graph.Clip(graph.Div(graph.Sub(ks[:, None].astype(np.float64), before), counts), 0.0, 1.0)


def weighted(graph: GraphBuilder, weights: NDArray, votes: str) -> str:
    """Sum (n, C) of weights[k] * votes[:, k]."""
    return graph.Squeeze(graph.MatMul(weights[None], votes), np.array([1]))


def shares(graph: GraphBuilder, votes: str) -> str:
    """Votes as shares of their sum over the classes."""
    return graph.Div(votes, graph.total(votes, -1))


def mean_of_neighbors(graph: GraphBuilder, model: MetricKNeighborsRegressor, Z: str) -> str:
    """Predicted targets (n, n_outputs) of samples Z in the learned space; rows vote for 1 and for their targets."""
    numbers = model.numbers_.reshape(len(model.numbers_), -1)
    middle, unit = np.median(numbers, axis=0), np.ptp(numbers, axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    values = np.column_stack([np.ones(len(numbers)), (numbers - middle) / unit])
    # Votes are in double precision, to be as exact as the predictions of Python.
    first, of_row = equal_rows(model.embedding_)
    total = np.zeros((len(first), values.shape[1]))
    np.add.at(total, of_row, values)
    places = Places(first, of_row, np.bincount(of_row, minlength=len(first)), total)  # type: ignore[arg-type]
    rows = model.embedding_[first]
    centre = np.median(rows, axis=0)  # as of classifiers: distances must not be small beside the lengths
    farthest = FARTHEST * float(np.abs(model.embedding_).max(initial=0))
    Q, ks = graph.Sub(graph.Clip(Z, -farthest, farthest), centre), np.array([model.n_neighbors_])
    nearest = nearest_of(graph, Q, rows - centre, min(model.n_neighbors_, len(rows)))
    needed = _needed(graph, nearest, places, ks)
    if model.weights == "distance":
        needed = graph.Mul(needed, graph.Unsqueeze(_nearness(graph, Q, rows - centre, nearest), np.array([1])))
    counted = graph.Squeeze(graph.MatMul(needed, _votes_at(graph, places, nearest)), np.array([1]))
    means = graph.Div(graph.take(counted, list(range(1, values.shape[1]))), graph.take(counted, [0]))
    return graph.Add(graph.Mul(means, unit), middle)
