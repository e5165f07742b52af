"""The training rows that a model has kept, whichever of its parts keeps them."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...learners import MetricKNeighborsRegressor
from ...learners.learned_space import parts_of
from ...metrics import TrainingSet
from ...sklearn_compat import kept_rows


def find(model: Any, *attributes: str) -> Any:
    """The part of a model that has one of the attributes, or None."""
    return next((part for _, part in parts_of(model) if any(hasattr(part, name) for name in attributes)), None)


def mapped(learner: Any, inputs: Any) -> NDArray:
    """Patterns (n, p) in the learned space, of those (n, d) that have passed what stands in front of the learner."""
    go = learner.embed if hasattr(learner, "embed") else learner.transform
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(go(inputs), dtype=np.float64)


@dataclass(frozen=True)
class KeptRows:
    """N training rows in the order in which fit was given them."""

    keeper: Any  # the part of the model
    rows: NDArray[np.intp]  # (N,) their numbers in the table given to fit
    n_given: int  # rows of that table, as far as the keeper knows: those after the last one kept may be unknown to it
    values: NDArray  # (N, q)
    are_mapped: bool  # whether the values lie in the learned space, or are features
    y: NDArray | None  # (N,) class numbers; None where there are no classes
    weights: NDArray | None = None  # (N,) of their votes; None where all weigh the same
    numbers: NDArray | None = None  # (N,) their targets, where these are numbers

    @property
    def labels(self) -> NDArray | None:
        """Labels (N,), if there are any."""
        return None if self.y is None else np.asarray(self.keeper.classes_)[self.y]

    @property
    def scores(self) -> NDArray | None:
        """Out-of-bag scores (n_given, n_classes) of the table given to fit, if there are any."""
        return getattr(self.keeper, "oob_decision_function_", None)

    def places_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where rows of the table are among those kept; -1 for those that are not kept."""
        place = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[place] == rows, place, -1)


def kept_by(model: Any) -> KeptRows | None:
    """The rows that a fitted model has kept; None where it keeps none."""
    every = (_kept_by_part(part) for _, part in parts_of(model))
    return next((kept for kept in every if kept is not None), None)


def _kept_by_part(part):
    if hasattr(part, "ensemble_"):
        return _of_voters(part, part.ensemble_.training_set, are_mapped=False)
    if isinstance(getattr(part, "training_set_", None), TrainingSet):
        return _of_voters(part, part.training_set_, are_mapped=True)
    if isinstance(part, MetricKNeighborsRegressor):
        n, numbers = len(part.embedding_), part.numbers_ if part.numbers_.ndim == 1 else None
        return KeptRows(part, np.arange(n), n, part.embedding_, True, None, numbers=numbers)
    kept = kept_rows(part)
    if kept is None:
        return None
    values, y = kept
    return KeptRows(part, np.arange(len(values)), len(values), values, True, y)


def _of_voters(part, training_set, are_mapped):
    order = np.argsort(training_set.rows)
    known = getattr(
        part, "oob_decision_function_", getattr(part, "oob_prediction_", range(training_set.rows.max() + 1))
    )
    y = training_set.y[order] if hasattr(part, "classes_") else None
    weights = None if training_set.weights is None else training_set.weights[order]
    numbers = part.ensemble_.head.scale.back(training_set.y[order]) if hasattr(part, "oob_prediction_") else None
    return KeptRows(part, training_set.rows[order], len(known), training_set.X[order], are_mapped, y, weights, numbers)
