"""The neighbour index of an ensemble whose training samples stay in their Dask partitions.

Every partition finds the nearest of its own samples in all learned spaces; results of partitions are merged, and votes
are counted at the end.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.model import Ensemble
from ..extras import require
from ..kernels import cpu_kernels
from ..learners.base import one_blas_thread
from ..metrics.forms import Member
from ..metrics.index import Shortlist, mapped, seen_in
from ..metrics.training_set import Places
from ..metrics.views import View
from .partitions import Block, check_not_lost, merged_in_steps

NO_PLACE = cpu_kernels().NOBODY
BLOCK_BYTES = 16 << 20  # of the nearest places of a block of queries
BLOCK = 16_384  # places that are compared at a time

ReadVotes = Callable[[NDArray, NDArray], NDArray]


class Spaces(NamedTuple):
    """An ensemble without its training set: what travels to the partitions."""

    views: Mapping[str, View]
    members: Sequence[Member]
    weights: NDArray[np.float32]  # (R, K) of every number of neighbours in every space
    matrices: Mapping[str, NDArray]  # the averaged metric, by view

    @classmethod
    def of(cls, ensemble: Ensemble) -> "Spaces":
        """The spaces of an ensemble."""
        rows, sizes = ensemble.weights, [len(member) for member in ensemble.members]
        weights = np.repeat(rows / np.array(sizes)[:, None], sizes, axis=0).astype(np.float32)
        used = weights[:, : np.flatnonzero(weights.any(axis=0))[-1] + 1]
        return cls(ensemble.views, ensemble.members, np.ascontiguousarray(used), ensemble.averaged_matrices())


class PartitionIndex(NamedTuple):
    """The samples of a partition, a row for every different place, in the order of their ranks."""

    X: NDArray  # (M, d)
    ranks: NDArray[np.int64]  # (M,) of the first sample there, among all training samples
    keys: NDArray[np.uint64]  # (M,) the same for the same features in any partition
    counts: NDArray[np.intp]  # (M,) samples there
    votes: NDArray[np.float32]  # (M, C) their votes
    shortlist: Any = None  # Shortlist, where only some places are compared

    @classmethod
    def of(cls, places: Places, X: NDArray, ranks: NDArray) -> "PartitionIndex":
        """The index of samples X (n, d), which come in the order of their ranks (n,)."""
        rows = X if places.are_single else X[places.rows]
        return cls(rows, ranks[places.rows], row_keys(rows), places.counts, places.votes)

    def with_shortlist(self, spaces: Spaces) -> "PartitionIndex":
        """The same, ready to find its nearest places in the averaged metric."""
        if not len(self.X):
            return self
        return self._replace(shortlist=Shortlist.of(spaces.matrices, seen_in(spaces.views, self.X)))

    def nearest(self, spaces: Spaces, X: NDArray, size: int | None = None) -> "NearestPlaces":
        """The nearest places of queries X (n, d) in every space.

        Only the ``size`` places that are nearest in the averaged metric are compared; all for None.
        """
        size = None if size is None or size >= len(self.X) else size
        n, (R, K) = len(X), spaces.weights.shape
        distances, places = np.empty((n, R, K), np.float32), np.full((n, R, K), NO_PLACE, np.int32)
        with one_blas_thread():  # Tasks run in parallel.
            for part, rows, candidates in self._candidates(spaces, X, size):
                found = np.empty_like(distances[part]), np.full_like(places[part], NO_PLACE)
                _search(spaces, self.X[rows], X[part], candidates, *found)
                before, out = (distances[part].copy(), places[part].copy()), (distances[part], places[part])
                cpu_kernels().merge(before, (found[0], _renumbered(found[1], rows)), self.ranks, out)
        # ranks, keys, counts and votes of those places that occur
        named: Any = np.setdiff1d(places, NO_PLACE)
        numbers = np.where(places == NO_PLACE, NO_PLACE, np.searchsorted(named, places)).astype(np.int32)
        return NearestPlaces(distances, numbers, *(column[named] for column in self[1:5]))

    def _candidates(self, spaces, X, size) -> Iterator[tuple[slice, NDArray, NDArray]]:
        """Queries, rows of the partition, and which of these rows are compared with each query."""
        if size is None:
            for start in range(0, len(self.X), BLOCK):
                rows = np.arange(start, min(start + BLOCK, len(self.X)))
                yield slice(0, len(X)), rows, np.arange(len(rows), dtype=np.int32)[None]
            return
        few = max(1, BLOCK // size)
        for start in range(0, len(X), few):
            part = slice(start, start + few)
            listed = self.shortlist.nearest(seen_in(spaces.views, X[part]), size)
            rows, numbers = np.unique(np.sort(listed, axis=1), return_inverse=True)  # in the order of their ranks
            yield part, rows, numbers.reshape(listed.shape).astype(np.int32)


def _search(spaces, rows, X, candidates, distances, places):
    """Write the nearest of some rows in every space."""
    seen, queries, first = seen_in(spaces.views, rows), seen_in(spaces.views, X), 0
    for member in spaces.members:
        if member.form.keeps_apart:
            Z, Q = seen[member.candidate.view], queries[member.candidate.view]
            cpu_kernels().nearest_places(Z, Q, candidates, (distances, places), first, member.diagonals())
        else:
            for r in range(len(member)):  # one at a time, for the memory
                Z, Q = mapped(member, seen, r), mapped(member, queries, r)
                cpu_kernels().nearest_places(Z, Q, candidates, (distances, places), first + r)
        first += len(member)


def row_keys(X: NDArray) -> NDArray[np.uint64]:
    """Hashes (N,) of the rows of X (N, d): equal for equal rows, and for others with a chance of 2^-64 a pair."""
    pandas = require("pandas", "dask")
    frame = pandas.DataFrame(X.astype(np.float64) + 0.0)  # plus zero: there are two zeros that are equal
    return pandas.util.hash_pandas_object(frame, index=False).to_numpy()


class NearestPlaces(NamedTuple):
    """The K nearest places (n, R, K) of n queries in R spaces, and their samples."""

    distances: NDArray[np.float32]  # squared
    places: NDArray[np.int32]  # rows of what follows; NO_PLACE where there are no more
    ranks: NDArray[np.int64]  # (M,)
    keys: NDArray[np.uint64]
    counts: NDArray[np.intp]
    votes: NDArray[np.float32]  # (M, C)

    def shares(self, spaces: Spaces) -> NDArray:
        """Mixed shares (n, C) of all votes."""
        (n, R, K), there = self.places.shape, (self.counts, self.votes)
        out, everyone = np.zeros((n, self.votes.shape[1])), np.arange(R * K, dtype=np.int32).reshape(R, 1, K)
        room = np.empty(K, dtype=np.float32)
        cpu_kernels().count_shares(everyone, self.places.reshape(n, -1), there, spaces.weights, room, out)
        return out

    @classmethod
    def merged(cls, parts: Sequence["NearestPlaces"]) -> "NearestPlaces":
        """The nearest places of several partitions, as if they were one."""
        keys, numbers = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
        ranks = np.full(len(keys), np.iinfo(np.int64).max)
        counts = np.zeros(len(keys), dtype=parts[0].counts.dtype)
        votes = np.zeros((len(keys), parts[0].votes.shape[1]), dtype=np.float32)
        np.minimum.at(ranks, numbers, np.concatenate([part.ranks for part in parts]))
        np.add.at(counts, numbers, np.concatenate([part.counts for part in parts]))
        np.add.at(votes, numbers, np.concatenate([part.votes for part in parts]))
        ends = np.cumsum([len(part.keys) for part in parts])[:-1]
        renumbered = [_renumbered(part.places, own) for part, own in zip(parts, np.split(numbers, ends), strict=True)]
        found = parts[0].distances, renumbered[0]
        for part, places in zip(parts[1:], renumbered[1:], strict=True):
            out = np.empty_like(found[0]), np.full_like(found[1], NO_PLACE)
            cpu_kernels().merge(found, (part.distances, places), ranks, out)
            found = out
        return cls(*found, ranks, keys, counts, votes)


def _renumbered(places, numbers):
    """Places by other numbers; NO_PLACE, which is -1 and takes the last of all, stays."""
    return np.append(numbers, NO_PLACE)[places].astype(np.int32)


class PartitionedIndex:
    """The indices of all partitions, kept on their workers, and predictions as delayed tasks.

    Every partition compares the ``size`` places that are nearest in the averaged metric, or all for None;
    ``read(shares, queries)`` makes predictions (n, m) of votes.
    """

    def __init__(self, spaces: Spaces, indices: list[Block], size: int | None, read: ReadVotes):
        self.dask, self.size = require("dask", "dask"), size
        self.block = max(1, BLOCK_BYTES // (8 * spaces.weights.size))  # queries at a time
        given = (self.dask.delayed(some, traverse=False) for some in (spaces, read))
        self.spaces, self.read = self.dask.persist(*given)
        if size is not None:
            indices = [index.with_shortlist(self.spaces) for index in indices]
        self.indices = self.dask.persist(*indices)

    def check(self) -> None:
        """RuntimeError if the cluster has lost the indices."""
        check_not_lost(self.spaces, self.read, *self.indices)

    def predictions(self, X: Block, n: int) -> list[tuple[int, Any]]:
        """Delayed predictions for a delayed array of n queries, block by block, each with its size."""
        out = []
        for start in range(0, n, self.block):
            stop = min(start + self.block, n)
            queries = X if (start, stop) == (0, n) else X[start:stop]
            found = [index.nearest(self.spaces, queries, self.size) for index in self.indices]
            merged = merged_in_steps(found, NearestPlaces.merged)
            out.append((stop - start, self.read(merged.shares(self.spaces), queries)))
        return out
