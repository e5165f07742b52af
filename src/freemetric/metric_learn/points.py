"""Estimators that are fitted on points with labels, and are transformers for pipelines."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..learners.units import check_magnitude
from ..learners.validation import check_samples
from .inputs import formed_points
from .mahalanobis import Mahalanobis


class PointsLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Mahalanobis):
    """Subclasses have ``fit(X, y)``."""

    _needs_labels = True

    def transform(self, X: ArrayLike) -> NDArray:
        """Map points to the space where the learned distance is Euclidean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points where there is a preprocessor.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``.
        """
        return super().transform(X)  # here, so that set_output finds it

    def _points(self, X: Any, *y: Any, **options: Any) -> Any:
        """Points (N, d) and labels, checked; the number and names of features are learned."""
        X = formed_points(X, self.preprocessor, type(self).__name__)
        options = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2} | options
        checked = check_samples(self, X, *y, **options)
        check_magnitude(checked[0] if y else checked)
        return checked

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags
