"""Estimators that are fitted on pairs and predict which pairs are similar."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from ..files.checks import require
from ..learners.tuples.pair_classifier import STRATEGIES, best_threshold
from .base import Mahalanobis


class PairsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses implement ``_learn_pairs(X, pairs, pair_labels, **options)`` with pairs of rows of X."""

    classes_ = np.array([-1, 1])
    threshold_: float
    _sets = ("threshold_",)
    _learn_pairs: Callable[..., Any]

    def fit(self, pairs: ArrayLike, y: ArrayLike, calibration_params: dict[str, Any] | None = None) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibration_params : dict or None, default=None
            What ``calibrate_threshold`` takes.

        Returns
        -------
        self : object
        """
        return self._fit_and_calibrate(pairs, y, calibration_params)

    def _fit_and_calibrate(self, pairs, y, calibration_params, **options):
        calibration = calibration_params or {}
        self._validate_calibration_params(**calibration)
        X, indices = self._distinct(pairs, 2)
        y = _checked_labels(pairs, y)
        self._learn_pairs(X, indices, y, **options)
        return self._calibrate(X[indices], y, **calibration)

    def decision_function(self, pairs: ArrayLike) -> NDArray:
        """Minus the learned distance (n_pairs,) of pairs of points or indicators: larger for more similar ones."""
        return self.pair_score(pairs)

    def predict(self, pairs: ArrayLike) -> NDArray:
        """+1 for pairs that are at most ``threshold_`` apart, -1 for others, (n_pairs,)."""
        check_is_fitted(self)
        if not hasattr(self, "threshold_"):
            said = "A threshold for this estimator has not been set"
            raise AttributeError(f"{said}, call its set_threshold or calibrate_threshold method.")
        return np.where(-self.decision_function(pairs) <= self.threshold_, 1, -1)

    def score(self, pairs: ArrayLike, y: ArrayLike) -> float:
        """Area under the ROC curve: the chance that a similar pair (y = 1) is nearer than a dissimilar one (y = -1)."""
        return roc_auc_score(y, self.decision_function(pairs))

    def set_threshold(self, threshold: float) -> Self:
        """Call pairs similar that are at most so far apart."""
        check_is_fitted(self)
        try:
            self.threshold_ = float(threshold)
        except (TypeError, ValueError):
            said = f"Parameter threshold must be a real number. Got {type(threshold)} instead."
            raise ValueError(said) from None
        return self

    def calibrate_threshold(
        self,
        pairs_valid: ArrayLike,
        y_valid: ArrayLike,
        strategy: str = "accuracy",
        min_rate: float | None = None,
        beta: float = 1.0,
    ) -> Self:
        """Choose the threshold that classifies pairs best.

        Parameters
        ----------
        pairs_valid : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators where there is a preprocessor.
        y_valid : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            What shall be largest: the accuracy; the weighted harmonic mean of precision and recall; the true positive
            rate, where the true negative rate is at least ``min_rate``; or the other way round.
        min_rate : float in [0, 1] or None, default=None
            See there.
        beta : float, default=1.0
            How much more recall counts than precision.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_calibration_params(strategy, min_rate, beta)
        y = _checked_labels(pairs_valid, y_valid)
        return self._calibrate(self._formed(pairs_valid, 2), y, strategy, min_rate, beta)

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every estimator that is saved or loaded."""
        super().check_state()
        threshold = getattr(self, "threshold_", 0.0)
        require(isinstance(threshold, int | float), f"threshold_ of {type(self).__name__}", f"is {threshold!r}")

    def _calibrate(self, pairs, y, strategy="accuracy", min_rate=None, beta=1.0):
        least = 0.0 if min_rate is None else min_rate
        self.threshold_ = -best_threshold(self.decision_function(pairs), y == 1, strategy, least, beta)
        return self

    @staticmethod
    def _validate_calibration_params(strategy: Any = "accuracy", min_rate: Any = None, beta: Any = 1.0) -> None:
        if strategy not in STRATEGIES:
            known = 'Strategy can either be "accuracy", "f_beta" or "max_tpr" or "max_tnr"'
            raise ValueError(f'{known}. Got "{strategy}" instead.')
        if strategy in ("max_tpr", "max_tnr") and not (isinstance(min_rate, int | float) and 0 <= min_rate <= 1):
            raise ValueError(f"Parameter min_rate must be a number in[0, 1]. Got {min_rate} instead.")
        if strategy == "f_beta" and not isinstance(beta, int | float):
            raise ValueError(f"Parameter beta must be a real number. Got {type(beta)} instead.")


def _checked_labels(pairs, y):
    labels = column_or_1d(y, warn=True)
    check_consistent_length(pairs, labels)
    # scikit-learn's cross_val_predict numbers classes from 0 on
    if not (np.isin(labels, (-1, 1)).all() or np.isin(labels, (0, 1)).all()):
        raise ValueError("The labels y of pairs are +1 for similar and -1 for dissimilar ones; found others.")
    return np.where(labels == 1, 1, -1)
