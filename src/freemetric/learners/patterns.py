"""From rows to patterns: copies of a row are one pattern with a larger weight, rows of no weight are none."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import _check_sample_weight

NOTHING = 1e-12  # of the mean weight


class Patterns(NamedTuple):
    """The n distinct patterns among N rows."""

    rows: np.ndarray  # (n,) a row of every pattern
    weights: np.ndarray  # (n,) mean one
    of_row: np.ndarray  # (N,) the pattern that every row is


def check_weights(sample_weight, X):
    """Weights (N,) of the rows of X, ones for None; ValueError where they cannot be weights."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    return weights


def weighty(weights):
    """Which rows have a weight worth mentioning."""
    return weights > NOTHING * weights.mean()


def distinct(X, y, weights):
    """The distinct patterns of labelled rows X (N, d), y (N,) with positive weights (N,).

    Left in, a copy would tell the class of the pattern that leave-one-out leaves out, and out-of-bag votes would know
    what they judge. The order of the patterns depends neither on that of the rows nor on the classes: the same data
    give the same metric, and patterns at equal distances have no favourites. Costs a sort of the rows.
    """
    table = np.column_stack([X, y]) + 0.0  # one zero instead of two
    keys = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, rows, of_row = np.unique(keys, return_index=True, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(rows))
    place = np.argsort(order)
    total = np.bincount(of_row, weights)[order]
    return Patterns(rows[order], total / total.mean(), place[of_row])
