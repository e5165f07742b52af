"""Voters that stay in their partitions: which rows they are is known here, what they are only there."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..learners.checks import check_labels, labelled
from ..learners.training_rows import MOST_ORDERED, canonical_order
from ..metrics import Voters
from ..metrics.precincts import Precinct
from .partitions import Block, check_aligned

MOST_TOGETHER = 65_535  # voters of a precinct: all of them are seen in every view at once


class FarVoters:
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
        self.dask, self.n_features = require("dask", "dask"), n_features
        delayed = self.dask.delayed
        kept = self.dask.persist(*X, *y)
        self.blocks, y = kept[: len(X)], kept[len(X) :]
        lengths, own, found = self.dask.compute(
            [delayed(len)(block) for block in self.blocks],
            [delayed(len)(block) for block in y],
            [delayed(np.unique)(block) for block in y],
        )
        check_aligned(lengths, own)
        if not sum(lengths):
            raise ValueError("X has no rows.")
        self.starts = np.array([0, *accumulate(lengths)])
        names = np.unique(np.concatenate([some for some, n in zip(found, lengths, strict=True) if n]))
        self.codes = self.dask.persist(*(delayed(codes_of)(block, names) for block in y))
        codes = np.concatenate(self.dask.compute(*self.codes))
        self.classes, self.y, self.rows = self._labelled(names, codes)
        self.is_ordered = len(self.rows) <= MOST_ORDERED
        if self.is_ordered:
            patterns: Any = _Columns(self)
            order = canonical_order(patterns, self.y, np.ones(len(self.y)))
            self.y, self.rows = self.y[order], self.rows[order]

    def _labelled(self, names, codes):
        """Classes, and of the rows with a label class and row numbers."""
        has_label = labelled(names[codes]) if names.dtype.kind in "if" else np.ones(len(codes), dtype=bool)
        rows = np.flatnonzero(has_label)
        used = np.unique(codes[rows])
        classes, _ = check_labels(np.repeat(names[used], 3))  # labels that all differ would look like numbers
        self.class_of_code = np.full(len(names), -1)
        self.class_of_code[used] = np.arange(len(classes))
        return classes, self.class_of_code[codes[rows]], rows

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    def only(self, numbers: NDArray) -> Voters:
        """Some of them, fetched."""
        rows = self.rows[numbers]
        X = np.concatenate(self._from_blocks(rows, rows_of))
        X = X.astype(np.float64, copy=False) if self.is_ordered else X
        return Voters(X[np.argsort(np.argsort(rows))], self.y[numbers], self.n_classes, None, rows)

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

    def precincts(self) -> Iterator[Any]:
        """Delayed precincts, each with the voters of a partition or a part of it."""
        make = self.dask.delayed(precinct_of, pure=False)
        ranks = np.full(self.starts[-1] if self.is_ordered else 0, -1)
        if self.is_ordered:
            ranks[self.rows] = np.arange(len(self.rows))
        for block, codes, start, end in zip(self.blocks, self.codes, self.starts, self.starts[1:], strict=False):
            for a in range(start, end, MOST_TOGETHER):
                b = min(a + MOST_TOGETHER, end)
                known = ranks[a:b] if self.is_ordered else int(np.searchsorted(self.rows, a))
                yield make(block, codes, slice(a - start, b - start), self.class_of_code, self.n_classes, known)


class _Columns:
    """Patterns (N, d) of which one column at a time is fetched, as far as they are asked for."""

    def __init__(self, voters):
        self.voters, self.T = voters, self

    def __len__(self):
        return len(self.voters)

    def __iter__(self):
        return (self.voters.column(number) for number in range(self.voters.n_features))


def codes_of(y: NDArray, names: NDArray) -> NDArray[np.integer]:
    """Numbers of labels among all of them, in as few bytes as do."""
    return np.searchsorted(names, y).astype(np.min_scalar_type(len(names)))


def rows_of(X: NDArray, rows: NDArray) -> NDArray:
    """Some rows."""
    return X[rows]


def column_of(X: NDArray, rows: NDArray, number: int) -> NDArray:
    """Some rows of one column."""
    return X[rows, number]


def precinct_of(
    X: NDArray, codes: NDArray, part: slice, class_of_code: NDArray, n_classes: int, ranks: NDArray | int
) -> Precinct:
    """The voters of a part of a block; they come in the order of their ranks, of which a number is the first."""
    X, y = X[part], class_of_code[codes[part]]
    rows = np.flatnonzero(y >= 0)
    if isinstance(ranks, int):
        taken = X if len(rows) == len(X) else X[rows]
        return Precinct.of(taken, y[rows], n_classes, ranks + np.arange(len(rows)))
    rows = rows[np.argsort(ranks[rows])]
    return Precinct.of(X[rows].astype(np.float64, copy=False), y[rows], n_classes, ranks[rows])
