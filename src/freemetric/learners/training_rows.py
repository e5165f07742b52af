"""The rows that a metric is learned from: which of those given, in which order, with which weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..sklearn_compat import check_sample_weight
from .checks import check_labels, labelled

NOTHING = 1e-12  # of the mean weight


class TrainingRows(NamedTuple):
    """N labelled rows of some weight."""

    X: NDArray[np.float64]  # (N, d)
    y: NDArray[np.intp]  # (N,) class numbers
    weights: NDArray[np.float64] | None  # (N,) mean one; None where all are equal
    rows: NDArray[np.intp]  # (N,) their numbers among those given
    classes: NDArray  # (C,) labels


def training_rows(X: NDArray, y: NDArray, sample_weight: ArrayLike | None, can_weigh: bool = True) -> TrainingRows:
    """Rows with a label and a weight, in an order that depends on neither their order nor their units.

    Rows without a label (see ``labelled``) and of no weight are left out. The same data give the same metric. The order
    is a shuffled one, so that none of several rows at equal distances is preferred. Costs a sort by every feature.
    """
    weights = check_weights(sample_weight, X, can_weigh)
    rows = np.flatnonzero(labelled(y) & weighty(weights))
    classes, numbers = check_labels(y[rows])
    order = canonical_order(X[rows], numbers, weights[rows])
    rows, numbers = rows[order], numbers[order]
    weights = weights[rows]
    is_weighted = np.ptp(weights) > 0
    return TrainingRows(X[rows], numbers, weights / weights.mean() if is_weighted else None, rows, classes)


def canonical_order(X: NDArray, y: NDArray, weights: NDArray) -> NDArray[np.intp]:
    """A permutation after which rows (X, y, weights) are the same, in whatever order they came."""
    table = np.column_stack([X, y, weights])
    order = np.lexsort(table.T[::-1])
    return order[np.random.default_rng(0).permutation(len(order))]


def check_weights(sample_weight: ArrayLike | None, X: NDArray, can_weigh: bool = True) -> NDArray[np.float64]:
    """Weights (N,) of the rows of X, ones for None; ValueError where they cannot be weights, or not be used."""
    if sample_weight is not None and not can_weigh:
        raise ValueError("sample_weight was given, but this energy cannot weigh patterns.")
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    return weights


def weighty(weights: NDArray) -> NDArray[np.bool_]:
    """Which rows have more than a negligible weight."""
    return weights > NOTHING * weights.mean()
