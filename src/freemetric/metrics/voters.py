"""The rows that vote in a committee."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, check_numbers, require
from .places import Places, places_of

BALLOT_BYTES = 256 << 20  # that any voters may have; more only where they have many features themselves


class Voters:
    """Training rows that vote for their class.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    y : ndarray of shape (n_rows,)
        Their class numbers.
    n_classes : int
        How many classes there are.
    weights : ndarray of shape (n_rows,) or None, default=None
        Positive weights of their votes; None where all weigh the same.
    rows : ndarray of shape (n_rows,) or None, default=None
        Their numbers in the table that a learner was given; None where they are all of it, in its order.
    """

    def __init__(
        self,
        X: NDArray,
        y: NDArray,
        n_classes: int,
        weights: NDArray | None = None,
        rows: NDArray | None = None,
    ) -> None:
        self.X, self.y, self.n_classes, self.weights = X, y, n_classes, weights
        self.rows = np.arange(len(y)) if rows is None else rows

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_cells(self) -> int:
        """Cells of a ballot."""
        return self.n_classes

    def targets(self, bags: NDArray) -> NDArray:
        """What replicas that learn on these bags (R, n) of rows learn, (n,): bags are drawn class by class."""
        return self.y[bags[0]]

    def __sizeof__(self) -> int:
        """With the rows: clusters ask how large an object is before they decide to send it once."""
        return object.__sizeof__(self) + self.X.nbytes + self.y.nbytes

    @cached_property
    def places(self) -> Places:
        """Where the rows lie; copies of a row share a place."""
        return places_of(self.X, self.y, self.n_classes, self.weights)

    def only(self, numbers: NDArray) -> "Voters":
        """Some of them."""
        weights = None if self.weights is None else self.weights[numbers]
        return Voters(self.X[numbers], self.y[numbers], self.n_classes, weights, self.rows[numbers])

    def ballots(self, rows: NDArray) -> NDArray:
        """What each of these rows votes for, (n, n_classes)."""
        own = np.zeros((len(rows), self.n_classes), dtype=np.float32)
        own[np.arange(len(rows)), self.y[rows]] = 1.0 if self.weights is None else self.weights[rows]
        return own

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("X", "y", "n_classes", "weights", "rows")}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Voters":
        X, y, n_classes, weights, rows = (state[name] for name in ("X", "y", "n_classes", "weights", "rows"))
        check_array(X, "X of Voters", 2)
        check_array(y, "y of Voters", 1, X.shape[:1], "iu")
        require(X.size and type(n_classes) is int and n_classes > 0, "Voters", "are empty")
        require(n_classes <= len(y), "Voters", "are fewer than their classes")
        # a ballot has a cell for every class: no small file may ask for a table of rows times classes
        fits = 4 * n_classes * len(y) <= max(BALLOT_BYTES, 100 * X.nbytes)
        require(fits, "Voters", f"are of {n_classes} classes, which is too many for {X.shape[1]} features")
        check_numbers(y, n_classes, "class numbers of Voters")
        check_rows(rows, weights, len(y))
        return cls(X, y, n_classes, weights, rows)


def check_rows(rows: Any, weights: Any, n_voters: int) -> None:
    """ValueError unless numbers of rows and weights of so many voters are what they should be."""
    check_array(rows, "rows of Voters", 1, (n_voters,), "iu")
    require(rows.min() >= 0 and len(np.unique(rows)) == len(rows), "rows of Voters", "are no numbers of rows")
    if weights is not None:
        check_array(weights, "weights of Voters", 1, (n_voters,))
        require((weights > 0).all(), "weights of Voters", "are not positive")
