"""Neighbours and ensembles as graphs: from samples to votes, probabilities and targets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ldexp
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble.model import Ensemble
from ..ensemble.tasks.regression import BEYOND, LEAST_VARIANCE, RegressionHead
from ..learners import MetricKNeighborsRegressor
from ..metrics import BoostedTrend, Member, TrainingSet
from ..metrics.neighbor_votes import FARTHEST, NEAREST_BONUS
from ..metrics.training_set import Places, equal_rows
from .graph import GraphBuilder
from .parts import part_graph, trees


@dataclass(frozen=True)
class Symbol:
    """A result in a graph in the place of an array; numpy and Python's operators refuse it."""

    name: str
    __array_ufunc__ = None


def spaces(graph: GraphBuilder, member: Member, V: str) -> list[str]:
    """The view V in every replica's space; ValueError if the form needs more than the two operations."""

    def add_node(operator, *values):
        operands = [value.name if isinstance(value, Symbol) else np.asarray(value, dtype=float) for value in values]
        return Symbol(getattr(graph, operator)(*operands))

    # numpy's functions, which add nodes to the graph instead of computing
    ops: Any = SimpleNamespace(matmul=partial(add_node, "MatMul"), multiply=partial(add_node, "Mul"))
    try:
        return [Z.name for Z in member.spaces(Symbol(V), ops)]  # what is no Symbol has no name
    except (AttributeError, TypeError, ValueError) as problem:
        needed = "its map must take matmul and multiply of ops, and no more"
        raise ValueError(f"the form {member.candidate.form} has no ONNX graph; {needed}") from problem


def filled(graph: GraphBuilder, ensemble: Ensemble, X: str) -> str:
    """Samples X as the ensemble takes them, without gaps."""
    gaps, missing = ensemble.gaps, graph.IsNaN(X)
    means = graph.Where(missing, gaps.means, X)
    if not len(gaps.features):
        return means
    return graph.Concat(means, graph.Mul(graph.doubles(graph.take(missing, gaps.features)), gaps.spreads), axis=1)


def mixed_shares(graph: GraphBuilder, ensemble: Ensemble, X: str, shortlist: int | None) -> str:
    """Shares (n, n_cells) of all votes for samples X, every member and k by its weight.

    As in Python, ``shortlist`` training samples vote in every space, the nearest in the averaged metric; all for None.
    """
    places = ensemble.training_set.places
    rows = graph.constant(ensemble.training_set.X[places.rows])
    # Training rows pass the same operators as new ones, so that ties stay ties; runtimes do it once, on loading.
    seen = {name: [part_graph(graph, view, V) for V in (rows, X)] for name, view in ensemble.views.items()}
    candidates = None  # numbers (n, shortlist) of the places nearest in the averaged metric
    maps, centre = ensemble.index().shortlist[:2]
    if shortlist is not None and shortlist < len(places.rows) and maps:
        Z, Q = (graph.Sum(*(graph.MatMul(seen[name][i], B) for name, B in maps.items())) for i in (0, 1))
        candidates = nearest_of(graph, graph.Sub(Q, centre), graph.Sub(Z, centre), shortlist)
    mixed = []
    for member, weights in zip(ensemble.members, ensemble.weights, strict=True):
        ks = np.flatnonzero(weights) + 1  # other numbers of neighbours do not count
        each = weights[ks - 1] / len(member)
        of_k = weights[: ks[-1]] / (len(member) * np.arange(1, ks[-1] + 1))
        of_rank = of_k[::-1].cumsum()[::-1]
        for Z, Q in zip(*(spaces(graph, member, V) for V in seen[member.candidate.view]), strict=True):
            if places.have_one_vote:  # the shares of k rows are their votes by k: a vote counts by its rank alone
                nearest = nearest_of(graph, Q, Z, len(of_rank), candidates)
                votes = graph.Gather(places.votes.astype(np.float64), nearest)
                mixed.append(weighted(graph, of_rank, votes))
            else:
                votes = _votes(graph, Q, Z, places, ks, candidates=candidates)
                mixed.append(weighted(graph, each, shares(graph, votes)))
    return graph.Sum(*mixed)


def one_space(graph: GraphBuilder, training_set: TrainingSet, n_neighbors: int, Z: str) -> str:
    """Class probabilities of samples Z in the only space of a classifier."""
    places = training_set.places
    rows = training_set.X[places.rows]
    # Distances are differences of lengths, which must not be much larger. The median keeps a grid on a grid, and ties.
    centre = np.median(rows, axis=0)
    counted = _votes(graph, graph.Sub(Z, centre), rows - centre, places, [1, n_neighbors])
    return shares(graph, weighted(graph, np.array([NEAREST_BONUS, 1.0]), counted))


def many_spaces(graph: GraphBuilder, ensemble: Ensemble, X: str, shortlist: int | None) -> str:
    """Class probabilities of samples X; ``shortlist`` training samples vote, all for None."""
    head, mixed = ensemble.head, mixed_shares(graph, ensemble, X, shortlist)
    logits = graph.Mul(head.slope, graph.Log(graph.Add(mixed, head.floor)))
    for strength, density in zip(head.strengths, head.densities, strict=True):
        logits = graph.Sub(logits, graph.Mul(strength, part_graph(graph, density, X)))
    return graph.Softmax(graph.Add(logits, head.bias), axis=-1)


