"""The rows in a report: given by the caller, or kept by the model from its fit."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.impute import SimpleImputer
from sklearn.utils import check_consistent_length, column_or_1d

from ..display.embedding import is_regression
from ..learners import MetricKNeighborsRegressor
from ..learners.learned_space import LearnedSpace, as_fitted, parts_of, passed
from ..metrics import TrainingSet
from ..sklearn_compat import kept_rows, safe_indexing
from .findings import Findings, TargetFindings

DIGITS = 12  # of a value that was scaled and is scaled back


@dataclass(frozen=True)
class KeptRows:
    """N training rows in the order in which fit was given them."""

    keeper: Any  # the part of the model
    rows: NDArray[np.intp]  # (N,) their numbers in the table given to fit
    n_given: int  # rows of that table, as far as the keeper knows: those after the last one kept may be unknown to it
    values: NDArray  # (N, q)
    are_mapped: bool  # whether the values lie in the learned space, or are features
    y: NDArray | None = None  # (N,) class numbers; None where there are no classes
    weights: NDArray | None = None  # (N,) of their votes; None where all weigh the same
    targets: NDArray | None = None  # (N,) of a regression

    def places_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Places of rows of the table among those kept; -1 for rows that are not kept."""
        place = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[place] == rows, place, -1)


def find(model: Any, *attributes: str) -> Any:
    """The part of a model that has one of the attributes, or None."""
    return next((part for _, part in parts_of(model) if any(hasattr(part, name) for name in attributes)), None)


def mapped(learner: Any, inputs: Any) -> NDArray:
    """Samples (n, p) in the learned space, of those (n, d) that have passed what stands in front of the learner."""
    with _without_names():
        return np.asarray((learner.embed if hasattr(learner, "embed") else learner.transform)(inputs), dtype=np.float64)


@contextmanager
def _without_names() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def kept_by(model: Any) -> KeptRows | None:
    """The training rows that a fitted model has kept; None where it keeps none."""
    for _, part in parts_of(model):
        ensemble = getattr(part, "ensemble_", None)
        training_set = getattr(part, "training_set_", None) if ensemble is None else ensemble.training_set
        if isinstance(training_set, TrainingSet):
            order = np.argsort(training_set.rows)
            everything = range(training_set.rows.max() + 1)
            known = getattr(part, "oob_decision_function_", getattr(part, "oob_prediction_", everything))
            rows, values, y = (of_rows[order] for of_rows in (training_set.rows, training_set.given, training_set.y))
            weights = None if training_set.weights is None else training_set.weights[order]
            targets = part.ensemble_.head.scale.back(y) if hasattr(part, "oob_prediction_") else None
            classes = y if hasattr(part, "classes_") else None
            return KeptRows(part, rows, len(known), values, ensemble is None, classes, weights, targets)
        if isinstance(part, MetricKNeighborsRegressor):
            n, targets = len(part.embedding_), part.numbers_ if part.numbers_.ndim == 1 else None
            return KeptRows(part, np.arange(n), n, part.embedding_, True, targets=targets)
        kept = kept_rows(part)
        if kept is not None:
            return KeptRows(part, np.arange(len(kept[0])), len(kept[0]), kept[0], True, kept[1])
    return None


