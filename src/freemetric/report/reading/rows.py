"""The rows that a page shows: given by the caller, or kept by the model from its fit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ...display.embedding import is_regression
from ...learners.learned_space import LearnedSpace, as_fitted, passed
from ...sklearn_compat import safe_indexing
from ..findings import Findings
from .kept import KeptRows, find, mapped
from .numbers import tell_truth
from .user_columns import KeptColumns, TableColumns, UserColumns


def show_given_rows(
    findings: Findings,
    space: LearnedSpace,
    kept: KeptRows | None,
    X: Any,
    y: ArrayLike | None,
    most_rows: int,
    columns: UserColumns | None = None,
) -> None:
    """Rows that the caller has."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    findings.rows, findings.n_rows, findings.origin = _sample(n, most_rows), n, "the rows given"
    X = safe_indexing(X, findings.rows)
    X = X.toarray() if hasattr(X, "toarray") else X  # of a sparse matrix
    inputs = as_fitted(space.learner, passed(space.front, X))
    findings.inputs = np.asarray(inputs, dtype=np.float64)
    findings.Z, findings.before = mapped(space.learner, inputs), space.before(X)
    known: UserColumns = TableColumns.of(space.front, X, findings.inputs.shape[1]) if columns is None else columns
    _describe(findings, known, known.of_rows(X))
    if y is not None:
        check_consistent_length(np.empty(n), y)
        labels = column_or_1d(y)
        findings.of_numbers = findings.of_numbers or is_regression(labels, space.learner)
        if findings.of_numbers:
            tell_truth(findings, labels[findings.rows])
        else:
            _label(findings, getattr(find(space.estimator, "classes_"), "classes_", []), labels[findings.rows])
    if kept is not None and n == kept.n_given:
        place = kept.places_of(findings.rows)
        if _are_the_same(findings.Z if kept.are_mapped else findings.inputs, kept.values, place):
            _mark_voters(findings, kept, place)


def show_kept_rows(
    findings: Findings, space: LearnedSpace, kept: KeptRows, most_rows: int, columns: UserColumns | None = None
) -> None:
    """Rows that the model has kept, under the numbers that they had in fit."""
    chosen = _sample(len(kept.rows), most_rows)
    findings.rows, findings.n_rows, findings.origin = kept.rows[chosen], len(kept.rows), "the rows it has learned from"
    values = np.asarray(kept.values[chosen], dtype=np.float64)
    if kept.are_mapped:
        findings.Z = values
    else:
        findings.inputs = values
        findings.Z, findings.before = mapped(kept.keeper, values), LearnedSpace(kept.keeper).before(values)
        known: UserColumns = KeptColumns(space.front, values.shape[1]) if columns is None else columns
        _describe(findings, known, known.of_features(values))
    if kept.numbers is not None:
        tell_truth(findings, kept.numbers[chosen])
    if kept.labels is not None:
        _label(findings, kept.keeper.classes_, kept.labels[chosen])
    _mark_voters(findings, kept, chosen)


def _describe(findings, columns, cells):
    findings.columns, findings.owner = list(zip(columns.names, cells, strict=True)), columns.owner


def _sample(n, most):
    """Numbers of the rows to show: all, or a random sample."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _label(findings: Findings, classes: ArrayLike, y: NDArray) -> None:
    """Class numbers. Labels differ where they read differently."""
    labels = [str(label) for label in np.asarray(y).tolist()]
    known = list(dict.fromkeys(str(label) for label in np.asarray(classes).tolist()))
    if not set(known) & set(labels):  # other words for the same classes, perhaps
        known = []
    findings.class_names = known + sorted(set(labels) - set(known))
    number = {name: c for c, name in enumerate(findings.class_names)}
    findings.y = np.array([number[label] for label in labels], dtype=int)


def _are_the_same(given: NDArray, kept: NDArray, place: NDArray[np.intp]) -> bool:
    """Whether rows given are those that were kept, as far as these have a place among them."""
    known = place >= 0
    same_shape = bool(known.any()) and given.shape[1] == kept.shape[1]
    return same_shape and np.allclose(kept[place[known]], given[known])


def _mark_voters(findings: Findings, kept: KeptRows, place: NDArray[np.intp]) -> None:
    """Which of the rows shown vote, and by which weights: all but those without a label or weight, which have no place.

    Copies of a row are rows, which vote like any other.
    """
    findings.learned_from = True
    if (place < 0).any():
        findings.training_set = np.flatnonzero(place >= 0)
    if kept.weights is not None:
        findings.vote_weights = np.where(place >= 0, kept.weights[place], 0.0)
