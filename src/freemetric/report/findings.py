"""What a report is about: plain arrays and words."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Snapshots:
    """One replica's map along its walk."""

    step: np.ndarray  # (S,), 0 is the start
    maps: np.ndarray  # (S, p, d'), or weights (S, 1, d') where it is diagonal
    patterns: np.ndarray  # (n, d'), what the maps map
    replica: int  # its column in the trace
    whose: str  # the replica, in words
    diagonal: bool = False


@dataclass
class Findings:
    """What is known of a model; None where it does not tell. n rows are shown, d features meet the map."""

    name: str
    learner: str
    feature_names: list
    class_names: list = field(default_factory=list)
    n_rows: int = 0  # in all
    rows: np.ndarray | None = None  # (n,) numbers of those shown
    origin: str = ""  # of the rows, in words
    columns: list = field(default_factory=list)  # (name, values) as the user has them
    aligned: bool = False  # whether columns and features are the same, in other units at most
    y: np.ndarray | None = None  # (n,) class numbers
    inputs: np.ndarray | None = None  # (n, d) where they meet the map
    before: np.ndarray | None = None  # (n, d) in the scale that learning begins with
    Z: np.ndarray | None = None  # (n, p) learned
    learned_from: bool = False  # whether the model has learned from these rows
    voters: np.ndarray | None = None  # places among the rows shown of those that vote; None: all
    vote_weights: np.ndarray | None = None  # (n,), where some voters weigh more than others
    embed: object = None  # (m, d) -> (m, p)
    matrix: np.ndarray | None = None  # (d, d) M, whose squared distance is (u - v)^T M (u - v)
    linear_share: float = 1.0  # of the learned space's variance that M tells; 1 where the map is linear
    spread: np.ndarray | None = None  # (d,) standard deviations of the inputs
    weights: np.ndarray | None = None  # (d,) importance of the features
    weight_range: tuple | None = None  # (low, high) of (d,)
    weight_words: str = ""
    trace: dict | None = None
    burn_in: float = 0.5  # share of the steps
    one_target: bool = True  # whether all replicas sample the same distribution
    snapshots: Snapshots | None = None
    selection: dict | None = None
    n_neighbors: int | None = None
    predicted: np.ndarray | None = None  # (n,) class numbers, -1 where not judged
    confusion: np.ndarray | None = None  # (C, C) counts of true and predicted classes, rows not shown included
    judged_by: str = ""
    parameters: list = field(default_factory=list)
    versions: list = field(default_factory=list)

    @property
    def scaled_matrix(self):
        """M in standard deviations of the features, where they are known: units do not matter then."""
        return self.matrix if self.spread is None else self.matrix * np.outer(self.spread, self.spread)
