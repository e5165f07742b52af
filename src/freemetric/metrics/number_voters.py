"""The rows that vote for numbers in a committee."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, require
from .places import Places, shared_places
from .told import Told
from .voters import Voters, check_rows


class NumberVoters(Voters):
    """Training rows that tell their target, its square, and what each trend says of them.

    Squares say how far neighbours disagree, trends how far x is from where its neighbours are.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    numbers : ndarray of shape (n_numbers, n_rows)
        What they tell; the target comes first.
    told : Told or None, default=None
        The ranges of these numbers; None: those that they have.
    weights, rows : ndarray of shape (n_rows,) or None, default=None
        As those of :class:`Voters`.
    """

    def __init__(
        self,
        X: NDArray,
        numbers: NDArray,
        told: Told | None = None,
        weights: NDArray | None = None,
        rows: NDArray | None = None,
    ) -> None:
        self.numbers = numbers
        self.told = Told.ranges_of(numbers) if told is None else told
        super().__init__(X, numbers[0], 0, weights, rows)

    @property
    def n_cells(self) -> int:
        """Cells of a ballot, two for each number."""
        return self.told.n_cells

    def targets(self, bags: NDArray) -> NDArray:
        """What replicas that learn on these bags (R, n) of rows learn, (R, n, 1)."""
        return self.y[bags][:, :, None]

    @cached_property
    def places(self) -> Places:
        """Where the rows lie; copies of a row share a place."""
        return shared_places(self.X, self.ballots(np.arange(len(self))))

    def only(self, numbers: NDArray) -> "NumberVoters":
        """Some of them."""
        weights = None if self.weights is None else self.weights[numbers]
        return NumberVoters(self.X[numbers], self.numbers[:, numbers], self.told, weights, self.rows[numbers])

    def ballots(self, rows: NDArray) -> NDArray:
        """What each of these rows votes for, (n, n_cells)."""
        votes = self.told.ballots(self.numbers[:, rows])
        return votes if self.weights is None else votes * self.weights[rows, None].astype(np.float32)

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("X", "numbers", "told", "weights", "rows")}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "NumberVoters":
        X, numbers, told, weights, rows = (state[name] for name in ("X", "numbers", "told", "weights", "rows"))
        check_array(X, "X of NumberVoters", 2)
        require(X.size, "NumberVoters", "are empty")
        require(type(told) is Told, "told of NumberVoters", "is something else")
        check_array(numbers, "numbers of NumberVoters", 2, (len(told), len(X)))
        check_rows(rows, weights, len(X))
        return cls(X, numbers, told, weights, rows)
