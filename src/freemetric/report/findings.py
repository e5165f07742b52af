"""The contents of a report as plain arrays and words."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..metrics import Form

ROUNDING = 1e-9


@dataclass
class Snapshots:
    """The map of one replica along its Monte Carlo run."""

    step: NDArray  # (S,), 0 is the start
    maps: NDArray  # (S, p, d'), as the form has them
    form: Form
    samples: NDArray  # (n, d'), the input of the maps
    replica: int  # its column in the trace
    whose: str  # the replica, in words


class TargetFindings:
    """Targets of a regression and their predictions; (n,) each for the rows shown, NaN where unknown."""

    def __init__(self, truth: NDArray) -> None:
        self.truth = np.asarray(truth, dtype=np.float64)
        self.predicted, self.low, self.high = np.full((3, len(self.truth)), np.nan)  # low and high end the intervals
        self.alpha = 0.1  # share of intervals that may miss
        self.log = False  # whether targets are averaged as logarithms
        # In units of the target: "neighbors", the mean of the neighbours; "pull", what moving it along the mean of all
        # rows adds; "rest", what is still missing: mean errors of other rows, and the end of the range. Of logarithms,
        # the last two are factors.
        self.parts: dict[str, NDArray] = {}
        self.pull_words = ""
        # Words of a trend, and arrays: "here", its value; "around", its mean over the neighbours; "adds", what it adds.
        self.trends: list[tuple[str, dict[str, NDArray]]] = []

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Rows with a true and a predicted target."""
        return np.isfinite(self.truth) & np.isfinite(self.predicted)

    @property
    def bounded(self) -> NDArray[np.bool_]:
        """Scored rows with an interval."""
        return self.scored & np.isfinite(self.low)

    @property
    def held(self) -> NDArray[np.bool_]:
        """Rows whose target is in the interval; its ends, which are errors of rows, belong to it."""
        slack = ROUNDING * (np.abs(self.low) + np.abs(self.high))
        return (self.low - slack <= self.truth) & (self.truth <= self.high + slack)


@dataclass
class Findings:
    """The contents of a report; None where something is unknown. n rows are shown, d features enter the map."""

    name: str
    learner: str
    feature_names: list = field(default_factory=list)
    class_names: list = field(default_factory=list)
    n_rows: int = 0  # in all
    rows: NDArray | None = None  # (n,) numbers of those shown, in the table given or given to fit
    origin: str = ""  # of the rows, in words
    columns: list = field(default_factory=list)  # (name, values) as the user has them
    owner: NDArray | None = None  # (d,) number of the column that each feature comes from; None where that is unknown
    y: NDArray | None = None  # (n,) class numbers
    is_regression: bool = False
    targets: TargetFindings | None = None  # of a regression
    inputs: NDArray | None = None  # (n, d) that the map takes
    before: NDArray | None = None  # (n, d) in the scale that learning begins with
    Z: NDArray | None = None  # (n, p) learned
    learned_from: bool = False  # whether the model was fitted on these rows
    training_set: NDArray | None = None  # places among the rows shown of those with label and weight; None: all
    vote_weights: NDArray | None = None  # (n,), where votes weigh differently
    embed: Callable[[NDArray], NDArray] | None = None  # (m, d) -> (m, p)
    matrix: NDArray | None = None  # (d, d) M, whose squared distance is (u - v)^T M (u - v)
    linear_share: float = 1.0  # of the learned space's variance that M gives; 1 where the map is linear
    spread: NDArray | None = None  # (d,) standard deviations of the inputs
    weights: NDArray | None = None  # (c,) shares of the columns, or else features, in the squared distances
    weight_range: tuple | None = None  # (low, high) of (c,)
    weight_words: str = ""
    score_name: str = ""  # of the out-of-bag score
    importances: NDArray | None = None  # (c,) what the score loses without each
    importance_errors: NDArray | None = None  # (c,) their standard errors
    trace: dict | None = None
    burn_in: float = 0.5  # share of the steps
    one_target: bool = True  # whether all replicas sample the same distribution
    snapshots: Snapshots | None = None
    selection: dict | None = None
    n_neighbors: int | None = None
    beside_votes: list = field(default_factory=list)  # (words, strength) of what else decides
    predicted: NDArray | None = None  # (n,) class numbers, -1 where there is no prediction
    confusion: NDArray | None = None  # (C, C) counts of true and predicted classes, rows not shown included
    prediction_kind: str = ""  # "out-of-bag", "leave-one-out" or "held-out"
    prediction_source: str = ""  # where the predictions come from, in a sentence
    p_values: NDArray | None = None  # (n,) of being drawn as the training rows were; of rows not learned from
    parameters: list = field(default_factory=list)
    versions: list = field(default_factory=list)

    @property
    def names(self) -> list:
        """The user's columns, or the features where their columns are unknown; they explain decisions."""
        return self.feature_names if self.owner is None else [name for name, _ in self.columns]

    @property
    def finite_inputs(self) -> NDArray:
        """The inputs (n, d) with the mean of a feature instead of its gaps."""
        assert self.inputs is not None
        missing = np.isnan(self.inputs)
        sums, counts = np.where(missing, 0.0, self.inputs).sum(axis=0), (~missing).sum(axis=0)
        return np.where(missing, sums / np.maximum(counts, 1), self.inputs)

    def by_name(self, parts: NDArray) -> NDArray:
        """Sums of values of the features (..., d) over those of every name."""
        return parts if self.owner is None else parts @ np.eye(len(self.columns))[self.owner]

    @property
    def training_rows(self) -> NDArray[np.intp]:
        """Places among the rows shown of those that vote."""
        n = 0 if self.rows is None else len(self.rows)
        return np.arange(n) if self.training_set is None else self.training_set

    @property
    def scaled_matrix(self) -> NDArray | None:
        """M in standard deviations of the features, where they are known: units do not matter then."""
        return self.matrix if self.spread is None else self.matrix * np.outer(self.spread, self.spread)