def location_and_spread(graph: GraphBuilder, ensemble: Ensemble, X: str, shortlist: int | None) -> tuple[str, str]:
    """Location and spread (n, 1) of the targets of samples X, on the scale; all training samples vote for None."""
    head, encoding = ensemble.head, ensemble.head.encoding
    low, high = encoding.low[0], encoding.high[0]
    room = BEYOND * (high - low)

    def within(z):
        return graph.Clip(z, low - room, high + room)

    ends = graph.take(mixed_shares(graph, ensemble, X, shortlist), np.arange(1, encoding.n_cells, 2))  # the high ones
    values = graph.Add(graph.Mul(graph.Mul(ends, float(len(encoding))), encoding.high - encoding.low), encoding.low)
    mean, square, *means = (graph.take(values, [i]) for i in range(len(encoding)))
    inside = [within(_trend(graph, trend, X)) for trend in head.trends]
    terms = [graph.Sub(mean, head.centre), *(graph.Sub(f, mean) for f in inside)]
    terms += [graph.Sub(f, over) for f, over in zip(inside, means, strict=True)]
    place = graph.Add(graph.MatMul(graph.Concat(*terms, axis=1), head.strengths[:, None]), head.centre)

    variance = graph.Max(graph.Sub(square, graph.Mul(mean, mean)), LEAST_VARIANCE)
    alpha, beta, *gammas = head.spread
    log = graph.Add(graph.Mul(graph.Log(variance), beta / 2), alpha)
    for noise, gamma, (least, most) in zip(head.noises, gammas, head.seen, strict=True):
        log = graph.Add(log, graph.Mul(graph.Clip(_trend(graph, noise, X), least, most), gamma / 2))
    return within(place), graph.Min(graph.Exp(log), head.most_spread)


def means(graph: GraphBuilder, head: RegressionHead, expected: tuple[str, str]) -> str:
    """Expected targets (n, 1) for a location and a spread."""
    targets = _off_by(graph, head.scale, expected, head.mean_errors())
    return _enlarged(graph, head.scale, graph.ReduceMean(targets, np.array([1]), keepdims=1))


def quantiles(graph: GraphBuilder, head: RegressionHead, expected: tuple[str, str], chances: Sequence[float]) -> str:
    """Quantiles (n, q) of the targets for a location and a spread."""
    return _enlarged(graph, head.scale, _off_by(graph, head.scale, expected, np.quantile(head.errors, chances)))


def _off_by(graph, scale, expected, errors):
    """Targets (n, n_errors), in units of 2^exponent, off by errors in units of the spread."""
    place, spread = expected
    z = graph.Add(place, graph.MatMul(spread, errors[None]))
    g = graph.Add(graph.Mul(z, scale.unit), scale.centre)
    if scale.name == "asinh":
        return graph.Mul(graph.Sub(graph.Exp(g), graph.Exp(graph.Neg(g))), scale.bend / 2)  # Sinh has no doubles
    return graph.Exp(g) if scale.name == "log" else g


def _enlarged(graph, scale, targets):
    """Targets in their own units. Two factors, because 2^exponent itself may be too large for a float."""
    half = scale.exponent // 2
    return graph.Mul(graph.Mul(targets, ldexp(1.0, half)), ldexp(1.0, scale.exponent - half))


def _trend(graph, trend, X):
    if isinstance(trend, BoostedTrend):
        return graph.Add(trees(graph, trend.trees, X), trend.base)
    columns = graph.Concat(*(part_graph(graph, view, X) for view in trend.columns), axis=1)
    return graph.Add(graph.MatMul(columns, trend.slopes[:, None]), trend.base)


def _votes(graph, Q, Z, places, ks, candidates=None, by_distance=False):
    """Votes (n, len(ks), C) of the k nearest rows to those of Q (n, p), for every k in ks; places lie at Z (M, p).

    Only the candidates (n, S) of every row of Q vote, if there are some; with ``by_distance`` by inverse distances.
    """
    nearest = nearest_of(graph, Q, Z, min(max(ks), len(places.rows)), candidates)
    needed = _needed(graph, nearest, places, np.asarray(ks))
    if by_distance:
        needed = graph.Mul(needed, graph.Unsqueeze(_nearness(graph, Q, Z, nearest), np.array([1])))
    return graph.MatMul(needed, graph.Gather(places.votes.astype(np.float64), nearest))


def nearest_of(graph: GraphBuilder, Q: str, Z: str | NDArray, n: int, candidates: str | None = None) -> str:
    """Numbers (n_queries, n) of the rows of Z (M, p) nearest to those of Q (n_queries, p), nearest first.

    Of equally far rows the first is the nearest: the first of all, or of the candidates (n_queries, S).
    """
    lengths = graph.ReduceSumSquare(Z, np.array([1]), keepdims=0)
    distances = graph.Gemm(Q, Z, lengths, alpha=-2.0, transB=1)  # |q - z|^2 without |q|^2, the same for all z
    if candidates is not None:  # all distances are one product, few are sorted
        distances = graph.GatherElements(distances, candidates, axis=1)
    _, nearest = graph.TopK(distances, np.array([n]), axis=1, largest=0, sorted=1, n_outputs=2)
    return nearest if candidates is None else graph.GatherElements(candidates, nearest, axis=1)


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
    Q = graph.Sub(graph.Clip(Z, -farthest, farthest), centre)
    by_distance = model.weights == "distance"
    counted = _votes(graph, Q, rows - centre, places, [model.n_neighbors_], by_distance=by_distance)
    counted = graph.Squeeze(counted, np.array([1]))
    means = graph.Div(graph.take(counted, list(range(1, values.shape[1]))), graph.take(counted, [0]))
    return graph.Add(graph.Mul(means, unit), middle)
