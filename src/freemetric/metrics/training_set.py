"""The training set of an ensemble, and how its targets become votes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, check_numbers, require
from .gaps import Gaps

SMALLEST_RANGE = 1e-9  # so that equal values have one
VOTE_BYTES = 256 << 20  # that any training set may have; more only where it has many features itself
BLOCK = 65_536  # samples whose votes are made at a time


class Encoding(ABC):
    """How targets become votes: every sample votes for some of ``n_cells`` cells."""

    n_cells: int

    @abstractmethod
    def target(self, values: NDArray) -> NDArray:
        """The target (N,) in the values of N samples, whose last axis is N."""

    @abstractmethod
    def votes(self, values: NDArray) -> NDArray[np.float32]:
        """Votes (N, n_cells) of samples with these values."""

    @abstractmethod
    def learned(self, values: NDArray, bags: NDArray) -> NDArray:
        """What replicas that learn on these bags (R, n) of samples learn."""

    @abstractmethod
    def check(self, values: NDArray, X: NDArray) -> None:
        """ValueError unless samples X (N, d) may have these values."""


class ClassEncoding(Encoding):
    """Class numbers 0..C-1 as votes: a cell for every class.

    Parameters
    ----------
    n_classes : int
        C.
    """

    def __init__(self, n_classes: int):
        self.n_classes = self.n_cells = n_classes

    def target(self, values: NDArray) -> NDArray:
        return values

    def votes(self, values: NDArray) -> NDArray[np.float32]:
        out = np.zeros((len(values), self.n_classes), dtype=np.float32)
        out[np.arange(len(values)), values] = 1.0
        return out

    def learned(self, values: NDArray, bags: NDArray) -> NDArray:
        return values[bags[0]]  # bags are drawn class by class, so that they are the same in every bag

    def check(self, values: NDArray, X: NDArray) -> None:
        """ValueError unless they are class numbers, few enough that no small file asks for a large table of votes."""
        check_array(values, "values of TrainingSet", 1, X.shape[:1], "iu")
        require(self.n_classes <= len(values), "TrainingSet", "has fewer samples than classes")
        fits = 4 * self.n_classes * len(values) <= max(VOTE_BYTES, 100 * X.nbytes)
        require(fits, "TrainingSet", f"has {self.n_classes} classes, which is too many for {X.shape[1]} features")
        check_numbers(values, self.n_classes, "values of TrainingSet")

    def to_state(self) -> dict[str, Any]:
        return {"n_classes": self.n_classes}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "ClassEncoding":
        n_classes = state["n_classes"]
        require(type(n_classes) is int and n_classes > 0, "n_classes of ClassEncoding", "is no positive integer")
        return cls(n_classes)


class TargetEncoding(Encoding):
    """Several values of every sample as votes, each within its range: two cells for every value.

    A value v between low and high is a vote of (high - v) / (high - low) for the low end and of
    (v - low) / (high - low) for the high one. The share of the high end among any samples gives the mean of their
    values exactly.

    Parameters
    ----------
    low, high : ndarray of shape (n_values,)
        The ranges. The target comes first.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.metrics.training_set import TargetEncoding
    >>> encoding = TargetEncoding.of(np.array([[1.0, 4.0, 7.0]]))
    >>> shares = encoding.votes(np.array([[1.0, 4.0, 7.0]])).mean(axis=0)
    >>> encoding.means(shares)
    array([4.])
    """

    def __init__(self, low: NDArray, high: NDArray):
        self.low, self.high = low, high
        self.n_cells = 2 * len(low)

    @classmethod
    def of(cls, values: NDArray) -> "TargetEncoding":
        """The ranges of values (n_values, N)."""
        low, high = values.min(axis=1), values.max(axis=1)
        return cls(low, np.maximum(high, low + SMALLEST_RANGE * np.maximum(1.0, np.abs(low))))

    def __len__(self) -> int:
        return len(self.low)

    def target(self, values: NDArray) -> NDArray:
        return values[0]

    def votes(self, values: NDArray) -> NDArray[np.float32]:
        """Votes (N, n_cells) of samples with values (n_values, N); those beyond a range count as its end."""
        part = np.clip((values.T - self.low) / (self.high - self.low), 0.0, 1.0)
        return np.stack([1 - part, part], axis=2).reshape(len(part), self.n_cells).astype(np.float32)

    def learned(self, values: NDArray, bags: NDArray) -> NDArray:
        targets = self.target(values)[bags]
        return targets if targets.ndim == 3 else targets[:, :, None]

    def means(self, shares: NDArray) -> NDArray[np.float64]:
        """Means (..., n_values) of the values, from shares (..., n_cells) of all votes."""
        part = len(self) * np.asarray(shares, dtype=np.float64)[..., 1::2]
        return self.low + (self.high - self.low) * part

    def mean(self, shares: NDArray, number: int = 0) -> NDArray[np.float64]:
        """The mean (...) of one of the values."""
        part = len(self) * np.asarray(shares[..., 2 * number + 1], dtype=np.float64)
        return self.low[number] + (self.high[number] - self.low[number]) * part

    def check(self, values: NDArray, X: NDArray) -> None:
        check_array(values, "values of TrainingSet", 2, (len(self), len(X)))

    def to_state(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "TargetEncoding":
        low, high = state["low"], state["high"]
        check_array(low, "low of TargetEncoding", 1)
        check_array(high, "high of TargetEncoding", 1, low.shape)
        require(len(low) and (high > low).all(), "ranges of TargetEncoding", "are empty")
        return cls(low, high)


class Places(NamedTuple):
    """The M different places of N samples, and what lies there: copies of a sample share a distance."""

    rows: NDArray[np.intp]  # (M,) one of the samples at every place
    of_row: NDArray[np.intp]  # (N,) the place of every sample
    counts: NDArray[np.intp]  # (M,) samples there
    votes: NDArray[np.float32]  # (M, n_cells) of all samples there

    def sorted_by(self, order: NDArray[np.integer]) -> "Places":
        """The same places in another order (M,)."""
        number = np.empty_like(self.rows)
        number[order] = np.arange(len(order))
        return Places(self.rows[order], number[self.of_row], self.counts[order], self.votes[order])

    @property
    def are_single(self) -> bool:
        """Whether no two samples share a place."""
        return len(self.rows) == len(self.of_row)

    @property
    def have_one_vote(self) -> bool:
        """Whether every place is one sample with one vote."""
        return self.are_single and bool((self.votes.sum(axis=1) == 1).all())


def places_of(X: NDArray, values: NDArray, encoding: Encoding, weights: NDArray | None = None) -> Places:
    """Different places of samples X (N, d), in the order in which samples first come to them, and their votes."""
    first, of_row = equal_rows(X)
    votes = np.zeros((len(first), encoding.n_cells))
    for start in range(0, len(X), BLOCK):
        some = slice(start, start + BLOCK)
        np.add.at(votes, of_row[some], _weighted(encoding.votes(values[..., some]), weights, some))
    return Places(first, of_row, np.bincount(of_row, minlength=len(first)), votes.astype(np.float32))


def _weighted(votes, weights, some):
    """Votes (n, n_cells) of some samples by their weights (N,), in single precision as they are taken off again."""
    return votes if weights is None else votes * weights[some, None].astype(np.float32)


def has_gaps(X: NDArray) -> bool:
    """Whether any value of X (n, d) is missing."""
    return bool(np.isnan(np.min(X, axis=0, initial=np.inf)).any())


class TrainingSet:
    """Training samples that vote.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    values : ndarray of shape (n_samples,) or (n_values, n_samples)
        What they vote for, as the encoding takes it: class numbers, or the target and further values.
    encoding : ClassEncoding or TargetEncoding
        How values become votes.
    weights : ndarray of shape (n_samples,) or None, default=None
        Positive weights of their votes; None where all weigh the same.
    rows : ndarray of shape (n_samples,) or None, default=None
        Their rows in the table that ``fit`` was given; None where they are all of it, in its order.

    Attributes
    ----------
    gaps : Gaps or None
        What has made X of samples with missing values; None where none was missing.
    """

    gaps: Gaps | None = None

    def __init__(
        self,
        X: NDArray,
        values: NDArray,
        encoding: Encoding,
        weights: NDArray | None = None,
        rows: NDArray | None = None,
    ) -> None:
        self.X, self.values, self.encoding, self.weights = X, values, encoding, weights
        self.rows = np.arange(len(X)) if rows is None else rows

    def with_gaps(self, gaps: Gaps | None) -> Self:
        """Itself, with what has made its X."""
        self.gaps = gaps
        return self

    def __len__(self) -> int:
        return len(self.X)

    def __sizeof__(self) -> int:
        """Size with the samples: clusters look at it before they decide to send an object once."""
        return object.__sizeof__(self) + self.X.nbytes + self.values.nbytes

    @property
    def owner(self) -> NDArray[np.integer]:
        """The feature given to ``fit`` that every column of X belongs to."""
        return np.arange(self.X.shape[1]) if self.gaps is None else self.gaps.owner

    @property
    def given(self) -> NDArray:
        """X as ``fit`` was given it, with NaN for gaps of features that have many."""
        return self.X if self.gaps is None else self.gaps.back(self.X)

    @property
    def y(self) -> NDArray:
        """The target (n_samples,)."""
        return self.encoding.target(self.values)

    @property
    def n_cells(self) -> int:
        """Cells of a vote."""
        return self.encoding.n_cells

    def targets(self, bags: NDArray) -> NDArray:
        """What replicas that learn on these bags (R, n) of samples learn."""
        return self.encoding.learned(self.values, bags)

    @cached_property
    def places(self) -> Places:
        """Where the samples lie; copies of a sample share a place."""
        return places_of(self.X, self.values, self.encoding, self.weights)

    def only(self, numbers: NDArray) -> "TrainingSet":
        """Some of the samples."""
        weights = None if self.weights is None else self.weights[numbers]
        some = self.X[numbers], self.values[..., numbers], self.encoding, weights, self.rows[numbers]
        return TrainingSet(*some).with_gaps(self.gaps)

    def votes(self, numbers: NDArray) -> NDArray[np.float32]:
        """What each of these samples votes for, (n, n_cells)."""
        return _weighted(self.encoding.votes(self.values[..., numbers]), self.weights, numbers)

    def to_state(self) -> dict[str, Any]:
        gaps = {} if self.gaps is None else {"gaps": self.gaps}
        return {name: getattr(self, name) for name in ("X", "values", "encoding", "weights", "rows")} | gaps

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "TrainingSet":
        X, values, encoding, weights, rows = (state[name] for name in ("X", "values", "encoding", "weights", "rows"))
        gaps = state.get("gaps")
        check_array(X, "X of TrainingSet", 2)
        require(X.size, "TrainingSet", "is empty")
        require(isinstance(encoding, Encoding), "encoding of TrainingSet", "is something else")
        encoding.check(values, X)
        check_array(rows, "rows of TrainingSet", 1, X.shape[:1], "iu")
        are_rows = rows.min() >= 0 and len(np.unique(rows)) == len(rows)
        require(are_rows, "rows of TrainingSet", "are no numbers of rows")
        if weights is not None:
            check_array(weights, "weights of TrainingSet", 1, X.shape[:1])
            require((weights > 0).all(), "weights of TrainingSet", "are not positive")
        fits = gaps is None or (type(gaps) is Gaps and len(gaps.owner) == X.shape[1])
        require(fits, "gaps of TrainingSet", "are of other features")
        return cls(X, values, encoding, weights, rows).with_gaps(gaps)


def equal_rows(X: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of every kind (M,), and which kind every row is of (N,)."""
    everyone = np.arange(len(X))
    shadow = np.sort(X @ _random_line(X.shape[1]))  # copies fall on one point of a random line
    if not (np.diff(shadow) <= 1e-9 * np.abs(shadow).max(initial=0.0)).any():
        return everyone, everyone
    order = np.lexsort(X.T[::-1])  # stable: equal rows stay in their order
    is_new = np.append(True, (X[order[1:]] != X[order[:-1]]).any(axis=1))
    first = order[is_new]
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    of_row = np.empty(len(X), dtype=np.intp)
    of_row[order] = rank[np.cumsum(is_new) - 1]
    return np.sort(first), of_row


@cache
def _random_line(d):
    return np.random.default_rng(0).standard_normal(d)
