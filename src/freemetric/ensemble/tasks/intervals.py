"""Scores, out-of-bag predictions and prediction intervals of regression."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..oob import OOBPredictor


def check_chances(q: ArrayLike) -> NDArray[np.float64]:
    """Chances (n,); ValueError unless all are between 0 and 1."""
    chances = np.atleast_1d(np.asarray(q, dtype=np.float64))
    if chances.ndim != 1 or not ((chances > 0) & (chances < 1)).all():
        raise ValueError(f"q is a chance between 0 and 1, or several; got {q!r}.")
    return chances


def sorted_errors(errors: NDArray, weights: NDArray, most: int) -> NDArray[np.float64]:
    """Sorted errors, at most so many; with weights, each as often as it weighs."""
    order = np.argsort(errors, kind="stable")
    if np.ptp(weights) == 0 and len(errors) <= most:
        return errors[order]
    reached = np.cumsum(weights[order])
    n = min(len(errors), most)
    wanted = (np.arange(n) + 0.5) / n * reached[-1]
    return errors[order][np.searchsorted(reached, wanted).clip(max=len(errors) - 1)]


def interval_chances(n_errors: int, alpha: float) -> NDArray[np.float64]:
    """Probabilities (2,) of the ends of intervals that miss a share alpha.

    The ends are the floor((n + 1) alpha / 2)-th errors from both sides, or the outermost where n is too small.
    """
    place = max(0.0, np.floor((n_errors + 1) * alpha / 2) - 1)
    low = place / max(1, n_errors - 1)
    return np.array([low, 1 - low])


MOST_SCORED, MOST_REPLICAS = 10_000, 1000
FEW_SAMPLES = 1000  # all of which are looked at where predictions look at all


def check_one_target(model: Any, what: str) -> None:
    """ValueError where a fitted model has several targets."""
    classes, shape = getattr(model, "classes_", None), np.shape(getattr(model, "oob_prediction_", ()))
    if isinstance(classes, list) or len(shape) == 2:
        n, kind = (len(classes), "classifier") if isinstance(classes, list) else (shape[1], "regressor")
        raise ValueError(f"{what} of one target; this model has {n}: fit a {kind} to each of them.")


class OutOfBag(NamedTuple):
    """Out-of-bag samples, by their rows in the table given to fit; (n,) each."""

    rows: NDArray[np.intp]
    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]


def out_of_bag(model: Any) -> OutOfBag:
    """True and predicted targets of the training samples of a fitted regressor."""
    training_set, head = model.ensemble_.training_set, model.ensemble_.head
    order = np.argsort(training_set.rows)
    rows, truth = training_set.rows[order], head.truth(training_set)[order]
    predicted = model.oob_prediction_[rows]
    scored = np.isfinite(predicted) if predicted.ndim == 1 else np.isfinite(predicted).all(axis=1)
    return OutOfBag(rows[scored], truth[scored], predicted[scored])


def oob_predictor_of(model: Any) -> OOBPredictor:
    """Out-of-bag predictions of a fitted regressor, as it predicts."""
    size = model._n_looked_at or max(model.shortlist_, min(len(model.ensemble_.training_set), FEW_SAMPLES))
    return OOBPredictor(model.ensemble_, model.oob_indices_, size, MOST_SCORED, MOST_REPLICAS)


def out_of_bag_predictions(model: Any) -> tuple[OOBPredictor, Any]:
    """Out-of-bag locations and spreads of a fitted regressor, and what predicted them; None without such samples."""
    head, predictor = model.ensemble_.head, oob_predictor_of(model)
    if not len(predictor.oob_samples):
        return predictor, None
    shares = predictor.shares(predictor.X, np.arange(len(predictor.oob_samples)))
    return predictor, head(shares, head.wholes_of(predictor.training_set, predictor.oob_samples))


def out_of_bag_intervals(model: Any, alpha: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows (n,) and out-of-bag intervals (n, 2) that miss a share alpha; of very many samples and replicas a part."""
    head, (predictor, prediction) = model.ensemble_.head, out_of_bag_predictions(model)
    if prediction is None:
        return np.empty(0, dtype=np.intp), np.empty((0, 2))
    chances = interval_chances(len(head.errors), alpha)
    return predictor.training_set.rows[predictor.oob_samples], head.quantiles(prediction, chances)


def out_of_bag_errors(model: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows (n,) and out-of-bag errors (n,) in units of the spread, computed once; of very many samples a part."""

    def computed():
        predictor, prediction = out_of_bag_predictions(model)
        if prediction is None:
            return np.empty(0, dtype=np.intp), np.empty(0)
        rows = predictor.training_set.rows[predictor.oob_samples]
        return rows, (predictor.y - prediction.location) / prediction.spread

    return model.ensemble_.once("out-of-bag errors", computed)
