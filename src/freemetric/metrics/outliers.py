"""How far outside of all that was seen a pattern lies."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from .averages import some_rows

FARTHEST = 1e75  # of a coordinate: squares of distances stay numbers
# No attribute of a committee: asking must not change it, and its file holds nothing that can be computed.
LONELINESS: "WeakKeyDictionary[object, Loneliness]" = WeakKeyDictionary()


class Loneliness(NamedTuple):
    """Distances to the nearest other row: a search among rows, and what is usual among them, sorted.

    Views such as quantiles end where the rows end. A feature that is as far outside of them as they are apart is far,
    whatever a view says.
    """

    search: NearestNeighbors
    usual: NDArray[np.float64]  # (n,)
    lowest: NDArray  # (d,) of every feature, before it is far outside
    highest: NDArray

    @classmethod
    def of(cls, X: NDArray, Z: NDArray) -> "Loneliness":
        """What is usual among rows X (N, d) at Z (N, q), each without itself; of very many, some are asked."""
        search = NearestNeighbors(n_neighbors=min(2, len(Z))).fit(Z)
        low, high = X.min(axis=0), X.max(axis=0)
        span = np.where(high > low, high - low, np.inf)  # what was always the same is no part of a distance
        return cls(search, np.sort(search.kneighbors(some_rows(Z))[0][:, -1]), low - span, high + span)

    def __call__(self, X: NDArray, Z: NDArray) -> NDArray[np.float64]:
        """Share (n,) of the rows that are less far from their nearest than patterns X (n, d) at Z (n, q)."""
        within = np.clip(np.nan_to_num(Z), -FARTHEST, FARTHEST)
        distances = self.search.kneighbors(within, n_neighbors=1)[0][:, 0]
        share = np.searchsorted(self.usual, distances * (1 - 1e-9), side="right") / len(self.usual)
        return np.where(((self.lowest > X) | (self.highest < X)).any(axis=1), 1.0, share)
