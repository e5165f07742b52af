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


def check_weights(sample_weight, X, can_weigh=True):
    """Weights (N,) of the rows of X, ones for None; ValueError where they cannot be weights, or not be used."""
    if sample_weight is not None and not can_weigh:
        raise ValueError("sample_weight was given, but this energy cannot weigh patterns.")
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
    what they judge. The order of the patterns depends neither on that of the rows nor on the units of the features: the
    same data give the same metric. It is a shuffled one, so that patterns at equal distances have no favourites.
    Costs a sort by every feature.
    """
    table = np.column_stack([X, y])
    order = np.lexsort(table.T[::-1])
    table = table[order]
    is_new = np.append(True, (table[1:] != table[:-1]).any(axis=1))
    shuffled = np.random.default_rng(0).permutation(is_new.sum())
    of_row = np.empty(len(X), dtype=np.intp)
    of_row[order] = shuffled[np.cumsum(is_new) - 1]
    rows = np.empty(len(shuffled), dtype=np.intp)
    rows[shuffled] = order[is_new]
    total = np.bincount(of_row, weights)
    return Patterns(rows, total / total.mean(), of_row)
