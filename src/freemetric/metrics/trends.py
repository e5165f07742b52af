"""Trends: the target as a whole. Neighbours know what is near; a trend knows where everything goes.

A trend is the counterpart of a basin: a function of all features in a mean field, each on its own, that holds for the
data as a whole and errs elsewhere than neighbours do. How far it counts is found out of bag.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..files import register
from ..files.checks import check_array, is_number, require
from .views import Scaled, Steps

FOLDS = 10
STRENGTHS = np.logspace(-2, 5, 15)  # of the ridge, in rows
MOST_COLUMNS = 1000  # beyond, a trend costs more than the metrics


class Trend:
    """f(x) = base + sum_j slope_j v_j(x): linear in columns v that depend on one feature each.

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

    def __init__(self, columns: Sequence[Scaled | Steps], slopes: NDArray, base: float):
        self.columns, self.slopes, self.base = list(columns), slopes, base

    @classmethod
    def views_of(cls, X: NDArray) -> list[Scaled | Steps]:
        """The views that training patterns X (N, d) define."""
        raise NotImplementedError

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """f (n,) of patterns X (n, d)."""
        return side_by_side(self.columns, X) @ self.slopes + self.base

    @property
    def n_features(self) -> int:
        """Features that it looks at."""
        return int(max(view.owner.max() for view in self.columns)) + 1

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Trend":
        columns, slopes, base = state["columns"], state["slopes"], state["base"]
        known = type(columns) is list and columns and all(type(view) in (Scaled, Steps) for view in columns)
        require(known, "columns of Trend", "are no views")
        check_array(slopes, "slopes of Trend", 1, (sum(len(view.owner) for view in columns),))
        require(is_number(base), "base of Trend", "is no number")
        return cls(columns, slopes, base)


class LinearTrend(Trend):
    """A straight line along every feature."""

    words = "a straight line along every feature"

    @classmethod
    def views_of(cls, X):
        return [Scaled.of(X)]


class StepTrend(Trend):
    """A staircase along every feature, with a slope: any function of one feature, added up."""

    words = "a staircase along every feature"

    @classmethod
    def views_of(cls, X):
        return [Scaled.of(X), Steps.of(X)]


TRENDS: dict[str, type[Trend]] = {"linear": LinearTrend, "steps": StepTrend}
"""Trends by name."""

for _name, _trend in TRENDS.items():
    register(f"trend:{_name}", _trend)


def side_by_side(views: Sequence[Scaled | Steps], X: NDArray) -> NDArray[np.float64]:
    """The columns (n, n_columns) of several views."""
    return np.hstack([view(X) for view in views])


def crossed_trend(
    kind: type[Trend], X: NDArray, y: NDArray, weights: NDArray | None = None
) -> tuple[Trend, NDArray[np.float64]] | None:
    """The trend of rows X (N, d) and numbers y (N,), and what trends of the others say of each row, (N,).

    Ridge regression on standardised columns; a tenth of the rows is left out at a time, and the strength of the ridge
    is the one whose predictions of rows left out are best. None where it would cost too much. O(N p^2 + p^3).
    """
    views = kind.views_of(X)
    V = side_by_side(views, X)
    if min(V.shape) > MOST_COLUMNS:
        return None
    w = np.ones(len(y)) if weights is None else weights
    centre, spread = _moments(V, w)
    V = (V - centre) / spread
    axes = np.eye(V.shape[1]) if V.shape[1] <= len(V) else np.linalg.svd(V, full_matrices=False)[2].T
    V = V @ axes  # no more columns than rows
    fold = np.arange(len(y)) % FOLDS
    left_out = np.empty((len(STRENGTHS), len(y)))
    for number in range(FOLDS):
        met = fold == number
        if met.any():
            slopes, bases = _ridges(V, y, np.where(met, 0.0, w))
            left_out[:, met] = slopes @ V[met].T + bases[:, None]
    best = int((((left_out - y) ** 2) @ w).argmin())
    slopes, bases = _ridges(V, y, w)
    slope = axes @ slopes[best] / spread
    return kind(views, slope, float(bases[best] - centre @ slope)), left_out[best]


def _moments(V, w):
    """Mean and standard deviation of every column; one where a column is constant."""
    centre = np.average(V, axis=0, weights=w)
    spread = np.sqrt(np.average((V - centre) ** 2, axis=0, weights=w))
    return centre, np.where(spread > 0, spread, 1.0)


def _ridges(V, y, w):
    """Slopes (n_strengths, p) and bases (n_strengths,) of the ridge regressions of y on V with these weights."""
    if not w.any():
        return np.zeros((len(STRENGTHS), V.shape[1])), np.zeros(len(STRENGTHS))
    centre, level = np.average(V, axis=0, weights=w), np.average(y, weights=w)
    heavy = (V - centre) * w[:, None]
    slopes = ridge_slopes(heavy.T @ (V - centre), heavy.T @ (y - level))
    return slopes, level - slopes @ centre


def ridge_slopes(squares: NDArray, products: NDArray) -> NDArray[np.float64]:
    """Slopes (n_strengths, p) for columns whose deviations from their means have these squares (p, p), and these
    products (p,) with those of the target."""
    lengths, axes = np.linalg.eigh(squares)
    return ((axes.T @ products) / (lengths.clip(min=0) + STRENGTHS[:, None])) @ axes.T
