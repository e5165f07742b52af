"""Trends and quantiles of samples that stay in their partitions."""

from collections.abc import Sequence
from functools import cached_property
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


class Ladder(NamedTuple):
    """Values (g, d) of every feature and how many values are before them, (g,); the lowest and the highest are in."""

    values: NDArray[np.float64]
    numbers: NDArray[np.intp]


class Margins(NamedTuple):
    """What is known of the features one by one, (d,) and quantiles (n, d)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    quantiles: NDArray[np.float64]


def margins_of(samples: Any, levels: NDArray) -> Margins:
    """The ends of all features, and those of their values that a share ``levels`` (n,) of all does not exceed."""
    dask, features = samples.dask, range(samples.n_features)
    ladders = dask.compute(*samples.each(ladder_of))
    wanted = 1 + np.quantile(np.arange(len(samples)), levels, method="inverted_cdf").astype(np.intp)
    above, up_to = np.stack([brackets(ladders, wanted, j) for j in features], axis=-1)
    found = dask.compute(*samples.each(between, above, up_to))
    quantiles = [[picked(found, n, j, k) for j in features] for n, k in enumerate(wanted)]
    low = np.min([ladder.values[0] for ladder in ladders], axis=0)
    return Margins(low, np.max([ladder.values[-1] for ladder in ladders], axis=0), np.array(quantiles))


def ladder_of(X: NDArray, y: NDArray, ranks: Any) -> Ladder:
    """The ladder of features X (n, d)."""
    numbers = np.unique(np.linspace(0, len(X) - 1, RUNGS).astype(np.intp))
    return Ladder(np.sort(X, axis=0)[numbers].astype(np.float64), numbers)


def brackets(ladders: Sequence[Ladder], wanted: NDArray, feature: int) -> NDArray[np.float64]:
    """Values (2, n) such that the k-th smallest of a feature, k in ``wanted`` (n,), is above the one, up to the other.

    At a rung at least as many values are met as stand up to it, and at most as many as stand before the next.
    """
    values = np.concatenate([ladder.values[:, feature] for ladder in ladders])
    at_least = np.concatenate([np.diff(ladder.numbers, prepend=-1) for ladder in ladders])
    at_most = np.concatenate([np.diff(ladder.numbers, append=ladder.numbers[-1] + 1) for ladder in ladders])
    order = np.argsort(values, kind="stable")
    values, at_least, at_most = values[order], np.cumsum(at_least[order]), np.cumsum(at_most[order])
    first = values[np.searchsorted(at_most, wanted)]  # that may be large enough
    below = np.append(-np.inf, values)[np.searchsorted(values, first)]
    return np.array([below, values[np.searchsorted(at_least, wanted)]])


def between(X: NDArray, y: NDArray, ranks: Any, above: NDArray, up_to: NDArray) -> tuple[NDArray, list[list[NDArray]]]:
    """How many values (n, d) are not in these brackets (n, d) but below; different values in them and how often."""
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
    """Finds trends of PartitionedSamples; what all of them share is computed once."""

    def __init__(self, samples: Any):
        self.samples = samples
        self.columns: dict[type[Trend], StandardColumns] = {}

    @cached_property
    def views(self) -> dict[type, View]:
        """What the columns of trends are made of."""
        margins = margins_of(self.samples, step_levels(self.samples.n_features))
        low, high = margins.low, margins.high
        steps = Steps.at(margins.quantiles, low, high)
        scaled = Scaled(low, np.where(high > low, high - low, 1.0))
        return {Scaled: scaled, Steps: steps, Products: Products.within(low, high)}

    def __call__(self, kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[PartitionedTrend, NDArray] | None:
        """The trend of that kind on a scale, and its cross-fitted predictions; None where it costs too much."""
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
        """Centres and units of columns; where they are more than samples, their axes."""
        N, p = len(self.samples), sum(len(view.owner) for view in views)
        columns = StandardColumns(views, np.zeros(p), np.ones(p))
        columns = columns._replace(centre=self._summed(sums, columns, 1) / N)
        columns = columns._replace(unit=units_of(views, self._summed(sums, columns, 2) / N))
        return columns.along_rows(self.samples.features(np.arange(N))) if p > N else columns  # few samples then

    def _summed(self, function, *given):
        """A sum over all samples."""
        return merged_in_steps(list(self.samples.each(function, *given)), added).compute()


def sums(X: NDArray, y: NDArray, ranks: NDArray | int, columns: StandardColumns, power: int) -> NDArray[np.float64]:
    """Of columns to that power, (p,)."""
    return columns.sums(X, np.ones(len(X)), power)


def moments(
    X: NDArray, y: NDArray, ranks: NDArray | int, columns: StandardColumns, scale: Scale
) -> NDArray[np.float64]:
    """For every fold the products (r + 2, r + 2) of columns, one and the target on its scale, summed over samples."""
    return columns.moments(X, scale(y), all_ranks(ranks, len(X)) % FOLDS, np.ones(len(X)))


def values_left_out(X: NDArray, y: NDArray, ranks: NDArray | int, found: PartitionedTrend) -> NDArray[np.float64]:
    """Predictions (n,) of the trends without each sample."""
    return found.left_out(X, all_ranks(ranks, len(X)))


def added(parts: list[NDArray]) -> NDArray[np.float64]:
    """A sum, in the order of its parts."""
    return np.sum(parts, axis=0)


def all_ranks(ranks: NDArray | int, n: int) -> Any:
    """The ranks (n,) of samples, of which an int is the first."""
    return ranks + np.arange(n) if isinstance(ranks, int) else ranks
