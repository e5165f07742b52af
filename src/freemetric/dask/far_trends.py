"""Trends of rows that live in many places: ridge regressions from sums that every partition makes of its own rows.

What :func:`freemetric.metrics.trends.crossed_trend` finds, but for rounding.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learners.training_rows import TrainingRows
from ..metrics import Scale, Trend
from ..metrics.trends import FOLDS, MOST_COLUMNS, Columns, Lines, Products, fitted, has_few_products, units_of
from ..metrics.views import Scaled, Steps, View, step_levels
from .far_quantiles import margins_of
from .far_rows import FarRows
from .polling import merged_in_steps


class FarTrend(NamedTuple):
    """A trend, and those of the same kind without a tenth of the rows each."""

    trend: Trend
    lines: Lines

    def left_out(self, X: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """What the trend without them says of rows X (n, d) with these ranks (n,) among all."""
        return self.lines.left_out(self.trend.columns, X, ranks % FOLDS)


class TrendFinder:
    """Finds trends of far rows; what all of them share is asked for once."""

    def __init__(self, rows: FarRows):
        self.far = rows
        self.columns: dict[type[Trend], Columns] = {}

    @cached_property
    def views(self) -> dict[type, View]:
        """What the columns of trends are made of."""
        margins = margins_of(self.far, step_levels(self.far.n_features))
        low, high = margins.low, margins.high
        steps = Steps.at(margins.quantiles, low, high)
        scaled = Scaled(low, np.where(high > low, high - low, 1.0))
        return {Scaled: scaled, Steps: steps, Products: Products.within(low, high)}

    def __call__(self, kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[FarTrend, NDArray] | None:
        """The trend of that kind on a scale, and what those of others say of each row; None where it costs too much."""
        if not has_few_products(kind, self.far.n_features):
            return None
        views = [self.views[view] for view in kind.parts]
        if min(len(self.far), sum(len(view.owner) for view in views)) > MOST_COLUMNS:
            return None
        if kind not in self.columns:
            self.columns[kind] = self._columns(views)
        columns = self.columns[kind]
        lines = fitted(columns, self._summed(moments, columns, scale))
        found = FarTrend(kind(views, lines.slopes[0], float(lines.bases[0])), lines)
        values = np.concatenate(self.far.dask.compute(*self.far.each(values_left_out, found)))
        return found, values[self.far.rows]

    def _columns(self, views):
        """In which units they are; where they are more than rows, along which axes."""
        N, p = len(self.far), sum(len(view.owner) for view in views)
        columns = Columns(views, np.zeros(p), np.ones(p))
        columns = columns._replace(centre=self._summed(sums, columns, 1) / N)
        columns = columns._replace(unit=units_of(views, self._summed(sums, columns, 2) / N))
        return columns.along_rows(self.far.patterns(np.arange(N))) if p > N else columns  # few rows then

    def _summed(self, function, *given):
        """A sum over all rows."""
        return merged_in_steps(list(self.far.each(function, *given)), added).compute()


def sums(X: NDArray, y: NDArray, ranks: NDArray | int, columns: Columns, power: int) -> NDArray[np.float64]:
    """Of columns to that power, (p,)."""
    return columns.sums(X, np.ones(len(X)), power)


def moments(X: NDArray, y: NDArray, ranks: NDArray | int, columns: Columns, scale: Scale) -> NDArray[np.float64]:
    """For every fold the products (r + 2, r + 2) of columns, one and the target on its scale, summed over rows."""
    return columns.moments(X, scale(y), all_ranks(ranks, len(X)) % FOLDS, np.ones(len(X)))


def values_left_out(X: NDArray, y: NDArray, ranks: NDArray | int, found: FarTrend) -> NDArray[np.float64]:
    """What others say of every row, (n,)."""
    return found.left_out(X, all_ranks(ranks, len(X)))


def added(parts: list[NDArray]) -> NDArray[np.float64]:
    """A sum, in the order of its parts."""
    return np.sum(parts, axis=0)


def all_ranks(ranks: NDArray | int, n: int) -> Any:
    """The ranks (n,) of rows, of which a number is the first."""
    return ranks + np.arange(n) if isinstance(ranks, int) else ranks
