"""Numbers as votes: whoever votes for a number puts two weights into two cells, and shares of cells are means."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, require

FEWEST = 1e-9  # width of a range, so that equal numbers have one


class Told:
    """Several numbers that every row tells, each within its range.

    A number v between low and high is a vote of (high - v) / (high - low) for the low end and of
    (v - low) / (high - low) for the high one. What votes for classes can do, numbers can do then: the share of the high
    end among any rows, by any weights, says the mean of their numbers, exactly.

    Parameters
    ----------
    low, high : ndarray of shape (n_numbers,)
        The ranges.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.metrics.told import Told
    >>> told = Told.ranges_of(np.array([[1.0, 4.0, 7.0]]))
    >>> shares = told.ballots(np.array([[1.0, 4.0, 7.0]])).mean(axis=0)
    >>> told.means(shares)
    array([4.])
    """

    def __init__(self, low: NDArray, high: NDArray):
        self.low, self.high = low, high

    @classmethod
    def ranges_of(cls, numbers: NDArray) -> "Told":
        """The ranges of numbers (n_numbers, N)."""
        low, high = numbers.min(axis=1), numbers.max(axis=1)
        return cls(low, np.maximum(high, low + FEWEST * np.maximum(1.0, np.abs(low))))

    def __len__(self) -> int:
        return len(self.low)

    @property
    def n_cells(self) -> int:
        """Cells of a ballot."""
        return 2 * len(self)

    def ballots(self, numbers: NDArray) -> NDArray[np.float32]:
        """Votes (N, n_cells) of rows that tell numbers (n_numbers, N); those beyond a range count as its end."""
        part = np.clip((numbers.T - self.low) / (self.high - self.low), 0.0, 1.0)
        return np.stack([1 - part, part], axis=2).reshape(len(part), self.n_cells).astype(np.float32)

    def means(self, shares: NDArray) -> NDArray[np.float64]:
        """Means (..., n_numbers) of what was told, from shares (..., n_cells) of all votes."""
        part = len(self) * np.asarray(shares, dtype=np.float64)[..., 1::2]
        return self.low + (self.high - self.low) * part

    def mean(self, shares: NDArray, number: int) -> NDArray[np.float64]:
        """The mean (...) of one of the numbers."""
        part = len(self) * np.asarray(shares[..., 2 * number + 1], dtype=np.float64)
        return self.low[number] + (self.high[number] - self.low[number]) * part

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Told":
        low, high = state["low"], state["high"]
        check_array(low, "low of Told", 1)
        check_array(high, "high of Told", 1, low.shape)
        require(len(low) and (high > low).all(), "ranges of Told", "are empty")
        return cls(low, high)
