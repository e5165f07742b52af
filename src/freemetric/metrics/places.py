"""Rows at one place: copies of a row are rows, which share a distance and vote together."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Places(NamedTuple):
    """The M different places of N rows, and what lies there."""

    rows: NDArray[np.intp]  # (M,) one of the rows at every place
    of_row: NDArray[np.intp]  # (N,) the place of every row
    counts: NDArray[np.intp]  # (M,) rows there
    ballots: NDArray[np.float32]  # (M, C) their weights, by class

    @property
    def are_single(self) -> bool:
        """Whether no two rows share a place."""
        return len(self.rows) == len(self.of_row)


def places_of(X: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None) -> Places:
    """Where the rows X (N, d) of class numbers y (N,) lie.

    Places keep the order in which rows first come to them. Costs a sort by every feature where there are copies, one
    projection and a sort where there are none.
    """
    first, of_row = equal_rows(X)
    ballots = np.zeros((len(first), n_classes))
    np.add.at(ballots, (of_row, y), 1.0 if weights is None else weights)
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), ballots.astype(np.float32))


def shared_places(X: NDArray, votes: NDArray) -> Places:
    """Where the rows X (N, d) lie that vote for something of everything, (N, C)."""
    first, of_row = equal_rows(X)
    ballots = np.zeros((len(first), votes.shape[1]))
    np.add.at(ballots, of_row, votes)
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), ballots.astype(np.float32))


def equal_rows(X: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of every kind (M,), and which kind every row is of (N,)."""
    everyone = np.arange(len(X))
    if not may_have_copies(X):
        return everyone, everyone
    order = np.lexsort(X.T[::-1])  # stable: equal rows stay in their order
    is_new = np.append(True, (X[order[1:]] != X[order[:-1]]).any(axis=1))
    first = order[is_new]
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    of_row = np.empty(len(X), dtype=np.intp)
    of_row[order] = rank[np.cumsum(is_new) - 1]
    return np.sort(first), of_row


def may_have_copies(X: NDArray) -> bool:
    """Whether two rows fall on one point of a random line, as copies must."""
    shadow = np.sort(X @ _random_line(X.shape[1]))
    return bool((np.diff(shadow) <= 1e-9 * np.abs(shadow).max(initial=0.0)).any())


@cache
def _random_line(d):
    return np.random.default_rng(0).standard_normal(d)
