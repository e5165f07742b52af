"""The baseline as an estimator, so that it runs in the same loop as the learned metrics."""

import numpy as np

from .base import MetricLearner


class Euclidean(MetricLearner):
    """The Euclidean distance: A is the identity.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The identity.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import Euclidean
    >>> X, _ = load_iris(return_X_y=True)
    >>> Euclidean().fit(X).pair_distance([[X[0], X[1]]]).round(3)
    array([0.539])
    """

    _needs_labels = False
    _parameter_constraints: dict = {}

    def _learn(self, X, y):
        return np.eye(X.shape[1])
