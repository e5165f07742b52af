"""Trends: the target as a whole. Neighbours know what is near; a trend knows where everything goes.

A trend is the counterpart of a basin: a function of all features in a mean field, that holds for the data as a whole
and errs elsewhere than neighbours do. How far it counts is found out of bag.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..files import register
from ..files.checks import check_array, is_number, require
from .products import Products
from .ridges import FOLDS, Columns, fitted, parts_of, side_by_side
from .views import Scaled, Steps, View

MOST_COLUMNS = 1000  # beyond, a trend costs more than the metrics
ROUNDING = 1e-24  # variance of a constant, where columns are of order one
STRAIGHT = 5.0  # straight lines are in units smaller by that, and held less, where there are columns beside them


class Trend:
    """f(x) = base + sum_j slope_j v_j(x): linear in columns v of some views.

    Parameters
    ----------
    columns : list of View
        What the columns are, side by side.
    slopes : ndarray of shape (n_columns,)
        Their weights.
    base : float
        What is added.
    """

    words: ClassVar[str]
    parts: ClassVar[tuple[type[View], ...]]  # views that it is made of

    def __init__(self, columns: Sequence[View], slopes: NDArray, base: float):
        self.columns, self.slopes, self.base = list(columns), slopes, base

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """f (n,) of patterns X (n, d)."""
        parts = [side_by_side(self.columns, X[some]) @ self.slopes for some in parts_of(len(X))]
        return np.concatenate([np.empty(0), *parts]) + self.base

    @property
    def n_features(self) -> int:
        """Features that it looks at."""
        return int(max(view.owner.max() for view in self.columns)) + 1

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Trend":
        columns, slopes, base = state["columns"], state["slopes"], state["base"]
        known = type(columns) is list and tuple(map(type, columns)) == cls.parts
        require(known, "columns of Trend", "are no views, or others")
        check_array(slopes, "slopes of Trend", 1, (sum(len(view.owner) for view in columns),))
        require(is_number(base), "base of Trend", "is no number")
        return cls(columns, slopes, base)


class LinearTrend(Trend):
    """A straight line along every feature."""

    words = "a straight line along every feature"
    parts = (Scaled,)


class StepTrend(Trend):
    """A staircase along every feature, with a slope: any function of one feature, added up."""

    words = "a staircase along every feature"
    parts = (Scaled, Steps)


class SurfaceTrend(Trend):
    """A surface of second degree: every feature straight and bent, and every two of them together."""

    words = "a curved surface over all features"
    parts = (Scaled, Products)


TRENDS: dict[str, type[Trend]] = {"linear": LinearTrend, "steps": StepTrend, "surface": SurfaceTrend}
"""Trends by name."""

for _name, _trend in TRENDS.items():
    register(f"trend:{_name}", _trend)


def crossed_trend(
    kind: type[Trend], X: NDArray, y: NDArray, weights: NDArray | None = None
) -> tuple[Trend, NDArray[np.float64]] | None:
    """The trend of rows X (N, d) and numbers y (N,), and what trends of the others say of each row, (N,).

    Ridge regression on standardised columns; a tenth of the rows is left out at a time, and the strength of the ridge
    is the one whose predictions of rows left out are best. None where it would cost too much. O(N p^2 + p^3).
    """
    if not has_few_products(kind, X.shape[1]):
        return None
    views = [view.of(X) for view in kind.parts]
    p = sum(len(view.owner) for view in views)
    if min(len(X), p) > MOST_COLUMNS:
        return None
    w = np.ones(len(y)) if weights is None else weights
    columns, folds = Columns(views, np.zeros(p), np.ones(p)), np.arange(len(y)) % FOLDS
    columns = columns._replace(centre=columns.sums(X, w, 1) / w.sum())
    columns = columns._replace(unit=units_of(views, columns.sums(X, w, 2) / w.sum()))
    columns = columns.along_rows(X) if p > len(X) else columns
    lines = fitted(columns, columns.moments(X, y, folds, w))
    return kind(views, lines.slopes[0], float(lines.bases[0])), lines.left_out(views, X, folds)


def has_few_products(kind: type[Trend], n_features: int) -> bool:
    """Whether a trend of so many features has no more products than are affordable."""
    return Products not in kind.parts or Products.are_few(n_features)


def units_of(views: Sequence[View], variances: NDArray) -> NDArray[np.float64]:
    """Units (p,) of columns with these variances: standard deviations, and smaller ones for straight lines.

    A straight line is what most targets have most of. Of columns that are constant the unit is one.
    """
    ease = [np.full(len(view.owner), STRAIGHT if isinstance(view, Scaled) else 1.0) for view in views]
    varies = variances > ROUNDING
    return np.where(varies, np.sqrt(variances), 1.0) / (np.concatenate(ease) if len(views) > 1 else 1.0)
