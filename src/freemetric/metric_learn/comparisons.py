"""Estimators that are fitted on triplets or quadruplets and predict which of two pairs is the nearer one."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..learners.units import check_magnitude
from ..learners.validation import check_samples
from .inputs import distinct_points
from .mahalanobis import Mahalanobis


class ComparisonsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses say how many points a tuple has, and which of them are the two pairs."""

    classes_ = np.array([-1, 1])
    _size: int
    _near: list[int]
    _far: list[int]

    def _distinct(self, tuples):
        """The different points (m, d), checked, and the tuples as indices of them, (n, size)."""
        X, indices = distinct_points(tuples, self.preprocessor, self._size, type(self).__name__)
        X = check_samples(self, X, dtype=np.float64)
        check_magnitude(X)
        return X, indices

    def decision_function(self, tuples: ArrayLike) -> NDArray:
        """By how much the second pair is farther apart than the first.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, size, n_features) or (n_tuples, size)
            Tuples of points, or of indicators where there is a preprocessor.

        Returns
        -------
        differences : ndarray of shape (n_tuples,)
        """
        check_is_fitted(self)
        formed = self._formed(tuples, self._size)
        return self.pair_score(formed[:, self._near]) - self.pair_score(formed[:, self._far])

    def predict(self, tuples: ArrayLike) -> NDArray:
        """Whether the first pair is the nearer one.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, size, n_features) or (n_tuples, size)
            Tuples of points, or of indicators where there is a preprocessor.

        Returns
        -------
        labels : ndarray of shape (n_tuples,)
            +1 where it is, -1 elsewhere.
        """
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: ArrayLike, y: Any = None) -> float:
        """The share of tuples whose first pair is the nearer one.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, size, n_features) or (n_tuples, size)
            Tuples of points, or of indicators where there is a preprocessor.
        y : ignored
            For scikit-learn's searches.

        Returns
        -------
        share : float
        """
        return float(np.mean(self.predict(tuples) == 1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class TripletsClassifier(ComparisonsClassifier):
    """The first point is nearer to the second than to the third."""

    _size, _near, _far = 3, [0, 1], [0, 2]


class QuadrupletsClassifier(ComparisonsClassifier):
    """The first two points are nearer to each other than the last two."""

    _size, _near, _far = 4, [0, 1], [2, 3]
