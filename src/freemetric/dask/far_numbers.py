"""Voters for numbers that stay in their partitions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.regression import numbers_told
from ..learners.training_rows import TrainingRows
from ..metrics import RegressionTrainingSet, Scale, TargetEncoding
from ..metrics.training_set import Places, shared_places
from .far_rows import FarRows
from .far_trends import FarTrend, TrendFinder
from .partitions import Block


class NumberBallots(NamedTuple):
    """Votes for what rows tell: their number, its square, and what trends of others say of them."""

    scale: Scale
    trends: list[FarTrend]
    told: TargetEncoding

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """All rows."""
        return np.arange(len(y))

    def numbers(self, X: NDArray, z: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """What rows X (n, d) with z (n,) on the scale tell, (2 + n_trends, n)."""
        return np.array([z, z**2, *(trend.left_out(X, ranks) for trend in self.trends)])

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Where rows X (n, d) with numbers y (n,) lie, and what they vote for."""
        return shared_places(X, self.told.ballots(self.numbers(X, self.scale(y), ranks)))


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
        Numbers, and after ``tell`` these on their scale.
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

    def tell(self, names: Sequence[str], scale: str) -> None:
        """Find trends of these kinds, and the scale to be told on."""
        rows = TrainingRows(np.empty((0, self.n_features)), self.y, None, self.rows, np.empty(0))  # X stays away
        told, trends, self.scale = numbers_told(rows, names, scale, TrendFinder(self))
        self.y, self.told, self.trends = told[0], TargetEncoding.ranges_of(told), [found.trend for found in trends]
        self.ballots: NumberBallots = NumberBallots(self.scale, trends, self.told)

    def only(self, numbers: NDArray) -> RegressionTrainingSet:
        """Some of them, fetched."""
        X = self.patterns(numbers)
        told = self.ballots.numbers(X, self.y[numbers], numbers)
        return RegressionTrainingSet(X, told, self.told, None, self.rows[numbers])
