"""Quantiles of features whose values live in many places: exact, though only a small part of them travels.

Every part says some of its values in order, a ladder. Together ladders leave few values between which a quantile must
lie; these are fetched.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .far_rows import FarRows

RUNGS = 512  # of a ladder


class Ladder(NamedTuple):
    """Values (g, d) of every feature and how many values are before them, (g,); the lowest and the highest are in."""

    values: NDArray[np.float64]
    numbers: NDArray[np.intp]


class Margins(NamedTuple):
    """What is known of the features one by one, (d,) and quantiles (n, d)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    quantiles: NDArray[np.float64]


def margins_of(rows: FarRows, levels: NDArray) -> Margins:
    """The ends of all features, and those of their values that a share ``levels`` (n,) of all does not exceed."""
    dask = rows.dask
    ladders = dask.compute(*rows.each(ladder_of))
    wanted = 1 + np.quantile(np.arange(len(rows)), levels, method="inverted_cdf").astype(np.intp)
    above, up_to = np.stack([brackets(ladders, wanted, j) for j in range(rows.n_features)], axis=-1)
    found = dask.compute(*rows.each(between, above, up_to))
    quantiles = [[picked(found, n, j, k) for j in range(rows.n_features)] for n, k in enumerate(wanted)]
    low = np.min([ladder.values[0] for ladder in ladders], axis=0)
    return Margins(low, np.max([ladder.values[-1] for ladder in ladders], axis=0), np.array(quantiles))


def ladder_of(X: NDArray, y: NDArray, ranks: Any) -> Ladder:
    """The ladder of rows X (n, d)."""
    numbers = np.unique(np.linspace(0, len(X) - 1, RUNGS).astype(np.intp))
    return Ladder(np.sort(X, axis=0)[numbers].astype(np.float64), numbers)


def brackets(ladders: Sequence[Ladder], wanted: NDArray, feature: int) -> NDArray[np.float64]:
    """Values (2, n) such that the k-th smallest of a feature, k in ``wanted`` (n,), is above the one, up to the other.

    At a rung at least as many values are met as stand up to it, and at most as many as stand before the next.
    """
    values = np.concatenate([ladder.values[:, feature] for ladder in ladders])
    at_least = np.concatenate([np.diff(ladder.numbers, prepend=-1) for ladder in ladders])
    at_most = np.concatenate([np.diff(ladder.numbers, append=ladder.numbers[-1] + 1) for ladder in ladders])
    order = np.argsort(values, kind="stable")
    values, at_least, at_most = values[order], np.cumsum(at_least[order]), np.cumsum(at_most[order])
    first = values[np.searchsorted(at_most, wanted)]  # that may be large enough
    below = np.append(-np.inf, values)[np.searchsorted(values, first)]
    return np.array([below, values[np.searchsorted(at_least, wanted)]])


def between(X: NDArray, y: NDArray, ranks: Any, above: NDArray, up_to: NDArray) -> tuple[NDArray, list[list[NDArray]]]:
    """How many values (n, d) are not in these brackets (n, d) but below; different values in them and how often."""
    values = np.sort(X, axis=0).astype(np.float64).T
    starts, ends = (
        np.array([np.searchsorted(column, cut, "right") for column, cut in zip(values, cuts.T, strict=True)])
        for cuts in (above, up_to)
    )
    inside = [
        [np.array(np.unique(column[a:b], return_counts=True)) for a, b in zip(*two, strict=True)]
        for column, *two in zip(values, starts, ends, strict=True)
    ]
    return starts.T, inside


def picked(found: Sequence[tuple[NDArray, list[list[NDArray]]]], bracket: int, feature: int, wanted: int) -> float:
    """The ``wanted``-th smallest value of a feature, which is in this bracket."""
    n_below = sum(below[bracket, feature] for below, _ in found)
    values, counts = np.concatenate([inside[feature][bracket] for _, inside in found], axis=1)
    order = np.argsort(values, kind="stable")
    return values[order][np.searchsorted(n_below + np.cumsum(counts[order]), wanted)]
