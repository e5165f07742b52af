"""The error of a regressor by votes against the number of neighbours, for patterns that are given."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import validate_data

from ..magnitudes import exponent_of, reduced
from .predicted_numbers import numbers_of


def number_curve(model: Any, X: Any, y: ArrayLike, most_neighbors: int) -> tuple[NDArray, NDArray]:
    """Numbers of neighbours, and squared errors of what k of them alone tell, without trends, in units of the variance.

    Each candidate tells by its weight over all k, as in the curves out of bag, which are on the same scale.
    """
    if hasattr(model, "predictions"):
        return _in_one_space(model, X, y, most_neighbors)
    ensemble, patterns = model.ensemble_, validate_data(model, X, reset=False, dtype=np.float64)
    truth = numbers_of(y)
    check_consistent_length(patterns, truth)
    if ensemble.head.scale.name == "log" and not (truth > 0).all():
        raise ValueError(f"This model averages logarithms, of positive numbers; the smallest of y is {truth.min():g}.")
    squares = np.zeros(min(most_neighbors, ensemble.n_neighbors))
    for part in ensemble.parts(len(patterns)):
        shares = np.tensordot(ensemble.member_weights, ensemble.shares(patterns[part]), 1)[
            : len(squares)
        ]  # (k, n, cells)
        squares += ((ensemble.training_set.encoding.mean(shares) - ensemble.head.scale(truth[part])) ** 2).sum(axis=1)
    return np.arange(1, len(squares) + 1), squares / len(truth)


def _in_one_space(model, X, y, most_neighbors):
    """The same where the metric is one; of several outputs the mean, in units of what the training patterns vary."""
    told = model.predictions(X, most_neighbors)
    check_consistent_length(told, y)
    exponent = exponent_of(model.numbers_)
    told, truth = reduced(told, exponent), reduced(y, exponent)
    variance = reduced(model.numbers_, exponent).var(axis=0)
    squares = (told - truth[:, None]) ** 2 / np.where(variance > 0, variance, 1)
    return np.arange(1, told.shape[1] + 1), squares.reshape(*told.shape[:2], -1).mean(axis=(0, 2))
