"""scikit-learn's scorers, asked about class probabilities that are there already."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer


class KnownProbabilities(ClassifierMixin, BaseEstimator):
    """A classifier whose patterns are class probabilities, for scorers; it notes whether labels were asked for."""

    def __init__(self, classes: NDArray):
        self.classes = classes
        self.classes_ = classes
        self.gave_labels_ = False

    def predict_proba(self, X: NDArray) -> NDArray:
        """What was given."""
        return X

    def predict(self, X: NDArray) -> NDArray:
        """The classes of the largest probabilities."""
        self.gave_labels_ = True
        return self.classes_[X.argmax(axis=1)]


class Score:
    """A score of class probabilities, the larger the better.

    Parameters
    ----------
    scoring : str, callable or None
        Name of a scorer, or one: ``scorer(estimator, X, y)``. None is accuracy, which the probabilities need no help
        for.
    classes : ndarray of shape (n_classes,)
        Labels.
    """

    def __init__(self, scoring: str | Callable[..., float] | None, classes: NDArray):
        self.scorer: Any = None if scoring is None else get_scorer(scoring)
        self.classes = classes

    def __call__(self, probabilities: NDArray, y: NDArray, weights: NDArray | None = None) -> float:
        """The score of probabilities (n, C) of rows of classes number y (n,)."""
        return self._asked(KnownProbabilities(self.classes), probabilities, y, weights)

    def is_of_labels(self, y: NDArray) -> bool:
        """Whether decisions are scored that could be others for the same probabilities.

        It is asked before a search begins: a scorer that cannot score these classes says so at once.
        """
        if self.scorer is None:
            return False
        asked, C = KnownProbabilities(self.classes), len(self.classes)
        self._asked(asked, (np.eye(C)[y] + 1 / C) / 2, y, None)
        return asked.gave_labels_

    def _asked(self, classifier, probabilities, y, weights):
        if self.scorer is None:
            return float(np.average(probabilities.argmax(axis=1) == y, weights=weights))
        labels = self.classes[y]
        options = {} if weights is None else {"sample_weight": weights}
        with warnings.catch_warnings():  # of classes that nobody decides for: such weights are tried, not taken
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return float(self.scorer(classifier, probabilities, labels, **options))


def score_name(scoring: str | Callable[..., float] | None, of_numbers: bool = False) -> str:
    """What to call the score in a sentence."""
    if scoring is None:
        return "R²" if of_numbers else "accuracy"
    return scoring.replace("_", " ") if isinstance(scoring, str) else "score"
