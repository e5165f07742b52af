"""The rows that a metric is learned from: their selection, order and weights."""

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..sklearn_compat import check_sample_weight
from .validation import check_label_columns, check_labels, labelled

NOTHING = 1e-12  # of the mean weight
MOST_ORDERED = 200_000  # rows; no tie among more of them can matter
NUMBERS = (np.float64, np.float32)  # types of samples; others become the first


def precise(X: NDArray[np.floating]) -> NDArray[np.floating]:
    """Samples in double precision, unless there are very many."""
    return X if len(X) > MOST_ORDERED else X.astype(np.float64, copy=False)


class TrainingRows(NamedTuple):
    """N labelled rows of some weight."""

    X: NDArray[np.floating]  # (N, d)
    y: NDArray  # class indices or targets, (N,) or (N, m)
    weights: NDArray[np.float64] | None  # (N,) mean one; None where all are equal
    rows: NDArray[np.intp]  # (N,) their indices among those given
    classes: Any  # (C,) labels, or a list of them for several outputs; none in regression


def training_rows(
    X: NDArray, y: NDArray, sample_weight: ArrayLike | None, can_weigh: bool = True, classes: ArrayLike | None = None
) -> TrainingRows:
    """Rows with labels y (n,) or (n, m) and a weight, in a shuffled order that does not depend on the order given.

    Very many rows keep their order and are not copied. ``classes`` are all possible labels of one output; None: those
    of y.
    """
    weights = check_weights(sample_weight, X, can_weigh)
    if y.ndim == 2:
        rows = np.flatnonzero(weighty(weights))
        known, indices = check_label_columns(y[rows])
        return _in_order(X, indices, weights, rows, known)
    rows = np.flatnonzero(labelled(y) & weighty(weights))
    classes, indices = check_labels(y[rows], classes)
    return _in_order(X, indices, weights, rows, classes)


def regression_rows(X: NDArray, y: NDArray, sample_weight: ArrayLike | None, can_weigh: bool = True) -> TrainingRows:
    """Rows of some weight with targets y (n,) or (n, m), in the order that ``training_rows`` has."""
    weights = check_weights(sample_weight, X, can_weigh)
    rows = np.flatnonzero(weighty(weights))
    return _in_order(X, y[rows].astype(np.float64), weights, rows, np.empty(0))


def _in_order(X, y, weights, rows, classes):
    taken = X if len(rows) == len(X) else X[rows]
    if len(rows) <= MOST_ORDERED:
        order = canonical_order(taken, y, weights[rows])
        rows, y, taken = rows[order], y[order], taken[order]
    weights = weights[rows]
    return TrainingRows(taken, y, weights / weights.mean() if np.ptp(weights) > 0 else None, rows, classes)


def canonical_order(X: NDArray, y: NDArray, weights: NDArray) -> NDArray[np.intp]:
    """A permutation that brings rows (X, y, weights) into the same order, however they were ordered."""
    order, shared = np.arange(len(X)), np.zeros(len(X), dtype=np.intp)  # rows, and which of them are equal so far
    for column in chain(X.T, np.atleast_2d(y.T), (weights,)):  # no more of them than are needed
        tied = np.flatnonzero(np.append(False, np.diff(shared) == 0) | np.append(np.diff(shared) == 0, False))
        if not len(tied):
            break
        values = column[order[tied]]
        sorted_ = np.lexsort((values, shared[tied]))
        order[tied], values = order[tied][sorted_], values[sorted_]
        is_new = np.append(True, (np.diff(shared[tied]) != 0) | (values[1:] != values[:-1]))
        steps = np.append(0, np.diff(shared) != 0)
        steps[tied] |= is_new
        steps[0] = 0
        shared = np.cumsum(steps)
    return order[np.random.default_rng(0).permutation(len(order))]


def check_weights(sample_weight: ArrayLike | None, X: NDArray, can_weigh: bool = True) -> NDArray[np.float64]:
    """Weights (N,) of the rows of X, ones for None; ValueError where they cannot be weights, or not be used."""
    if sample_weight is not None and not can_weigh:
        raise ValueError("sample_weight was given, but this energy cannot weigh samples.")
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    return weights


def weighty(weights: NDArray) -> NDArray[np.bool_]:
    """Which rows have more than a negligible weight."""
    return weights > NOTHING * weights.mean()
