"""Predictions beside the truth: out of bag where the model was fitted on the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from .parts import as_numbers, needed_part, part_with, training_rows

OOB = "oob_decision_function_", "oob_prediction_"


@dataclass(frozen=True)
class Predictions:
    """Predictions of rows, and the truth.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_samples,)
        Labels or targets.
    probabilities : ndarray of shape (n_samples, n_classes) or None
        Of a classifier that has them.
    intervals : ndarray of shape (n_samples, 2) or None
        Of a regressor that has them; NaN for out-of-bag predictions.
    classes : ndarray of shape (n_classes,) or None
        Labels of a classifier.
    source : str
        Where the predictions come from.
    rows : ndarray of shape (n_samples,)
        Numbers of the rows; those without an out-of-bag prediction are left out.
    """

    truth: NDArray
    predicted: NDArray
    probabilities: NDArray | None
    intervals: NDArray | None
    classes: Any
    source: str
    rows: NDArray


def predictions_of(
    estimator: Any, X: Any = None, y: ArrayLike | None = None, alpha: float = 0.1
) -> Predictions:
    """Return predictions of rows beside their truth.

    Rows that an ensemble was fitted on have out-of-bag predictions: it has not learned
    from a row that it predicts.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or regressor.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Samples; None takes the training samples of an ensemble.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets. An ensemble knows those of its training samples.
    alpha : float, default=0.1
        Share of prediction intervals that may miss the target.

    Returns
    -------
    predictions : Predictions
        The rows with a prediction.
    """
    part = part_with(estimator, *OOB)
    if X is None:
        part = needed_part(estimator, "X, or an ensemble", *OOB)
        outputs, classes = out_of_bag(part)
        own: Any = np.arange(len(outputs))
        y = training_targets(part) if y is None else y
    else:
        own = None if part is None else training_rows(part, X)
        outputs, classes = outputs_of(estimator, X)
        if own is not None and (own >= 0).any():
            outputs[own >= 0] = out_of_bag(part)[0][own[own >= 0]]
    if y is None:
        raise ValueError("Predictions can only be shown beside the truth; give y.")
    truth = column_or_1d(y)
    check_consistent_length(outputs, truth)
    intervals = intervals_of(estimator, X, own, alpha) if classes is None else None
    rows = np.flatnonzero(np.isfinite(outputs).all(axis=1))
    return _scored(rows, truth, outputs, classes, intervals, source_of(own))


def check_kind(found: Predictions, wants_classes: bool) -> None:
    """TypeError where classes are wanted and there are numbers, or the opposite."""
    if (found.classes is not None) != wants_classes:
        other = "PredictionDisplay" if wants_classes else "ConfusionDisplay"
        raise TypeError(f"This display is not for such a target; {other} is.")


def as_targets(y: Any) -> NDArray:
    """Return targets as numbers; texts such as "12,5" are read as in tables."""
    values = column_or_1d(y)
    if values.dtype.kind not in "OU":
        return as_numbers(values)
    from ..tables.frames import as_numbers as read  # without texts, no pandas is needed

    return read(values)


def _scored(rows, truth, outputs, classes, intervals, source):
    """Keep the rows that have a prediction."""
    outputs = outputs[rows]
    if classes is None:
        bounds = None if intervals is None else intervals[rows]
        numbers = as_targets(truth)[rows]
        return Predictions(numbers, outputs[:, 0], None, bounds, None, source, rows)
    predicted = classes[outputs.argmax(axis=1)]
    return Predictions(truth[rows], predicted, outputs, None, classes, source, rows)


def out_of_bag(part: Any) -> tuple[NDArray, NDArray | None]:
    """Return out-of-bag outputs (n_samples, n_outputs), and the classes or None."""
    if hasattr(part.model, "oob_decision_function_"):
        return part.model.oob_decision_function_, part.model.classes_
    return as_numbers(part.model.oob_prediction_).reshape(-1, 1), None


def outputs_of(estimator: Any, X: Any) -> tuple[NDArray, NDArray | None]:
    """Return predictions as columns: probabilities of classes, or numbers."""
    if not hasattr(estimator, "classes_"):
        return as_numbers(estimator.predict(X)).reshape(-1, 1), None
    if hasattr(estimator, "predict_proba"):
        return np.array(estimator.predict_proba(X)), estimator.classes_
    is_class = np.asarray(estimator.predict(X))[:, None] == estimator.classes_
    return is_class.astype(float), estimator.classes_


def training_targets(part: Any) -> NDArray | None:
    """Return the labels or targets of the samples that an ensemble was fitted on."""
    ensemble = getattr(part.model, "ensemble_", None)
    values = getattr(getattr(ensemble, "training_set", ensemble), "values", None)
    if values is None:
        return None
    if hasattr(part.model, "classes_"):
        return part.model.classes_[np.argmax(values, axis=1)]
    return part.model.scale_.back(values[:, 0])


def intervals_of(
    estimator: Any, X: Any, own: NDArray | None, alpha: float
) -> NDArray | None:
    """Return prediction intervals of new rows, NaN for rows of the fit, or None."""
    part = part_with(estimator, "predict_interval")
    if part is None or X is None:
        return None
    intervals = np.array(part.model.predict_interval(part.inputs(X), alpha=alpha))
    if own is not None:
        intervals[own >= 0] = np.nan
    return intervals if np.isfinite(intervals).any() else None


def source_of(own: NDArray | None) -> str:
    """Return where predictions come from, in words."""
    if own is None:
        return "as the model predicts them, too well if it was fitted on them"
    n_own = int((own >= 0).sum())
    if n_own == 0:
        return "none of them is a training sample"
    if n_own == len(own):
        return "training samples, predicted out of bag"
    return f"{n_own:,} of them are training samples, predicted out of bag"