def show_given_rows(
    findings: Findings, space: LearnedSpace, kept: KeptRows | None, X: Any, y: ArrayLike | None, most_rows: int
) -> Any:
    """Add given rows to the findings; return those that are shown, as the caller has them."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    findings.rows, findings.n_rows, findings.origin = _sample(n, most_rows), n, "the rows given"
    X = safe_indexing(X, findings.rows)
    X = X.toarray() if hasattr(X, "toarray") else X  # of a sparse matrix
    inputs = as_fitted(space.learner, passed(space.front, X))
    findings.inputs = np.asarray(inputs, dtype=np.float64)
    findings.Z, findings.before = mapped(space.learner, inputs), space.before(X)
    if y is not None:
        check_consistent_length(np.empty(n), y)
        labels = column_or_1d(y)
        findings.is_regression = findings.is_regression or is_regression(labels, space.learner)
        if findings.is_regression:
            findings.targets = TargetFindings(labels[findings.rows])
        else:
            _label(findings, getattr(find(space.estimator, "classes_"), "classes_", []), labels[findings.rows])
    if kept is not None and n == kept.n_given:
        place, given = kept.places_of(findings.rows), findings.Z if kept.are_mapped else findings.inputs
        known = place >= 0
        same_shape = known.any() and given.shape[1] == kept.values.shape[1]
        if same_shape and np.allclose(kept.values[place[known]], given[known], equal_nan=True):
            _mark_training_set(findings, kept, place)
    return X


def show_kept_rows(findings: Findings, kept: KeptRows, most_rows: int) -> None:
    """Add rows that the model has kept, under their numbers in fit."""
    chosen = _sample(len(kept.rows), most_rows)
    findings.rows, findings.n_rows, findings.origin = kept.rows[chosen], len(kept.rows), "the rows it has learned from"
    values = np.asarray(kept.values[chosen], dtype=np.float64)
    if kept.are_mapped:
        findings.Z = values
    else:
        findings.inputs = values
        findings.Z, findings.before = mapped(kept.keeper, values), LearnedSpace(kept.keeper).before(values)
    if kept.targets is not None:
        findings.targets = TargetFindings(kept.targets[chosen])
    if kept.y is not None:
        _label(findings, kept.keeper.classes_, np.asarray(kept.keeper.classes_)[kept.y[chosen]])
    _mark_training_set(findings, kept, chosen)


def describe_columns(findings: Findings, front: Sequence[Any], X: Any, columns: Any) -> None:
    """Add the user's columns and their cells; X are the rows shown, None those that the model has kept.

    ``columns`` has the names of the user's columns, their ``owner`` (d,), the number of the column that each feature
    comes from, and their cells: ``of_rows(X)``, or ``of_features(values)`` from the features (n, d) that were kept.
    """
    if findings.inputs is None:
        return
    if columns is not None:
        cells = columns.of_features(findings.inputs) if X is None else columns.of_rows(X)
        findings.columns, findings.owner = list(zip(columns.names, cells, strict=True)), columns.owner
        return
    if X is not None:
        cells = list(np.asarray(X, dtype=object).T)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{i}" for i in range(len(cells))]
        aligned = len(cells) == findings.inputs.shape[1] and all(map(_is_one_to_one, front))
    else:
        aligned = all(_is_one_to_one(step) and (_passes(step) or hasattr(step, "inverse_transform")) for step in front)
        cells = list((_scaled_back(front, findings.inputs) if aligned and front else findings.inputs).T)
        names = [f"x{i}" for i in range(len(cells))]
    if aligned:
        findings.owner, names = np.arange(len(cells)), findings.feature_names
    findings.columns = list(zip(names, cells, strict=True))


def _scaled_back(front, values):
    """Features as they stood in front of the scalers, with twelve digits: 0.1 + 0.2 is 0.3 again."""
    for step in reversed(front):
        if not _passes(step):
            with _without_names():
                values = np.asarray(step.inverse_transform(values), dtype=np.float64)
    with np.errstate(divide="ignore"):
        size = np.floor(np.log10(np.abs(values), out=np.zeros(values.shape), where=values != 0))
    unit = 10.0 ** np.clip(DIGITS - 1 - size, -300, 300)
    return np.where(np.isfinite(values * unit), np.round(values * unit) / unit, values)


def _is_one_to_one(step):
    """Whether each feature that leaves a transformer is one that entered it."""
    return isinstance(step, OneToOneFeatureMixin) or _passes(step)


def _passes(step):
    """Whether it leaves values as they are, but for gaps."""
    if not isinstance(step, SimpleImputer) or step.add_indicator:
        return False
    try:
        return not np.isnan(np.asarray(step.statistics_, dtype=np.float64)).any()
    except ValueError:  # of texts
        return True


def _sample(n, most):
    """Numbers of the rows to show: all, or a random sample."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _label(findings, classes, y):
    """Class numbers. Labels differ where they read differently."""
    labels = [str(label) for label in np.asarray(y).tolist()]
    known = list(dict.fromkeys(str(label) for label in np.asarray(classes).tolist()))
    if not set(known) & set(labels):  # perhaps other words for the same classes
        known = []
    findings.class_names = known + sorted(set(labels) - set(known))
    number = {name: c for c, name in enumerate(findings.class_names)}
    findings.y = np.array([number[label] for label in labels], dtype=int)


def _mark_training_set(findings, kept, place):
    """Mark the rows shown that vote, and their weights; rows without a label or weight have no place and no vote."""
    findings.learned_from = True
    if (place < 0).any():
        findings.training_set = np.flatnonzero(place >= 0)
    if kept.weights is not None:
        findings.vote_weights = np.where(place >= 0, kept.weights[place], 0.0)
