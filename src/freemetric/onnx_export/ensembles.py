"""Ensembles as graphs: from samples to votes, probabilities and targets."""

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
from ..ensemble.tasks.scales import Scale
from ..metrics import Member, TargetEncoding, TrainingSet, Trend
from ..metrics.neighbor_votes import NEAREST_BONUS
from .graph import GraphBuilder
from .neighbors import nearest_of, shares, votes, weighted
from .parts import part_graph


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
    candidates = _candidates(graph, ensemble, seen, shortlist)
    mixed = []
    for member, weights in zip(ensemble.members, ensemble.weights, strict=True):
        ks = np.flatnonzero(weights) + 1  # other numbers of neighbours do not count
        each = weights[ks - 1] / len(member)
        for Z, Q in zip(*(spaces(graph, member, V) for V in seen[member.candidate.view]), strict=True):
            mixed.append(weighted(graph, each, shares(graph, votes(graph, Q, Z, places, ks, candidates=candidates))))
    return graph.Sum(*mixed)


def _candidates(graph, ensemble, seen, shortlist):
    """Numbers (n, shortlist) of the places nearest in the averaged metric; None where all vote."""
    maps, centre = ensemble.index().shortlist[:2]
    if shortlist is None or shortlist >= len(ensemble.training_set.places.rows) or not maps:
        return None
    Z, Q = (graph.Sum(*(graph.MatMul(seen[name][i], B) for name, B in maps.items())) for i in (0, 1))
    return nearest_of(graph, graph.Sub(Q, centre), graph.Sub(Z, centre), shortlist)


def one_space(graph: GraphBuilder, training_set: TrainingSet, n_neighbors: int, Z: str) -> str:
    """Class probabilities of samples Z in the only space of a classifier."""
    places = training_set.places
    rows = training_set.X[places.rows]
    # Distances are differences of lengths, which must not be much larger. The median keeps a grid on a grid, and ties.
    centre = np.median(rows, axis=0)
    counted = votes(graph, graph.Sub(Z, centre), rows - centre, places, [1, n_neighbors])
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
    head = ensemble.head
    trends = [_trend(graph, trend, X) for trend in head.trends]
    mean, square, *means = _means(graph, head.encoding, mixed_shares(graph, ensemble, X, shortlist))
    terms = _terms(graph, head, mean, trends, means)
    place = _within(graph, head.encoding, graph.Add(graph.MatMul(terms, head.strengths[:, None]), head.centre))
    variance = graph.Max(graph.Sub(square, graph.Mul(mean, mean)), LEAST_VARIANCE)
    return place, _spread(graph, head, variance, [_trend(graph, some, X) for some in head.noises])


def means(graph: GraphBuilder, head: RegressionHead, expected: tuple[str, str]) -> str:
    """Expected targets (n, 1) for a location and a spread."""
    targets = _off_by(graph, head.scale, expected, head.mean_errors())
    return _enlarged(graph, head.scale, graph.ReduceMean(targets, np.array([1]), keepdims=1))


def quantiles(graph: GraphBuilder, head: RegressionHead, expected: tuple[str, str], chances: Sequence[float]) -> str:
    """Quantiles (n, q) of the targets for a location and a spread."""
    return _enlarged(graph, head.scale, _off_by(graph, head.scale, expected, np.quantile(head.errors, chances)))


def _off_by(graph: GraphBuilder, scale: Scale, expected: tuple[str, str], errors: NDArray) -> str:
    """Targets (n, n_errors), in units of 2^exponent, off by errors in units of the spread."""
    place, spread = expected
    z = graph.Add(place, graph.MatMul(spread, errors[None]))
    g = graph.Add(graph.Mul(z, scale.unit), scale.centre)
    if scale.name == "asinh":
        return graph.Mul(graph.Sub(graph.Exp(g), graph.Exp(graph.Neg(g))), scale.bend / 2)  # Sinh has no doubles
    return graph.Exp(g) if scale.name == "log" else g


def _enlarged(graph: GraphBuilder, scale: Scale, targets: str) -> str:
    """Targets in their own units. Two factors, because 2^exponent itself may be too large for a float."""
    half = scale.exponent // 2
    return graph.Mul(graph.Mul(targets, ldexp(1.0, half)), ldexp(1.0, scale.exponent - half))


def _trend(graph: GraphBuilder, trend: Trend, X: str) -> str:
    columns = graph.Concat(*(part_graph(graph, view, X) for view in trend.columns), axis=1)
    return graph.Add(graph.MatMul(columns, trend.slopes[:, None]), trend.base)


def _means(graph: GraphBuilder, encoding: TargetEncoding, shares: str) -> list[str]:
    """The means (n, 1) of every encoded value."""
    high_ends = np.arange(1, encoding.n_cells, 2)
    part = graph.Mul(graph.take(shares, high_ends), float(len(encoding)))
    values = graph.Add(graph.Mul(part, encoding.high - encoding.low), encoding.low)
    return [graph.take(values, [i]) for i in range(len(encoding))]


def _terms(graph: GraphBuilder, head: RegressionHead, mean: str, trends: Sequence[str], means: Sequence[str]) -> str:
    """Terms (n, 1 + 2 n_trends) that are multiplied by the strengths."""
    inside = [_within(graph, head.encoding, trend) for trend in trends]
    beside = [graph.Sub(f, mean) for f in inside]
    along = [graph.Sub(f, over) for f, over in zip(inside, means, strict=True)]
    return graph.Concat(graph.Sub(mean, head.centre), *beside, *along, axis=1)


def _within(graph: GraphBuilder, encoding: TargetEncoding, z: str) -> str:
    low, high = encoding.low[0], encoding.high[0]
    return graph.Clip(z, low - BEYOND * (high - low), high + BEYOND * (high - low))


def _spread(graph: GraphBuilder, head: RegressionHead, variance: str, noises: Sequence[str]) -> str:
    alpha, beta, *gammas = head.spread
    log = graph.Add(graph.Mul(graph.Log(variance), beta / 2), alpha)
    for noise, gamma, (low, high) in zip(noises, gammas, head.seen, strict=True):
        log = graph.Add(log, graph.Mul(graph.Clip(noise, low, high), gamma / 2))
    return graph.Exp(log)
