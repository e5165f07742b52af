"""The regressor as a graph: from patterns to numbers, what neighbours tell read beside trends."""

from collections.abc import Sequence
from math import ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.model import Ensemble
from ..ensemble.tasks.regression import BEYOND, LEAST_VARIANCE, RegressionHead
from ..ensemble.tasks.scales import Scale
from ..metrics import TargetEncoding, Trend
from .ensembles import mixed_shares
from .graph import Graph
from .views import view_graph


class OutlookNames(NamedTuple):
    """Where a pattern lies on the scale and how far that may be off, (n, 1) each."""

    place: str
    spread: str


def outlook(graph: Graph, ensemble: Ensemble, X: str, shortlist: int | None) -> OutlookNames:
    """What a committee expects of patterns X, of which so many training samples are asked; all for None."""
    head = ensemble.head
    trends = [_trend(graph, trend, X) for trend in head.trends]
    mean, square, *means = _told(graph, head.encoding, mixed_shares(graph, ensemble, X, shortlist))
    terms = _terms(graph, head, mean, trends, means)
    place = _within(graph, head.encoding, graph.Add(graph.MatMul(terms, head.strengths[:, None]), head.centre))
    variance = graph.Max(graph.Sub(square, graph.Mul(mean, mean)), LEAST_VARIANCE)
    return OutlookNames(place, _spread(graph, head, variance, [_trend(graph, some, X) for some in head.noises]))


def means(graph: Graph, ensemble: Ensemble, expected: OutlookNames) -> str:
    """Expected numbers (n, 1)."""
    errors = ensemble.head.mean_errors()
    numbers = _off_by(graph, ensemble.head.scale, expected, errors)
    return _enlarged(graph, ensemble.head.scale, graph.ReduceMean(numbers, np.array([1]), keepdims=1))


def quantiles(graph: Graph, ensemble: Ensemble, expected: OutlookNames, chances: Sequence[float]) -> str:
    """Numbers (n, q) that the target is below with these chances."""
    numbers = _off_by(graph, ensemble.head.scale, expected, np.quantile(ensemble.head.errors, chances))
    return _enlarged(graph, ensemble.head.scale, numbers)


def _off_by(graph: Graph, scale: Scale, expected: OutlookNames, errors: NDArray) -> str:
    """Numbers (n, n_errors), in units of 2^exponent, where the place is off by errors, in units of the spread."""
    z = graph.Add(expected.place, graph.MatMul(expected.spread, errors[None]))
    g = graph.Add(graph.Mul(z, scale.unit), scale.centre)
    if scale.name == "asinh":
        return graph.Mul(graph.Sub(graph.Exp(g), graph.Exp(graph.Neg(g))), scale.bend / 2)  # Sinh has no doubles
    return graph.Exp(g) if scale.name == "log" else g


def _enlarged(graph: Graph, scale: Scale, numbers: str) -> str:
    """Numbers in the units of the target. Two factors, because 2^exponent itself may be too large for a number."""
    half = scale.exponent // 2
    return graph.Mul(graph.Mul(numbers, ldexp(1.0, half)), ldexp(1.0, scale.exponent - half))


def _trend(graph: Graph, trend: Trend, X: str) -> str:
    columns = graph.Concat(*(view_graph(graph, view, X) for view in trend.columns), axis=1)
    return graph.Add(graph.MatMul(columns, trend.slopes[:, None]), trend.base)


def _told(graph: Graph, encoding: TargetEncoding, shares: str) -> list[str]:
    """The means (n, 1) of every number encoding."""
    high_ends = np.arange(1, encoding.n_cells, 2)
    part = graph.Mul(graph.take(shares, high_ends), float(len(encoding)))
    numbers = graph.Add(graph.Mul(part, encoding.high - encoding.low), encoding.low)
    return [graph.take(numbers, [i]) for i in range(len(encoding))]


def _terms(graph: Graph, head: RegressionHead, mean: str, trends: Sequence[str], means: Sequence[str]) -> str:
    """What strengths are multiplied with, (n, 1 + 2 n_trends)."""
    inside = [_within(graph, head.encoding, trend) for trend in trends]
    beside = [graph.Sub(f, mean) for f in inside]
    along = [graph.Sub(f, over) for f, over in zip(inside, means, strict=True)]
    return graph.Concat(graph.Sub(mean, head.centre), *beside, *along, axis=1)


def _within(graph: Graph, encoding: TargetEncoding, z: str) -> str:
    low, high = encoding.low[0], encoding.high[0]
    return graph.Clip(z, low - BEYOND * (high - low), high + BEYOND * (high - low))


def _spread(graph: Graph, head: RegressionHead, variance: str, noises: Sequence[str]) -> str:
    alpha, beta, *gammas = head.spread
    log = graph.Add(graph.Mul(graph.Log(variance), beta / 2), alpha)
    for noise, gamma, (low, high) in zip(noises, gammas, head.seen, strict=True):
        log = graph.Add(log, graph.Mul(graph.Clip(noise, low, high), gamma / 2))
    return graph.Exp(log)
