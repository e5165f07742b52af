"""The neighbour index of an ensemble whose training samples stay in their partitions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.model import Ensemble
from ..kernels import cpu_kernels
from ..metrics.forms import Member
from ..metrics.index import Shortlist, mapped, seen_in
from ..metrics.training_set import ClassEncoding, Places, places_of
from ..metrics.views import View

NOBODY = cpu_kernels().NOBODY
BLOCK_BYTES = 16 << 20  # of an answer


class Spaces(NamedTuple):
    """All of a committee but its voters: what travels to them."""

    views: Mapping[str, View]
    members: Sequence[Member]
    weights: NDArray[np.float32]  # (R, K) of every number of neighbours in every space
    matrices: Mapping[str, NDArray]  # the averaged metric, by view

    @classmethod
    def of(cls, ensemble: Ensemble) -> "Spaces":
        """The spaces of a committee."""
        rows, sizes = ensemble.weights, [len(member) for member in ensemble.members]
        weights = np.repeat(rows / np.array(sizes)[:, None], sizes, axis=0).astype(np.float32)
        used = weights[:, : np.flatnonzero(weights.any(axis=0))[-1] + 1]
        matrices = ensemble.averaged_matrices()
        return cls(ensemble.views, ensemble.members, np.ascontiguousarray(used), matrices)

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
    votes: NDArray[np.float32]  # (M, C) their votes, by class
    shortlist: Shortlist | None = None

    @classmethod
    def of(cls, X: NDArray, y: NDArray, n_classes: int, ranks: NDArray) -> "Precinct":
        """Rows X (N, d) of class numbers y (N,), which come in the order of their ranks (N,)."""
        return cls.at(places_of(X, y, ClassEncoding(n_classes)), X, ranks)

    @classmethod
    def at(cls, places: Places, X: NDArray, ranks: NDArray) -> "Precinct":
        """The same rows, of which is known where they lie and what they vote for."""
        rows = X if places.are_single else X[places.rows]
        return cls(rows, ranks[places.rows], row_keys(rows), places.counts, places.votes)

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


BLOCK = 16_384  # places that are looked at together


class Answers(NamedTuple):
    """The nearest places (n, R, K) of n queries in R spaces, and what lies there."""

    distances: NDArray[np.float32]  # squared
    places: NDArray[np.int32]  # rows of what follows; NOBODY where there are no more
    ranks: NDArray[np.int64]  # (M,)
    keys: NDArray[np.uint64]
    counts: NDArray[np.intp]
    votes: NDArray[np.float32]  # (M, C)

    def shares(self, spaces: Spaces) -> NDArray:
        """Mixed class shares (n, C)."""
        out = np.zeros((len(self.places), self.votes.shape[1]))
        cpu_kernels().count_shares(self.places, (self.counts, self.votes), spaces.weights, out)
        return out


def answers(spaces: Spaces, precinct: Precinct, X: NDArray, size: int | None = None) -> Answers:
    """What a precinct says about patterns X (n, d).

    Those ``size`` of its places are asked in every space that are nearest in the averaged metric; all for None.
    """
    size = None if size is None or size >= len(precinct.X) else size
    n, (R, K) = len(X), spaces.weights.shape
    near, places = np.empty((n, R, K), np.float32), np.full((n, R, K), NOBODY, np.int32)
    for part, rows, candidates in _asked(spaces, precinct, X, size):
        found_near, found = np.empty_like(near[part]), np.full_like(places[part], NOBODY)
        _search(spaces, precinct.X[rows], X[part], candidates, found_near, found)
        before, others = near[part].copy(), places[part].copy()
        new = found_near, _renamed(found, rows)
        cpu_kernels().merge((before, others), new, precinct.ranks, (near[part], places[part]))
    return _only_named(near, places, precinct)


def _asked(spaces, precinct, X, size) -> Iterator[tuple[slice, NDArray, NDArray]]:
    """Which queries, which rows of the precinct, and which of these are candidates for each query."""
    if size is None:
        for start in range(0, len(precinct.X), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(precinct.X)))
            yield slice(0, len(X)), rows, np.arange(len(rows), dtype=np.int32)[None]
        return
    few = max(1, BLOCK // size)
    for start in range(0, len(X), few):
        part = slice(start, start + few)
        listed = precinct.shortlist.nearest(seen_in(spaces.views, X[part]), size)
        rows, numbers = np.unique(np.sort(listed, axis=1), return_inverse=True)  # in the order of their ranks
        yield part, rows, numbers.reshape(listed.shape).astype(np.int32)


def _search(spaces, rows, X, candidates, near, places):
    """Write the nearest of some rows in every space."""
    seen, asked, first = seen_in(spaces.views, rows), seen_in(spaces.views, X), 0
    for member in spaces.members:
        for replica in range(len(member)):  # one at a time, for the memory
            Z, Q = mapped(member, seen, replica)[0], mapped(member, asked, replica)[0]
            cpu_kernels().nearest_in_space(Z, Q, candidates, first + replica, near, places)
        first += len(member)


def _only_named(near, places, precinct):
    named = np.unique(places)
    named = named[named != NOBODY]
    numbers = np.where(places == NOBODY, NOBODY, np.searchsorted(named, places)).astype(np.int32)
    return Answers(near, numbers, *(column[named] for column in precinct[1:5]))


def merged(parts: Sequence[Answers]) -> Answers:
    """The answers of several precincts as those of one."""
    keys, numbers = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    ranks = np.full(len(keys), np.iinfo(np.int64).max)
    counts = np.zeros(len(keys), dtype=parts[0].counts.dtype)
    votes = np.zeros((len(keys), parts[0].votes.shape[1]), dtype=np.float32)
    np.minimum.at(ranks, numbers, np.concatenate([part.ranks for part in parts]))
    np.add.at(counts, numbers, np.concatenate([part.counts for part in parts]))
    np.add.at(votes, numbers, np.concatenate([part.votes for part in parts]))
    ends = np.cumsum([len(part.keys) for part in parts])[:-1]
    renamed = [_renamed(part.places, own) for part, own in zip(parts, np.split(numbers, ends), strict=True)]
    near, places = parts[0].distances, renamed[0]
    for part, others in zip(parts[1:], renamed[1:], strict=True):
        out = np.empty_like(near), np.full_like(places, NOBODY)
        cpu_kernels().merge((near, places), (part.distances, others), ranks, out)
        near, places = out
    return Answers(near, places, ranks, keys, counts, votes)


def _renamed(places, names):
    """Places by their numbers elsewhere; NOBODY stays nobody."""
    return np.append(names, NOBODY)[places].astype(np.int32)  # the last of all
