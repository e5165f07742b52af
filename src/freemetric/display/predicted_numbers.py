"""Numbers of patterns and what a regressor says of them: out of bag, or of patterns given."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..ensemble.tasks.intervals import out_of_bag, out_of_bag_intervals
from ..learners.learned_space import part_with, passed


class PredictedNumbers(NamedTuple):
    """True and predicted numbers (n,) each, and whose predictions they are, in words."""

    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    whose: str


def predicted_numbers(estimator: Any, X: ArrayLike | None, y: ArrayLike | None) -> PredictedNumbers:
    """Out-of-bag predictions of a FreeEnergyRegressor, or any regressor's of patterns X."""
    if X is not None and y is not None:
        truth, predicted = numbers_of(y), np.asarray(estimator.predict(X), dtype=np.float64).ravel()
        check_consistent_length(truth, predicted)
        return PredictedNumbers(truth, predicted, "patterns given")
    check_both(X, y)
    model = part_with(estimator, ("oob_prediction_",), "X and y, or a FreeEnergyRegressor")[1]
    known = out_of_bag(model)
    return PredictedNumbers(known.truth, known.predicted, "out of bag")


def predicted_intervals(
    estimator: Any, X: ArrayLike | None, y: ArrayLike | None, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """True numbers (n,), intervals (n, 2), and whose they are."""
    front, model = part_with(estimator, ("predict_interval",), "a regressor with intervals, as FreeEnergyRegressor")
    if X is not None and y is not None:
        truth, intervals = numbers_of(y), model.predict_interval(passed(front, X), alpha)
        check_consistent_length(truth, intervals)
        return truth, intervals, "patterns given"
    check_both(X, y)
    rows, intervals = out_of_bag_intervals(model, alpha)
    known = out_of_bag(model)
    _, places, kept = np.intersect1d(known.rows, rows, assume_unique=True, return_indices=True)
    return known.truth[places], intervals[kept], "out of bag"


def numbers_of(y: ArrayLike) -> NDArray[np.float64]:
    """A target as numbers."""
    return np.asarray(column_or_1d(y), dtype=np.float64)


def check_both(X: ArrayLike | None, y: ArrayLike | None) -> None:
    """ValueError where one of them is missing."""
    if (X is None) != (y is None):
        raise ValueError("Patterns need both X and y.")
