"""Trends: functions fitted to the targets of all samples, here ridge regressions."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..files import register
from ..files.checks import check_array, is_number, require
from .averaged_metric import singular_vectors
from .views import Scaled, ScaledRanges, Steps, View

MOST_PRODUCTS = 400  # of 27 features; more cost more than the metrics
FARTHEST = 100.0  # ranges from the middle: there a product is as large as it gets, and never infinite


class Products(ScaledRanges):
    """Products of all pairs of features, and squares, each feature from -1/2 to 1/2 around the middle of its range."""

    words = "products of features"
    mixes_features = True

    def __init__(self, low: NDArray, span: NDArray):
        super().__init__(low, span)
        self.first, self.owner = np.triu_indices(len(low))

    @classmethod
    def of(cls, X):
        return cls.within(X.min(axis=0), X.max(axis=0))

    @classmethod
    def within(cls, lowest: NDArray, highest: NDArray) -> "Products":
        """The view of samples whose features have these lowest and highest values (d,)."""
        varies = highest > lowest
        return cls(np.where(varies, lowest, lowest - 0.5), np.where(varies, highest - lowest, 1.0))

    def __call__(self, X):
        V = np.clip((X - self.low) / self.span - 0.5, -FARTHEST, FARTHEST)
        return V[:, self.first] * V[:, self.owner]

    @classmethod
    def from_state(cls, state):
        require(cls.are_few(np.size(state["low"])), "low of Products", "has too many features")
        return super().from_state(state)

    @staticmethod
    def are_few(n_features: int) -> bool:
        """Whether so many features have products that are affordable."""
        return n_features * (n_features + 1) // 2 <= MOST_PRODUCTS


register("view:products", Products)


FOLDS = 10
STRENGTHS = np.logspace(-2, 5, 15)  # of the ridge, in rows
FEW = 8192  # rows whose columns are made at a time


class StandardColumns(NamedTuple):
    """Columns of some views, centred and each in its own unit: the regressors of a trend.

    A column in smaller units has larger values, and the ridge shrinks its slope less.
    """

    views: Sequence[View]
    centre: NDArray[np.float64]  # (p,)
    unit: NDArray[np.float64]  # (p,)
    axes: NDArray[np.float64] | None = None  # (p, r) where there are more columns than rows; None: as they are

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Columns (n, p) of samples X (n, d), or (n, r) along the axes."""
        V = (side_by_side(self.views, X) - self.centre) / self.unit
        return V if self.axes is None else V @ self.axes

    def along_rows(self, X: NDArray) -> "StandardColumns":
        """The same with the axes that few rows X (N, d) span."""
        return self._replace(axes=singular_vectors(self(X))[1].T)

    def sums(self, X: NDArray, weights: NDArray, power: int) -> NDArray[np.float64]:
        """Of all columns to that power over rows X (n, d), (p,)."""
        parts = [weights[some] @ self(X[some]) ** power for some in parts_of(len(X))]
        return np.sum(parts, axis=0) if parts else np.zeros(len(self.unit))

    def moments(self, X: NDArray, y: NDArray, folds: NDArray, weights: NDArray) -> NDArray[np.float64]:
        """Products (FOLDS, r + 2, r + 2) of columns, one and the target, summed over the rows of every fold."""
        r = len(self.unit) if self.axes is None else self.axes.shape[1]
        total = np.zeros((FOLDS, r + 2, r + 2))
        for some in parts_of(len(X)):
            A = np.column_stack([self(X[some]), np.ones(len(X[some])), y[some]])
            heavy = A * weights[some, None]
            for fold, met in enumerate(folds[some] == fold for fold in range(FOLDS)):
                total[fold] += A[met].T @ heavy[met]
        return total


class Lines(NamedTuple):
    """A linear regression on all rows, and those without the rows of one fold each."""

    slopes: NDArray[np.float64]  # (1 + FOLDS, p), of the columns of the views
    bases: NDArray[np.float64]  # (1 + FOLDS,)

    def left_out(self, views: Sequence[View], X: NDArray, folds: NDArray) -> NDArray[np.float64]:
        """Predictions (n,) for rows X (n, d) of the regressions without their folds."""
        out = np.empty(len(X))
        for some in parts_of(len(X)):
            of_folds = side_by_side(views, X[some]) @ self.slopes[1:].T + self.bases[1:]
            out[some] = of_folds[np.arange(len(of_folds)), folds[some]]
        return out


def fitted(columns: StandardColumns, moments: NDArray) -> Lines:
    """The regressions of these moments, with the strength of the ridge that is best for rows left out."""
    every = moments.sum(axis=0)
    found = np.array([_with_bases(every - own) for own in moments])  # (FOLDS, n_strengths, r + 1)
    beside = np.concatenate([found, np.full((*found.shape[:2], 1), -1.0)], axis=2)
    errors = np.einsum("fsi,fij,fsj->s", beside, moments, beside, optimize=True)
    best = int(errors.argmin())
    lines = np.vstack([_with_bases(every)[None, best], found[:, best]])
    slopes = (lines[:, :-1] if columns.axes is None else lines[:, :-1] @ columns.axes.T) / columns.unit
    return Lines(slopes, lines[:, -1] - slopes @ columns.centre)


