"""Base classes of the estimators beside the votes.

They validate once. A model that has validated its samples calls ``proba_of`` or
``values_of`` instead of ``predict_proba`` or ``predict``: validation takes longer than
the prediction of a single sample.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..sklearn_compat import check_sample_weight


def checked_labels(y):
    """Return the classes, and the number of every sample's class.

    ValueError unless there are at least two.
    """
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has 1 class, {classes[0]!r}; a classifier needs at least 2 classes."
        )
    return classes, numbers


class ArrayClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of arrays.

    Subclasses have ``_learn(X, y, n_classes, weights)``, which sets fitted attributes,
    and ``proba_of(X)``.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : ArrayClassifier
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64)
        classes, y = checked_labels(y)
        self._learn(X, y, len(classes), weights / weights.mean())
        self.classes_ = classes
        return self

    def predict_proba(self, X):
        """Return probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Their probabilities.
        """
        check_is_fitted(self)
        return self.proba_of(validate_data(self, X, dtype=np.float64, reset=False))

    def predict(self, X):
        """Return the most probable class of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]


class ArrayRegressor(RegressorMixin, BaseEstimator):
    """A regressor of arrays.

    Subclasses have ``_learn(X, y, weights)``, which sets fitted attributes, and
    ``values_of(X)``.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : ArrayRegressor
            The fitted regressor.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64)
        self._learn(X, y.astype(np.float64), weights / weights.mean())
        return self

    def predict(self, X):
        """Return the expected target of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Targets.
        """
        check_is_fitted(self)
        return self.values_of(validate_data(self, X, dtype=np.float64, reset=False))
