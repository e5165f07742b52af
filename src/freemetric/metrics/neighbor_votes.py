"""Votes of the nearest neighbours, for every number of neighbours at once."""

import numpy as np
from numpy.typing import NDArray

from ..kernels import cpu_kernels, kernels_for
from ..magnitudes import exponent_of
from .training_set import ClassEncoding, Places, places_of

CHUNK_BYTES = 64 << 20
NEAREST_BONUS = 1e-3  # of a vote: equal counts are decided by the nearest neighbours
FARTHEST = 1e12  # times what rows measure; beyond, single precision ends and the same rows are nearest


class NeighborVotes:
    """Training rows ready to vote, in one space Z (n_places, p).

    The votes of a query are an array (n_neighbors, n_classes): row k - 1 counts the classes of its k nearest rows, each
    by its weight. Rows at one place are equally far: where only some of them are among the k nearest, each has the same
    part of a vote, so that no order of the rows matters. ``n_neighbors`` is less than the number of rows.
    """

    def __init__(
        self, Z: NDArray, places: Places, n_neighbors: int, n_jobs: int | None = None, device: str = "cpu"
    ) -> None:
        self.exponent = int(exponent_of(Z.ravel()))  # single precision holds few magnitudes: Z is made of order one
        self.Z, self.places, self.n_neighbors = np.ldexp(Z, -self.exponent), places, n_neighbors
        self.search = kernels_for(device).NearestNeighbors(self.Z, device, n_jobs)

    @classmethod
    def of_rows(
        cls, Z: NDArray, y: NDArray, n_classes: int, n_neighbors: int, n_jobs: int | None = None, device: str = "cpu"
    ) -> "NeighborVotes":
        """Rows Z (N, p) with class numbers y, ready to vote."""
        places = places_of(Z, y, ClassEncoding(n_classes))
        return cls(Z[places.rows], places, n_neighbors, n_jobs, device)

    def of(self, Q: NDArray) -> NDArray:
        """Votes for new samples Q (n, p), (n, n_neighbors, n_classes)."""
        nearest = self.search.kneighbors(within_reach(Q, self.exponent), min(self.n_neighbors, len(self.Z)))
        if self.places.are_single:
            return self.places.votes[nearest].cumsum(axis=1)
        return votes_by_count(self.places.counts[nearest], self.places.votes[nearest], self.n_neighbors)

    def add_left_out_shares(self, rows: NDArray, own: NDArray, numbers: NDArray, out: NDArray[np.float32]) -> None:
        """Add to out[numbers] (n, n_neighbors, n_classes) the shares of votes for training rows, each without its own.

        ``own`` (n, n_classes) is what each of them adds to the votes at its place.
        """
        place, there = self.places.of_row[rows], (self.places.counts, self.places.votes)
        once, back = np.unique(place, return_inverse=True)  # copies share a search
        nearest = self.search.kneighbors(self.Z[once], min(self.n_neighbors + 1, len(self.Z)))[back]
        cpu_kernels().add_left_out_shares(nearest, place, own, there, numbers, out)


def within_reach(Q: NDArray, exponent: int) -> NDArray:
    """Queries Q (n, p) in units of 2^exponent, of the order of the rows; those far beyond are moved towards them."""
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(Q, -exponent), -FARTHEST, FARTHEST)


def votes_by_count(counts: NDArray, votes: NDArray, n_neighbors: int) -> NDArray:
    """Votes (n, K, C) of the k = 1..K nearest rows at places in order of their distance.

    ``counts`` (n, J) are the rows at each place, ``votes`` (n, J, C) what they vote for together. The place where the
    k-th row lies votes in part: by the share of its rows that are needed.
    """
    K = np.arange(1, n_neighbors + 1)
    reached, voted = counts.cumsum(axis=1), votes.cumsum(axis=1, dtype=np.float32)
    last = (reached[:, None, :] < K[:, None]).sum(axis=2).clip(max=counts.shape[1] - 1)  # (n, K), the place of row k
    row = np.arange(len(counts))[:, None]
    surplus = (reached[row, last] - K) / np.maximum(counts[row, last], 1)  # share of the place that is not needed
    return voted[row, last] - surplus.clip(min=0).astype(np.float32)[:, :, None] * votes[row, last]


def shares(votes: NDArray) -> NDArray:
    """Class shares (..., C) of votes (..., K, C) for every k; ties are decided by the nearest neighbours."""
    decided = votes + NEAREST_BONUS * votes[..., :1, :]
    return decided / decided.sum(axis=-1, keepdims=True)


def chunks(n_queries: int, n_neighbors: int, n_classes: int) -> list[slice]:
    """Slices of the queries whose votes fit the memory budget."""
    size = max(1, CHUNK_BYTES // (4 * n_neighbors * n_classes))
    return [slice(start, min(start + size, n_queries)) for start in range(0, n_queries, size)]
