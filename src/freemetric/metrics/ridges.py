"""Ridge regressions from sums over rows: one pass makes those of all rows and those without a tenth of them each."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .views import View

FOLDS = 10
STRENGTHS = np.logspace(-2, 5, 15)  # of the ridge, in rows
FEW = 8192  # rows whose columns are made at a time


class Columns(NamedTuple):
    """What a regression sees of patterns: the columns of some views, each in units of its own.

    A column in smaller units has larger values, and its slope is held less.
    """

    views: Sequence[View]
    centre: NDArray[np.float64]  # (p,)
    unit: NDArray[np.float64]  # (p,)
    axes: NDArray[np.float64] | None = None  # (p, r) where there are more columns than rows; None: as they are

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Columns (n, p) of patterns X (n, d), or (n, r) along the axes."""
        V = (side_by_side(self.views, X) - self.centre) / self.unit
        return V if self.axes is None else V @ self.axes

    def along_rows(self, X: NDArray) -> "Columns":
        """The same with the axes that few rows X (N, d) span."""
        return self._replace(axes=np.linalg.svd(self(X), full_matrices=False)[2].T)

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
    """A regression on all rows, and those without the rows of one fold each."""

    slopes: NDArray[np.float64]  # (1 + FOLDS, p), of the columns of the views
    bases: NDArray[np.float64]  # (1 + FOLDS,)

    def left_out(self, views: Sequence[View], X: NDArray, folds: NDArray) -> NDArray[np.float64]:
        """What the regression without their fold says of rows X (n, d), (n,)."""
        out = np.empty(len(X))
        for some in parts_of(len(X)):
            said = side_by_side(views, X[some]) @ self.slopes[1:].T + self.bases[1:]
            out[some] = said[np.arange(len(said)), folds[some]]
        return out


def fitted(columns: Columns, moments: NDArray) -> Lines:
    """The regressions of these moments, with that strength of the ridge that is best for rows left out."""
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
    slopes = _slopes(moments[:r, :r] - n * np.outer(centre, centre), moments[:r, r + 1] - n * level * centre)
    return np.column_stack([slopes, level - slopes @ centre])


def _slopes(squares, products):
    """Slopes (n_strengths, r) for columns whose deviations from their means have these squares (r, r), and these
    products (r,) with those of the target."""
    lengths, axes = np.linalg.eigh(squares)
    return ((axes.T @ products) / (lengths.clip(min=0) + STRENGTHS[:, None])) @ axes.T


def side_by_side(views: Sequence[View], X: NDArray) -> NDArray[np.float64]:
    """The columns (n, p) of several views."""
    X = X.astype(np.float64, copy=False)
    return np.hstack([view(X) for view in views])


def parts_of(n: int) -> Iterator[slice]:
    """Few of n rows at a time."""
    return (slice(start, min(start + FEW, n)) for start in range(0, n, FEW))
