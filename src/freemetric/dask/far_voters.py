"""Voters for classes that stay in their partitions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learners.checks import check_labels, labelled
from ..metrics import TrainingSet
from ..metrics.training_set import Places, places_of
from .far_rows import FarRows
from .partitions import Block


class ClassBallots(NamedTuple):
    """Votes for classes, of rows whose labels have codes."""

    class_of_code: NDArray[np.intp]  # -1 where a code is no class
    n_classes: int

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """Rows with a label."""
        return np.flatnonzero(self.class_of_code[y] >= 0)

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Where rows X (n, d) with codes y (n,) lie."""
        return places_of(X, self.class_of_code[y], self.n_classes)


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
        self.ballots = ClassBallots(class_of_code, self.n_classes)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    def only(self, numbers: NDArray) -> TrainingSet:
        """Some of them, fetched."""
        return TrainingSet(self.patterns(numbers), self.y[numbers], self.n_classes, None, self.rows[numbers])


def codes_of(y: NDArray, names: NDArray) -> NDArray[np.integer]:
    """Numbers of labels among all of them, in as few bytes as do."""
    return np.searchsorted(names, y).astype(np.min_scalar_type(len(names)))
