"""Covariance: the baseline without labels."""

from typing import Any, Self

from numpy.typing import ArrayLike

from .. import learners
from .points import PointsLearner


class Covariance(PointsLearner):
    """The Mahalanobis distance proper: M is the inverse covariance of the points.

    A singular covariance is shrunk by :class:`freemetric.Covariance`, where metric-learn takes the pseudo-inverse.

    Parameters
    ----------
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L; constant features have no row.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import Covariance
    >>> X, _ = load_iris(return_X_y=True)
    >>> Covariance().fit(X).transform(X).shape
    (150, 4)
    """

    _needs_labels = False

    def __init__(self, preprocessor=None):
        self.preprocessor = preprocessor

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Take the covariance of the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
        """
        points = self._points(X)
        return self._learn_by(learners.Covariance(), points)
