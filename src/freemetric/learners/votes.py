"""Votes of the nearest neighbours, for every number of neighbours at once."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

CHUNK_BYTES = 64 << 20
NEAREST_BONUS = 1e-3  # of a vote: equal counts are decided by the nearest neighbours


class NeighborVotes:
    """Training patterns Z (N, p) with class numbers y, ready to vote.

    The votes of a query are an array (n_neighbors, n_classes): row k - 1 counts the classes of its k nearest patterns.
    """

    def __init__(self, Z, y, n_classes, n_neighbors, n_jobs=None):
        self.Z, self.n_neighbors = Z, n_neighbors
        self.search = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(Z)
        self.ballot = np.eye(n_classes, dtype=np.float32)[y]  # (N, C)

    def of(self, Z):
        """Votes for new patterns, (len(Z), n_neighbors, n_classes)."""
        return self.ballot[self.search.kneighbors(Z, return_distance=False)].cumsum(axis=1)

    def left_out(self, rows):
        """Votes for the training patterns ``rows``, each without its own vote."""
        k = self.n_neighbors
        nearest = self.search.kneighbors(self.Z[rows], n_neighbors=k + 1, return_distance=False)
        others = nearest != rows[:, None]
        others[others.all(axis=1), -1] = False  # lost among its copies: drop the farthest instead
        return self.ballot[nearest[others].reshape(len(rows), k)].cumsum(axis=1)


def shares(votes):
    """Class shares (..., C) of votes (..., K, C) for every k; ties are decided by the nearest neighbours."""
    decided = votes + NEAREST_BONUS * votes[..., :1, :]
    return decided / decided.sum(axis=-1, keepdims=True)


def chunks(n_queries, n_neighbors, n_classes):
    """Slices of the queries whose votes fit the memory budget."""
    size = max(1, CHUNK_BYTES // (4 * n_neighbors * n_classes))
    return [slice(start, min(start + size, n_queries)) for start in range(0, n_queries, size)]
