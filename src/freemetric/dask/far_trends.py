"""Trends of rows that live in many places: ridge regressions from sums that every partition makes of its own rows.

What :func:`freemetric.metrics.trends.crossed_trend` finds, but for rounding.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learners.training_rows import TrainingRows
from ..metrics import Scale, Trend
from ..metrics.trends import FOLDS, MOST_COLUMNS, STRENGTHS, ridge_slopes, side_by_side
from ..metrics.views import Scaled, Steps, step_levels
from .far_quantiles import margins_of
from .far_rows import FarRows
from .polling import merged_in_steps

FEW = 8192  # rows whose columns are made at a time


class FarTrend(NamedTuple):
    """A trend, and those of the same kind without a tenth of the rows each."""

    trend: Trend
    slopes: NDArray[np.float64]  # (FOLDS, n_columns)
    bases: NDArray[np.float64]  # (FOLDS,)

    def left_out(self, X: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """What the trend without them says of rows X (n, d) with these ranks (n,) among all."""
        folds, out = ranks % FOLDS, np.empty(len(X))
        for part in parts_of(X):
            V, fold = side_by_side(self.trend.columns, X[part].astype(np.float64)), folds[part]
            out[part] = (V @ self.slopes.T + self.bases)[np.arange(len(fold)), fold]
        return out


class TrendFinder:
    """Finds trends of far rows; what all of them share is asked for once."""

    def __init__(self, rows: FarRows):
        self.far = rows
        self.plans: dict[type[Trend], Plan] = {}

    @cached_property
    def views(self) -> dict[type, Scaled | Steps]:
        """What the columns of trends are made of."""
        margins = margins_of(self.far, step_levels(self.far.n_features))
        span = margins.high - margins.low
        steps = Steps.at(margins.quantiles, margins.low, margins.high)
        return {Scaled: Scaled(margins.low, np.where(span > 0, span, 1.0)), Steps: steps}

    def __call__(self, kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[FarTrend, NDArray] | None:
        """The trend of that kind on a scale, and what those of others say of each row; None where it costs too much."""
        N, needed = len(self.far), [type(view) for view in kind.views_of(np.zeros((1, self.far.n_features)))]
        columns = [self.views[view] for view in needed]
        p = sum(len(view.owner) for view in columns)
        if min(N, p) > MOST_COLUMNS:
            return None
        if kind not in self.plans:
            self.plans[kind] = self._plan(columns, scale, p)
        plan = self.plans[kind]._replace(scale=scale)
        found = fitted(kind, plan, self._summed(moments, plan))
        values = np.concatenate(self.far.dask.compute(*self.far.each(values_left_out, found)))
        return found, values[self.far.rows]

    def _plan(self, columns, scale, p):
        """How columns are to be standardised; where they are more than rows, what directions these have."""
        N, plan = len(self.far), Plan(columns, scale, np.zeros(p), np.ones(p), None)
        plan = plan._replace(centre=self._summed(sums, plan) / N)
        spread = np.sqrt(self._summed(squares, plan) / N)
        plan = plan._replace(spread=np.where(spread > 0, spread, 1.0))
        if p <= N:
            return plan
        V = plan(self.far.patterns(np.arange(N)))  # few rows then
        return plan._replace(axes=np.linalg.svd(V, full_matrices=False)[2].T)

    def _summed(self, function: Callable, plan):
        """A sum over all rows."""
        return merged_in_steps(list(self.far.each(function, plan)), added).compute()


class Plan(NamedTuple):
    """What a regression sees of rows."""

    columns: list[Scaled | Steps]
    scale: Scale
    centre: NDArray[np.float64]  # (p,)
    spread: NDArray[np.float64]  # (p,)
    axes: NDArray[np.float64] | None  # (p, r); None: as they are

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Standardised columns (n, p), or (n, r) along the axes."""
        V = (side_by_side(self.columns, X.astype(np.float64)) - self.centre) / self.spread
        return V if self.axes is None else V @ self.axes


def fitted(kind: type[Trend], plan: Plan, moments: NDArray) -> FarTrend:
    """The trends of these moments (FOLDS, r + 2, r + 2), with that strength that is best for rows left out."""
    every = moments.sum(axis=0)
    found = np.array([with_bases(every - own) for own in moments])  # (FOLDS, n_strengths, r + 1)
    beside = np.concatenate([found, np.full((*found.shape[:2], 1), -1.0)], axis=2)
    errors = np.einsum("fsi,fij,fsj->s", beside, moments, beside, optimize=True)
    best = int(errors.argmin())
    lines = np.vstack([with_bases(every)[None, best], found[:, best]])
    slopes = (lines[:, :-1] if plan.axes is None else lines[:, :-1] @ plan.axes.T) / plan.spread
    bases = lines[:, -1] - slopes @ plan.centre
    return FarTrend(kind(plan.columns, slopes[0], float(bases[0])), slopes[1:], bases[1:])


def with_bases(moments: NDArray) -> NDArray[np.float64]:
    """Slopes and bases (n_strengths, r + 1) of ridge regressions, from moments of columns, one, and the target."""
    r = len(moments) - 2
    n, centre, level = moments[r, r], moments[:r, r], moments[r, r + 1]
    if n == 0:
        return np.zeros((len(STRENGTHS), r + 1))
    centre, level = centre / n, level / n
    slopes = ridge_slopes(moments[:r, :r] - n * np.outer(centre, centre), moments[:r, r + 1] - n * level * centre)
    return np.column_stack([slopes, level - slopes @ centre])


def moments(X: NDArray, y: NDArray, ranks: NDArray | int, plan: Plan) -> NDArray[np.float64]:
    """For every fold the products (r + 2, r + 2) of columns, one and the target on its scale, summed over rows."""
    folds, total = all_ranks(ranks, len(y)) % FOLDS, np.zeros(())
    for part in parts_of(X):
        V = plan(X[part])
        A = np.column_stack([V, np.ones(len(V)), plan.scale(y[part])])
        total = total + np.array([A[met].T @ A[met] for met in (folds[part] == fold for fold in range(FOLDS))])
    return total


def sums(X: NDArray, y: NDArray, ranks: NDArray | int, plan: Plan) -> NDArray[np.float64]:
    """Of the columns, (p,)."""
    return np.sum([plan(X[part]).sum(axis=0) for part in parts_of(X)], axis=0)


def squares(X: NDArray, y: NDArray, ranks: NDArray | int, plan: Plan) -> NDArray[np.float64]:
    """Of the columns, summed, (p,)."""
    return np.sum([(plan(X[part]) ** 2).sum(axis=0) for part in parts_of(X)], axis=0)


def values_left_out(X: NDArray, y: NDArray, ranks: NDArray | int, found: FarTrend) -> NDArray[np.float64]:
    """What others say of every row, (n,)."""
    return found.left_out(X, all_ranks(ranks, len(X)))


def added(parts: list[NDArray]) -> NDArray[np.float64]:
    """A sum, in the order of its parts."""
    return np.sum(parts, axis=0)


def parts_of(X: NDArray) -> list[slice]:
    """Few rows at a time."""
    return [slice(start, start + FEW) for start in range(0, len(X), FEW)]


def all_ranks(ranks: NDArray | int, n: int) -> Any:
    """The ranks (n,) of rows, of which a number is the first."""
    return ranks + np.arange(n) if isinstance(ranks, int) else ranks
