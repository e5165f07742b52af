"""What training samples in their partitions vote for: classes, or a target with its trends."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.scales import Scale, encoded_target
from ..learners.training_rows import TrainingRows
from ..learners.validation import check_labels, labelled
from ..metrics import ClassEncoding, TargetEncoding, TrainingSet
from ..metrics.training_set import Places, places_of
from .partitioned_samples import FarRows
from .partitioned_trends import FarTrend, TrendFinder
from .partitions import Block


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
