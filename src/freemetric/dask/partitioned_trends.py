"""Trends and quantiles of samples that stay in their partitions."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.scales import Scale
from ..learners.training_rows import TrainingRows
from ..metrics import Trend
from ..metrics.trends import FOLDS, MOST_COLUMNS, Lines, Products, StandardColumns, fitted, has_few_products, units_of
from ..metrics.views import Scaled, Steps, View, step_levels
from .partitions import merged_in_steps

RUNGS = 512  # of a ladder
Ladder = tuple[NDArray[np.float64], NDArray[np.intp]]  # sorted values (g, d) of every feature, and their ranks (g,)


def quantiles_of(samples: Any, levels: NDArray) -> NDArray[np.float64]:
    """Quantiles (n, d) of all features at ``levels`` (n,), numpy's method "inverted_cdf"."""
    dask, features = samples.dask, range(samples.n_features)
    ladders = dask.compute(*samples.each(ladder_of))
    wanted = 1 + np.quantile(np.arange(len(samples)), levels, method="inverted_cdf").astype(np.intp)
    above, up_to = np.stack([brackets(ladders, wanted, j) for j in features], axis=-1)
    found = dask.compute(*samples.each(between, above, up_to))
    return np.array([[picked(found, n, j, k) for j in features] for n, k in enumerate(wanted)])


def ladder_of(X: NDArray, y: NDArray, ranks: Any) -> Ladder:
    """The ladder of features X (n, d); the smallest and the largest values are in it."""
    numbers = np.unique(np.linspace(0, len(X) - 1, RUNGS).astype(np.intp))
    return np.sort(X, axis=0)[numbers].astype(np.float64), numbers


def brackets(ladders: Sequence[Ladder], wanted: NDArray, feature: int) -> NDArray[np.float64]:
    """Values (2, n) such that the k-th smallest of a feature, k in ``wanted`` (n,), is above the one, up to the other.

    A rung bounds the rank of its value from below by the ranks up to it, and from above by those before the next rung.
    """
    values = np.concatenate([rungs[:, feature] for rungs, _ in ladders])
    at_least = np.concatenate([np.diff(ranks, prepend=-1) for _, ranks in ladders])
    at_most = np.concatenate([np.diff(ranks, append=ranks[-1] + 1) for _, ranks in ladders])
    order = np.argsort(values, kind="stable")
    values, at_least, at_most = values[order], np.cumsum(at_least[order]), np.cumsum(at_most[order])
    first = values[np.searchsorted(at_most, wanted)]  # that may be large enough
    below = np.append(-np.inf, values)[np.searchsorted(values, first)]
    return np.array([below, values[np.searchsorted(at_least, wanted)]])


def between(above: NDArray, up_to: NDArray, X: NDArray, y: NDArray, ranks: Any) -> tuple[NDArray, list[list[NDArray]]]:
    """Numbers (n, d) of values below these brackets (n, d), and unique values inside with their counts."""
    values = np.sort(X, axis=0).astype(np.float64).T
    starts, ends = (
        np.array([np.searchsorted(column, cut, "right") for column, cut in zip(values, cuts.T, strict=True)])
        for cuts in (above, up_to)
    )
    inside = [
        [np.array(np.unique(column[a:b], return_counts=True)) for a, b in zip(*two, strict=True)]
        for column, *two in zip(values, starts, ends, strict=True)
    ]
    return starts.T, inside


def picked(found: Sequence[tuple[NDArray, list[list[NDArray]]]], bracket: int, feature: int, wanted: int) -> float:
    """The ``wanted``-th smallest value of a feature, which is in this bracket."""
    n_below = sum(below[bracket, feature] for below, _ in found)
    values, counts = np.concatenate([inside[feature][bracket] for _, inside in found], axis=1)
    order = np.argsort(values, kind="stable")
    return values[order][np.searchsorted(n_below + np.cumsum(counts[order]), wanted)]


class PartitionedTrend(NamedTuple):
    """A trend, and those of the same kind fitted without a tenth of the samples each."""

    trend: Trend
    lines: Lines

    def left_out(self, X: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """Predictions of the trend without them for samples X (n, d) with these ranks (n,) among all."""
        return self.lines.left_out(self.trend.columns, X, ranks % FOLDS)


class TrendFinder:
    """Finds trends of PartitionedSamples; shared quantities are computed once."""

    def __init__(self, samples: Any):
        self.samples = samples
        self.columns: dict[type[Trend], StandardColumns] = {}

    @cached_property
    def views(self) -> dict[type, View]:
        """Views of which the columns of trends consist."""
        levels = np.array([0.0, *step_levels(self.samples.n_features), 1.0])
        low, *inner, high = quantiles_of(self.samples, levels)
        scaled = Scaled(low, np.where(high > low, high - low, 1.0))
        return {Scaled: scaled, Steps: Steps.at(np.array(inner), low, high), Products: Products.within(low, high)}

    def __call__(self, kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[PartitionedTrend, NDArray] | None:
        """The trend of that kind on a scale, and its cross-fitted predictions; None if it costs too much."""
        if not has_few_products(kind, self.samples.n_features):
            return None
        views = [self.views[view] for view in kind.parts]
        if min(len(self.samples), sum(len(view.owner) for view in views)) > MOST_COLUMNS:
            return None
        if kind not in self.columns:
            self.columns[kind] = self._columns(views)
        columns = self.columns[kind]
        lines = fitted(columns, self._summed(moments, columns, scale))
        found = PartitionedTrend(kind(views, lines.slopes[0], float(lines.bases[0])), lines)
        values = np.concatenate(self.samples.dask.compute(*self.samples.each(values_left_out, found)))
        return found, values[self.samples.rows]

    def _columns(self, views):
        """Columns with centres and units; along the rows if they outnumber the samples."""
        N, p = len(self.samples), sum(len(view.owner) for view in views)
        columns = StandardColumns(views, np.zeros(p), np.ones(p))
        columns = columns._replace(centre=self._summed(sums, columns, 1) / N)
        columns = columns._replace(unit=units_of(views, self._summed(sums, columns, 2) / N))
        return columns.along_rows(self.samples.features(np.arange(N))) if p > N else columns  # few samples then

    def _summed(self, function, *given):
        """A sum over all samples."""
        return merged_in_steps(list(self.samples.each(function, *given)), partial(np.sum, axis=0)).compute()


def sums(columns: StandardColumns, power: int, X: NDArray, y: NDArray, ranks: NDArray | int) -> NDArray[np.float64]:
    """Sums (p,) of columns to that power."""
    return columns.sums(X, np.ones(len(X)), power)


def moments(
    columns: StandardColumns, scale: Scale, X: NDArray, y: NDArray, ranks: NDArray | int
) -> NDArray[np.float64]:
    """For every fold the products (r + 2, r + 2) of columns, one and the target on its scale, summed over samples."""
    return columns.moments(X, scale(y), all_ranks(ranks, len(X)) % FOLDS, np.ones(len(X)))


def values_left_out(found: PartitionedTrend, X: NDArray, y: NDArray, ranks: NDArray | int) -> NDArray[np.float64]:
    """Predictions (n,) of the trends without each sample."""
    return found.left_out(X, all_ranks(ranks, len(X)))


def all_ranks(ranks: NDArray | int, n: int) -> Any:
    """The ranks (n,) of samples, of which an int is the first."""
    return ranks + np.arange(n) if isinstance(ranks, int) else ranks
