"""scikit-learn's scorers, asked about numbers that were predicted already."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer

from ...magnitudes import r2
from ...metrics import Scale


class KnownNumbers(RegressorMixin, BaseEstimator):
    """A regressor whose patterns are predictions, for scorers."""

    def fit(self, X: NDArray, y: NDArray) -> "KnownNumbers":
        """Nothing is learned."""
        return self

    def predict(self, X: NDArray) -> NDArray:
        """What was given."""
        return X[:, 0]


class NumberScore:
    """A score of predicted numbers, the larger the better.

    Parameters
    ----------
    scoring : str, callable or None
        Name of a scorer, or one: ``scorer(estimator, X, y)``. None is R^2.
    scale : Scale
        On which the truth is known.
    """

    def __init__(self, scoring: str | Callable[..., float] | None, scale: Scale):
        self.scorer: Any = None if scoring in (None, "r2") else get_scorer(scoring)
        self.scale = scale

    def __call__(self, predictions: NDArray, z: NDArray, weights: NDArray | None = None) -> float:
        """The score of predictions (n, 1) of rows whose numbers on the scale are z (n,); NaN for fewer than two."""
        y = self.scale.back(z)
        if len(y) < 2:
            return np.nan
        if self.scorer is None:
            return r2(y, predictions[:, 0], weights)
        options = {} if weights is None else {"sample_weight": weights}
        return float(self.scorer(KnownNumbers(), predictions, y, **options))
