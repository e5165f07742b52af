"""Training samples that stay in their Dask partitions: references here, the samples there."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.scales import Scale, encoded_target
from ..extras import require
from ..learners.checks import check_labels, labelled
from ..learners.training_rows import MOST_ORDERED, TrainingRows, canonical_order
from ..metrics import ClassEncoding, TargetEncoding, TrainingSet
from ..metrics.training_set import Places, places_of
from .partition_index import Precinct
from .partitioned_trends import FarTrend, TrendFinder
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


class ClassVotes(NamedTuple):
    """Votes for classes, of rows whose labels have codes."""

    class_of_code: NDArray[np.intp]  # -1 where a code is no class
    n_classes: int

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """Rows with a label."""
        return np.flatnonzero(self.class_of_code[y] >= 0)

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Where rows X (n, d) with codes y (n,) lie."""
        return places_of(X, self.class_of_code[y], ClassEncoding(self.n_classes))


class FarVoters(FarRows):
    """The rows of Dask partitions as voters, in the order that one process would have them in.

    Parameters
    ----------
    X, y : list of delayed arrays
        Patterns (n, d) and labels (n,) of every partition; they are kept where they are computed.
    n_features : int
        d.

    Attributes
    ----------
    y : ndarray of shape (n_voters,)
        Class numbers.
    rows : ndarray of shape (n_voters,)
        Numbers of the voters among all rows.
    classes : ndarray of shape (n_classes,)
        Labels.
    """

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        delayed, lengths = self.dask.delayed, np.diff(self.starts)
        found = self.dask.compute(*(delayed(np.unique)(block) for block in self.targets))
        names = np.unique(np.concatenate([some for some, n in zip(found, lengths, strict=True) if n]))
        self.targets = self.dask.persist(*(delayed(codes_of)(block, names) for block in self.targets))
        self._learn_classes(names, np.concatenate(self.dask.compute(*self.targets)))
        self.put_in_order()

    def _learn_classes(self, names, codes):
        has_label = labelled(names[codes]) if names.dtype.kind in "if" else np.ones(len(codes), dtype=bool)
        self.rows = np.flatnonzero(has_label)
        used = np.unique(codes[self.rows])
        self.classes, _ = check_labels(np.repeat(names[used], 3))  # labels that all differ would look like numbers
        class_of_code = np.full(len(names), -1)
        class_of_code[used] = np.arange(len(self.classes))
        self.y = class_of_code[codes[self.rows]]
        self.vote_source = ClassVotes(class_of_code, self.n_classes)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    @property
    def n_cells(self) -> int:
        """Cells of a vote."""
        return self.n_classes

    def only(self, numbers: NDArray) -> TrainingSet:
        """Some of them, fetched."""
        return TrainingSet(
            self.patterns(numbers), self.y[numbers], ClassEncoding(self.n_classes), None, self.rows[numbers]
        )


def codes_of(y: NDArray, names: NDArray) -> NDArray[np.integer]:
    """Numbers of labels among all of them, in as few bytes as do."""
    return np.searchsorted(names, y).astype(np.min_scalar_type(len(names)))


class TargetVotes(NamedTuple):
    """Votes for what rows tell: their number, its square, and what trends of others say of them."""

    scale: Scale
    trends: list[FarTrend]
    encoding: TargetEncoding

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """All rows."""
        return np.arange(len(y))

    def values(self, X: NDArray, z: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """What rows X (n, d) with z (n,) on the scale tell, (2 + n_trends, n)."""
        return np.array([z, z**2, *(trend.left_out(X, ranks) for trend in self.trends)])

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Where rows X (n, d) with numbers y (n,) lie, and what they vote for."""
        return places_of(X, self.values(X, self.scale(y), ranks), self.encoding)


class FarNumbers(FarRows):
    """The rows of Dask partitions as voters for numbers, in the order that one process would have them in.

    Parameters
    ----------
    X, y : list of delayed arrays
        Patterns (n, d) and numbers (n,) of every partition; they are kept where they are computed.
    n_features : int
        d.

    Attributes
    ----------
    y : ndarray of shape (n_voters,)
        Numbers, and after ``encode`` these on their scale.
    rows : ndarray of shape (n_voters,)
        Numbers of the voters among all rows.
    told, scale, trends : Told, Scale, list of Trend
        What they tell, and the data as a whole; after ``tell``.
    """

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        self.y = np.concatenate(self.dask.compute(*self.targets))
        self.rows = np.arange(len(self.y))
        if len(self.rows) < 2:
            raise ValueError("X has 1 row; at least 2 are needed.")
        self.put_in_order()

    def encode(self, names: Sequence[str], scale: str) -> None:
        """Find trends of these kinds and the scale of the target, and encode both."""
        rows = TrainingRows(np.empty((0, self.n_features)), self.y, None, self.rows, np.empty(0))  # X stays away
        values, trends, self.scale = encoded_target(rows, names, scale, TrendFinder(self))
        self.y, self.encoding, self.trends = values[0], TargetEncoding.of(values), [found.trend for found in trends]
        self.vote_source: TargetVotes = TargetVotes(self.scale, trends, self.encoding)

    def only(self, numbers: NDArray) -> TrainingSet:
        """Some of them, fetched."""
        X = self.patterns(numbers)
        values = self.vote_source.values(X, self.y[numbers], numbers)
        return TrainingSet(X, values, self.encoding, None, self.rows[numbers])
