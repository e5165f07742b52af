"""Training samples that stay in their Dask partitions: references here, the samples there."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..learners.training_rows import MOST_ORDERED, canonical_order
from ..metrics import TrainingSet
from ..metrics.training_set import Places
from .partition_index import Precinct
from .partitions import Block, check_aligned

MOST_TOGETHER = 65_535  # rows of a precinct: all of them are seen in every view at once


class VoteSource(Protocol):
    """What samples vote for; it travels to them."""

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """Which rows vote, of those with these targets (n,)."""

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Where rows X (n, d) with targets y (n,) lie and what they vote for; ranks (n,) are theirs among all."""


class FarRows:
    """Patterns and targets of Dask partitions, kept where they are computed.

    Subclasses have y and rows (N,), the targets of those rows that vote and their numbers among all, and ballots. They
    are in the order that one process would have them in.

    Parameters
    ----------
    X, y : list of delayed arrays
        Patterns (n, d) and targets (n,) of every partition.
    n_features : int
        d.
    """

    y: NDArray
    weights: None = None  # there are no sample weights on partitions
    rows: NDArray[np.intp]
    vote_source: VoteSource

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        self.dask, self.n_features = require("dask", "dask"), n_features
        delayed = self.dask.delayed
        kept = self.dask.persist(*X, *y)
        self.blocks, self.targets = kept[: len(X)], kept[len(X) :]
        lengths, own = self.dask.compute(
            [delayed(len)(block) for block in self.blocks], [delayed(len)(block) for block in self.targets]
        )
        check_aligned(lengths, own)
        if not sum(lengths):
            raise ValueError("X has no rows.")
        self.starts = np.array([0, *accumulate(lengths)])

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_parts(self) -> int:
        """Parts that :meth:`each` calls a function of."""
        return sum(len(range(start, end, MOST_TOGETHER)) for start, end in pairwise(self.starts))

    @property
    def is_ordered(self) -> bool:
        """Whether they have an order of their own; very many stay in that of the table."""
        return len(self) <= MOST_ORDERED

    def put_in_order(self) -> None:
        """Give y and rows the order of one process."""
        if self.is_ordered:
            patterns: Any = _Columns(self)
            order = canonical_order(patterns, self.y, np.ones(len(self.y)))
            self.y, self.rows = self.y[order], self.rows[order]

    def only(self, numbers: NDArray) -> TrainingSet:
        """Some of them, fetched."""
        raise NotImplementedError

    def patterns(self, numbers: NDArray) -> NDArray:
        """Patterns (n, d) of some of them, fetched."""
        rows = self.rows[numbers]
        X = np.concatenate(self._from_blocks(rows, rows_of))
        X = X.astype(np.float64, copy=False) if self.is_ordered else X
        return X[np.argsort(np.argsort(rows))]

    def _from_blocks(self, rows, get, *more):
        """get(block, numbers in it, ...) for those of these rows that each block has, in the order of the table."""
        rows = np.sort(rows)
        ends = np.searchsorted(rows, self.starts)
        parts = [rows[a:b] - start for a, b, start in zip(ends[:-1], ends[1:], self.starts[:-1], strict=True)]
        wanted = [
            self.dask.delayed(get)(block, part, *more)
            for block, part in zip(self.blocks, parts, strict=True)
            if len(part)
        ]
        return self.dask.compute(*wanted)

    def column(self, number: int) -> NDArray:
        """One feature of all voters, in the order of the table."""
        return np.concatenate(self._from_blocks(self.rows, column_of, number)).astype(np.float64)

    def each(self, function: Callable, *more: Any) -> Iterator[Any]:
        """Delayed function(X, y, ranks, ...) of every partition or part of it, none of them empty.

        Ranks (n,) among all voters, nothing where a row does not vote; of very many rows the first rank, a number.
        """
        done = self.dask.delayed(of_part, pure=False)
        ranks = np.full(self.starts[-1] if self.is_ordered else 0, -1)
        if self.is_ordered:
            ranks[self.rows] = np.arange(len(self.rows))
        sent = self.dask.delayed(Errand(function, more), traverse=False)  # once, not with every task
        for block, y, start, end in zip(self.blocks, self.targets, self.starts, self.starts[1:], strict=False):
            for a in range(start, end, MOST_TOGETHER):
                b = min(a + MOST_TOGETHER, end)
                known = ranks[a:b] if self.is_ordered else int(np.searchsorted(self.rows, a))
                yield done(sent, block, y, slice(a - start, b - start), known)

    def precincts(self) -> Iterator[Any]:
        """Delayed precincts, each with the voters of a partition or a part of it."""
        return self.each(precinct_of, self.vote_source)


class Errand:
    """A function and what it is given beside rows; no tuple, which Dask would take for a task."""

    def __init__(self, function: Callable, given: Sequence[Any]):
        self.function, self.given = function, given


class _Columns:
    """Patterns (N, d) of which one column at a time is fetched, as far as they are asked for."""

    def __init__(self, training_set):
        self.training_set, self.T = training_set, self

    def __len__(self):
        return len(self.training_set)

    def __iter__(self):
        return (self.training_set.column(number) for number in range(self.training_set.n_features))


def rows_of(X: NDArray, rows: NDArray) -> NDArray:
    """Some rows."""
    return X[rows]


def column_of(X: NDArray, rows: NDArray, number: int) -> NDArray:
    """Some rows of one column."""
    return X[rows, number]


def of_part(errand: Errand, X: NDArray, y: NDArray, part: slice, ranks: NDArray | int) -> Any:
    """What is to be done with a part of a block."""
    return errand.function(X[part], y[part], ranks, *errand.given)


def precinct_of(X: NDArray, y: NDArray, ranks: NDArray | int, vote_source: VoteSource) -> Precinct:
    """The voters of a part of a block; they come in the order of their ranks, of which a number is the first."""
    rows = vote_source.voting(y)
    if isinstance(ranks, int):
        known, taken = ranks + np.arange(len(rows)), X if len(rows) == len(X) else X[rows]
    else:
        rows = rows[np.argsort(ranks[rows])]
        known, taken = ranks[rows], X[rows].astype(np.float64, copy=False)
    return Precinct.at(vote_source.places(taken, y[rows], known), taken, known)
