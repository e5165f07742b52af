"""The training set of an ensemble, and how its targets become votes."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, check_numbers, require

FEWEST = 1e-9  # width of a range, so that equal numbers have one


class TargetEncoding:
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
    >>> from freemetric.metrics.training_set import TargetEncoding
    >>> told = TargetEncoding.ranges_of(np.array([[1.0, 4.0, 7.0]]))
    >>> shares = told.ballots(np.array([[1.0, 4.0, 7.0]])).mean(axis=0)
    >>> told.means(shares)
    array([4.])
    """

    def __init__(self, low: NDArray, high: NDArray):
        self.low, self.high = low, high

    @classmethod
    def ranges_of(cls, numbers: NDArray) -> "TargetEncoding":
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
    def from_state(cls, state: Mapping[str, Any]) -> "TargetEncoding":
        low, high = state["low"], state["high"]
        check_array(low, "low of TargetEncoding", 1)
        check_array(high, "high of TargetEncoding", 1, low.shape)
        require(len(low) and (high > low).all(), "ranges of TargetEncoding", "are empty")
        return cls(low, high)


class Places(NamedTuple):
    """The M different places of N rows, and what lies there."""

    rows: NDArray[np.intp]  # (M,) one of the rows at every place
    of_row: NDArray[np.intp]  # (N,) the place of every row
    counts: NDArray[np.intp]  # (M,) rows there
    ballots: NDArray[np.float32]  # (M, C) their weights, by class

    @property
    def are_single(self) -> bool:
        """Whether no two rows share a place."""
        return len(self.rows) == len(self.of_row)


def places_of(X: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None) -> Places:
    """Where the rows X (N, d) of class numbers y (N,) lie.

    Places keep the order in which rows first come to them. Costs a sort by every feature where there are copies, one
    projection and a sort where there are none.
    """
    first, of_row = equal_rows(X)
    ballots = np.zeros((len(first), n_classes))
    np.add.at(ballots, (of_row, y), 1.0 if weights is None else weights)
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), ballots.astype(np.float32))


def shared_places(X: NDArray, votes: NDArray) -> Places:
    """Where the rows X (N, d) lie that vote for something of everything, (N, C)."""
    first, of_row = equal_rows(X)
    ballots = np.zeros((len(first), votes.shape[1]))
    np.add.at(ballots, of_row, votes)
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), ballots.astype(np.float32))


def equal_rows(X: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of every kind (M,), and which kind every row is of (N,)."""
    everyone = np.arange(len(X))
    if not may_have_copies(X):
        return everyone, everyone
    order = np.lexsort(X.T[::-1])  # stable: equal rows stay in their order
    is_new = np.append(True, (X[order[1:]] != X[order[:-1]]).any(axis=1))
    first = order[is_new]
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    of_row = np.empty(len(X), dtype=np.intp)
    of_row[order] = rank[np.cumsum(is_new) - 1]
    return np.sort(first), of_row


def may_have_copies(X: NDArray) -> bool:
    """Whether two rows fall on one point of a random line, as copies must."""
    shadow = np.sort(X @ _random_line(X.shape[1]))
    return bool((np.diff(shadow) <= 1e-9 * np.abs(shadow).max(initial=0.0)).any())


@cache
def _random_line(d):
    return np.random.default_rng(0).standard_normal(d)


BALLOT_BYTES = 256 << 20  # that any voters may have; more only where they have many features themselves


class TrainingSet:
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

    def only(self, numbers: NDArray) -> "TrainingSet":
        """Some of them."""
        weights = None if self.weights is None else self.weights[numbers]
        return TrainingSet(self.X[numbers], self.y[numbers], self.n_classes, weights, self.rows[numbers])

    def ballots(self, rows: NDArray) -> NDArray:
        """What each of these rows votes for, (n, n_classes)."""
        own = np.zeros((len(rows), self.n_classes), dtype=np.float32)
        own[np.arange(len(rows)), self.y[rows]] = 1.0 if self.weights is None else self.weights[rows]
        return own

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("X", "y", "n_classes", "weights", "rows")}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "TrainingSet":
        X, y, n_classes, weights, rows = (state[name] for name in ("X", "y", "n_classes", "weights", "rows"))
        check_array(X, "X of TrainingSet", 2)
        check_array(y, "y of TrainingSet", 1, X.shape[:1], "iu")
        require(X.size and type(n_classes) is int and n_classes > 0, "TrainingSet", "are empty")
        require(n_classes <= len(y), "TrainingSet", "are fewer than their classes")
        # a ballot has a cell for every class: no small file may ask for a table of rows times classes
        fits = 4 * n_classes * len(y) <= max(BALLOT_BYTES, 100 * X.nbytes)
        require(fits, "TrainingSet", f"are of {n_classes} classes, which is too many for {X.shape[1]} features")
        check_numbers(y, n_classes, "class numbers of TrainingSet")
        check_rows(rows, weights, len(y))
        return cls(X, y, n_classes, weights, rows)


def check_rows(rows: Any, weights: Any, n_voters: int) -> None:
    """ValueError unless numbers of rows and weights of so many voters are what they should be."""
    check_array(rows, "rows of TrainingSet", 1, (n_voters,), "iu")
    require(rows.min() >= 0 and len(np.unique(rows)) == len(rows), "rows of TrainingSet", "are no numbers of rows")
    if weights is not None:
        check_array(weights, "weights of TrainingSet", 1, (n_voters,))
        require((weights > 0).all(), "weights of TrainingSet", "are not positive")


class RegressionTrainingSet(TrainingSet):
    """Training rows that tell their target, its square, and what each trend says of them.

    Squares say how far neighbours disagree, trends how far x is from where its neighbours are.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    numbers : ndarray of shape (n_numbers, n_rows)
        What they tell; the target comes first.
    told : TargetEncoding or None, default=None
        The ranges of these numbers; None: those that they have.
    weights, rows : ndarray of shape (n_rows,) or None, default=None
        As those of :class:`TrainingSet`.
    """

    def __init__(
        self,
        X: NDArray,
        numbers: NDArray,
        told: TargetEncoding | None = None,
        weights: NDArray | None = None,
        rows: NDArray | None = None,
    ) -> None:
        self.numbers = numbers
        self.told = TargetEncoding.ranges_of(numbers) if told is None else told
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

    def only(self, numbers: NDArray) -> "RegressionTrainingSet":
        """Some of them."""
        weights = None if self.weights is None else self.weights[numbers]
        return RegressionTrainingSet(self.X[numbers], self.numbers[:, numbers], self.told, weights, self.rows[numbers])

    def ballots(self, rows: NDArray) -> NDArray:
        """What each of these rows votes for, (n, n_cells)."""
        votes = self.told.ballots(self.numbers[:, rows])
        return votes if self.weights is None else votes * self.weights[rows, None].astype(np.float32)

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("X", "numbers", "told", "weights", "rows")}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "RegressionTrainingSet":
        X, numbers, told, weights, rows = (state[name] for name in ("X", "numbers", "told", "weights", "rows"))
        check_array(X, "X of RegressionTrainingSet", 2)
        require(X.size, "RegressionTrainingSet", "are empty")
        require(type(told) is TargetEncoding, "told of RegressionTrainingSet", "is something else")
        check_array(numbers, "numbers of RegressionTrainingSet", 2, (len(told), len(X)))
        check_rows(rows, weights, len(X))
        return cls(X, numbers, told, weights, rows)