def _with_bases(moments):
    """Slopes and bases (n_strengths, r + 1) of ridge regressions, from moments of columns, one, and the target."""
    r = len(moments) - 2
    n, centre, level = moments[r, r], moments[:r, r], moments[r, r + 1]
    if n <= 0:
        return np.zeros((len(STRENGTHS), r + 1))
    centre, level = centre / n, level / n
    lengths, axes = np.linalg.eigh(moments[:r, :r] - n * np.outer(centre, centre))
    products = moments[:r, r + 1] - n * level * centre
    slopes = ((axes.T @ products) / (lengths.clip(min=0) + STRENGTHS[:, None])) @ axes.T
    return np.column_stack([slopes, level - slopes @ centre])


def side_by_side(views: Sequence[View], X: NDArray) -> NDArray[np.float64]:
    """The columns (n, p) of several views."""
    X = X.astype(np.float64, copy=False)
    return np.hstack([view(X) for view in views])


def parts_of(n: int) -> Iterator[slice]:
    """Few of n rows at a time."""
    return (slice(start, min(start + FEW, n)) for start in range(0, n, FEW))


MOST_COLUMNS = 1000  # beyond, a trend costs more than the metrics
ROUNDING = 1e-24  # variance of a constant, where columns are of order one
STRAIGHT = 5.0  # straight lines are in units smaller by that, and held less, where there are columns beside them


class Trend(ABC):
    """A function of a sample that is fitted to the targets of all samples."""

    words: ClassVar[str]

    @abstractmethod
    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Values (n,) of samples X (n, d)."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Features of the samples."""

    @classmethod
    @abstractmethod
    def crossed(
        cls, X: NDArray, y: NDArray, weights: NDArray | None = None
    ) -> "tuple[Trend, NDArray[np.float64]] | None":
        """The trend of rows X (N, d) with targets y (N,), and its cross-fitted predictions (N,); None if too dear."""

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Trend":
        """What a file holds; ValueError where its parts do not fit together."""


class ColumnTrend(Trend):
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

    parts: ClassVar[tuple[type[View], ...]]  # views that it is made of

    def __init__(self, columns: Sequence[View], slopes: NDArray, base: float):
        self.columns, self.slopes, self.base = list(columns), slopes, base

    def __call__(self, X):
        parts = [side_by_side(self.columns, X[some]) @ self.slopes for some in parts_of(len(X))]
        return np.concatenate([np.empty(0), *parts]) + self.base

    @property
    def n_features(self):
        return int(max(view.owner.max() for view in self.columns)) + 1

    @classmethod
    def crossed(cls, X, y, weights=None):
        """Ridge regression on standardised columns.

        A tenth of the rows is left out at a time; the strength of the ridge is the one that predicts rows left out
        best. O(N p^2 + p^3).
        """
        if not has_few_products(cls, X.shape[1]):
            return None
        views = [view.of(X) for view in cls.parts]
        p = sum(len(view.owner) for view in views)
        if min(len(X), p) > MOST_COLUMNS:
            return None
        w = np.ones(len(y)) if weights is None else weights
        columns, folds = StandardColumns(views, np.zeros(p), np.ones(p)), np.arange(len(y)) % FOLDS
        columns = columns._replace(centre=columns.sums(X, w, 1) / w.sum())
        columns = columns._replace(unit=units_of(views, columns.sums(X, w, 2) / w.sum()))
        columns = columns.along_rows(X) if p > len(X) else columns
        lines = fitted(columns, columns.moments(X, y, folds, w))
        return cls(views, lines.slopes[0], float(lines.bases[0])), lines.left_out(views, X, folds)

    @classmethod
    def from_state(cls, state):
        columns, slopes, base = state["columns"], state["slopes"], state["base"]
        known = type(columns) is list and tuple(map(type, columns)) == cls.parts
        require(known, "columns of Trend", "are no views, or others")
        check_array(slopes, "slopes of Trend", 1, (sum(len(view.owner) for view in columns),))
        require(is_number(base), "base of Trend", "is no number")
        return cls(columns, slopes, base)


class LinearTrend(ColumnTrend):
    """A straight line along every feature."""

    words = "a straight line along every feature"
    parts = (Scaled,)


class StepTrend(ColumnTrend):
    """A staircase along every feature, with a slope: any function of one feature, added up."""

    words = "a staircase along every feature"
    parts = (Scaled, Steps)


class SurfaceTrend(ColumnTrend):
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
    """The trend of rows X (N, d) with targets y (N,), and its cross-fitted predictions (N,); None if too expensive."""
    return kind.crossed(X, y, weights)


def has_few_products(kind: type[ColumnTrend], n_features: int) -> bool:
    """Whether a trend of so many features has no more products than are affordable."""
    return Products not in kind.parts or Products.are_few(n_features)


def units_of(views: Sequence[View], variances: NDArray) -> NDArray[np.float64]:
    """Units (p,) of columns with these variances: standard deviations; less for straight lines, one for constants."""
    ease = [np.full(len(view.owner), STRAIGHT if isinstance(view, Scaled) else 1.0) for view in views]
    varies = variances > ROUNDING
    return np.where(varies, np.sqrt(variances), 1.0) / (np.concatenate(ease) if len(views) > 1 else 1.0)
