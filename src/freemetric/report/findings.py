"""What a report is about: plain arrays and words."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..metrics import Form

ROUNDING = 1e-9


@dataclass
class Snapshots:
    """One replica's map along its walk."""

    step: NDArray  # (S,), 0 is the start
    maps: NDArray  # (S, p, d'), as the form has them
    form: Form  # of the maps
    patterns: NDArray  # (n, d'), what the maps map
    replica: int  # its column in the trace
    whose: str  # the replica, in words


@dataclass
class NumberFindings:
    """What is known of a target of numbers; (n,) each for the rows shown, NaN where it is unknown."""

    truth: NDArray
    predicted: NDArray
    low: NDArray  # ends of intervals
    high: NDArray
    alpha: float = 0.1  # share of intervals that may miss
    log: bool = False  # whether numbers are averaged as logarithms
    neighbors: NDArray | None = None  # mean of what the neighbours that vote tell, in units of the target
    trends: list = field(default_factory=list)  # a TrendFindings for each
    pull: NDArray | None = None  # what moving neighbours' mean along the mean of all rows adds, or multiplies with
    pull_words: str = ""
    rest: NDArray | None = None  # what is still missing: errors of other rows on average, and the end of the range

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Rows whose truth and prediction are known."""
        return np.isfinite(self.truth) & np.isfinite(self.predicted)

    @property
    def held(self) -> NDArray[np.bool_]:
        """Rows whose truth is in the interval; the ends belong to it, which are errors of rows, perhaps of its own."""
        slack = ROUNDING * (np.abs(self.low) + np.abs(self.high))
        return (self.low - slack <= self.truth) & (self.truth <= self.high + slack)


@dataclass
class TrendFindings:
    """A trend beside the neighbours; (n,) each, in units of the target."""

    words: str
    here: NDArray  # what it says of the row
    around: NDArray  # the mean of what it says of the neighbours
    adds: NDArray  # to the prediction; a factor where numbers are averaged as logarithms


@dataclass
class Findings:
    """What is known of a model; None where nothing is. n rows are shown, d features meet the map."""

    name: str
    learner: str
    feature_names: list
    class_names: list = field(default_factory=list)
    n_rows: int = 0  # in all
    rows: NDArray | None = None  # (n,) numbers of those shown, in the table given or given to fit
    origin: str = ""  # of the rows, in words
    columns: list = field(default_factory=list)  # (name, values) as the user has them
    owner: NDArray | None = None  # (d,) number of the column that each feature comes from; None where that is unknown
    y: NDArray | None = None  # (n,) class numbers
    of_numbers: bool = False  # whether the target is a number
    numbers: NumberFindings | None = None  # what is known of it
    inputs: NDArray | None = None  # (n, d) where they meet the map
    before: NDArray | None = None  # (n, d) in the scale that learning begins with
    Z: NDArray | None = None  # (n, p) learned
    learned_from: bool = False  # whether the model has learned from these rows
    training_set: NDArray | None = (
        None  # places among the rows shown of those that vote, which have labels and weights; None: all
    )
    vote_weights: NDArray | None = None  # (n,), where some voters weigh more than others
    embed: Callable[[NDArray], NDArray] | None = None  # (m, d) -> (m, p)
    matrix: NDArray | None = None  # (d, d) M, whose squared distance is (u - v)^T M (u - v)
    linear_share: float = 1.0  # of the learned space's variance that M gives; 1 where the map is linear
    spread: NDArray | None = None  # (d,) standard deviations of the inputs
    weights: NDArray | None = None  # (c,) shares of the columns, or else features, in what distances weigh
    weight_range: tuple | None = None  # (low, high) of (c,)
    weight_words: str = ""
    importances: NDArray | None = None  # (c,) what a score loses without each
    importance_errors: NDArray | None = None  # (c,) their standard errors
    importance_score: str = ""  # that score, in words
    trace: dict | None = None
    burn_in: float = 0.5  # share of the steps
    one_target: bool = True  # whether all replicas sample the same distribution
    snapshots: Snapshots | None = None
    selection: dict | None = None
    n_neighbors: int | None = None
    beside_votes: list = field(default_factory=list)  # (words, strength) of what else decides
    predicted: NDArray | None = None  # (n,) class numbers, -1 where not judged
    confusion: NDArray | None = None  # (C, C) counts of true and predicted classes, rows not shown included
    judged_by: str = ""
    parameters: list = field(default_factory=list)
    versions: list = field(default_factory=list)

    @property
    def aligned(self) -> bool:
        """Whether it is known which features come from which column."""
        return self.owner is not None

    @property
    def names(self) -> list:
        """What decisions are explained by: the user's columns, or the features where it is unknown what they are of."""
        return [name for name, _ in self.columns] if self.aligned else self.feature_names

    def by_name(self, parts: NDArray) -> NDArray:
        """What the features have (..., d), added up for every one of the names."""
        return parts if self.owner is None else parts @ np.eye(len(self.columns))[self.owner]

    def features_of(self, number: int) -> NDArray[np.intp]:
        """The features behind a name."""
        return np.array([number]) if self.owner is None else np.flatnonzero(self.owner == number)

    @property
    def scaled_matrix(self) -> NDArray | None:
        """M in standard deviations of the features, where they are known: units do not matter then."""
        return self.matrix if self.spread is None else self.matrix * np.outer(self.spread, self.spread)
