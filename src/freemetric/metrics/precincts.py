"""A committee whose voters live apart: its spaces, which can be sent, and its voters, who stay where they are."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .committee import BaseCommittee
from .ensemble import Ensemble
from .places import Places, places_of
from .shortlist import Shortlist, seen_in
from .views import View

BLOCK_BYTES = 16 << 20  # of an answer


class Spaces(NamedTuple):
    """All of a committee but its voters: what travels to them."""

    views: Mapping[str, View]
    ensembles: Sequence[Ensemble]
    weights: NDArray[np.float32]  # (R, K) of every number of neighbours in every space
    matrices: Mapping[str, NDArray]  # the averaged metric, by view

    @classmethod
    def of(cls, committee: BaseCommittee) -> "Spaces":
        """The spaces of a committee."""
        rows, sizes = committee.mixture.weights, [len(ensemble) for ensemble in committee.ensembles]
        weights = np.repeat(rows / np.array(sizes)[:, None], sizes, axis=0).astype(np.float32)
        used = weights[:, : np.flatnonzero(weights.any(axis=0))[-1] + 1]
        matrices = committee.averaged_matrices()
        return cls(committee.views, committee.ensembles, np.ascontiguousarray(used), matrices)

    @property
    def block(self) -> int:
        """Queries whose answers are of a bounded size."""
        return max(1, BLOCK_BYTES // (8 * self.weights.size))


class Precinct(NamedTuple):
    """Voters that live together, a row for every place, in the order of their ranks."""

    X: NDArray  # (M, d)
    ranks: NDArray[np.int64]  # (M,) of the first row there, among all voters
    keys: NDArray[np.uint64]  # (M,) the same for the same row, wherever it lives
    counts: NDArray[np.intp]  # (M,) rows there
    ballots: NDArray[np.float32]  # (M, C) their votes, by class
    shortlist: Shortlist | None = None

    @classmethod
    def of(cls, X: NDArray, y: NDArray, n_classes: int, ranks: NDArray) -> "Precinct":
        """Rows X (N, d) of class numbers y (N,), which come in the order of their ranks (N,)."""
        return cls.at(places_of(X, y, n_classes), X, ranks)

    @classmethod
    def at(cls, places: Places, X: NDArray, ranks: NDArray) -> "Precinct":
        """The same rows, of which is known where they lie and what they vote for."""
        rows = X if places.are_single else X[places.rows]
        return cls(rows, ranks[places.rows], row_keys(rows), places.counts, places.ballots)

    def listed(self, spaces: Spaces) -> "Precinct":
        """The same, ready to name its nearest in the averaged metric."""
        if not len(self.X):
            return self
        return self._replace(shortlist=Shortlist.of(spaces.matrices, seen_in(spaces.views, self.X)))


def row_keys(X: NDArray) -> NDArray[np.uint64]:
    """Numbers (N,) that are equal for equal rows of X (N, d), and else different but for chance (2^-64 a pair)."""
    keys = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        # plus zero: there are two zeros that are equal. The constants are those of splitmix64.
        keys ^= (column.astype(np.float64) + 0.0).view(np.uint64)
        keys += np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
        keys ^= keys >> np.uint64(31)
    return keys
