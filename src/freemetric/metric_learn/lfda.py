"""LFDA under metric-learn's names."""

import warnings
from typing import Self

from numpy.typing import ArrayLike

from .. import learners
from ..exceptions import DataWarning, callers_stacklevel
from .points import PointsLearner
from .starts import check_n_components


class LFDA(PointsLearner):
    """Local Fisher discriminant analysis, by :class:`freemetric.LFDA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
    k : int or None, default=None
        Neighbour that sets the scale of a point: at most one less than there are features, and that, or 7, by default.
    embedding_type : {"weighted", "orthonormalized", "plain"}, default="weighted"
        Directions times the root of their eigenvalue, an orthonormal basis of their span, or as they are.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA(k=2, n_components=2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _names = {"n_neighbors": "k", "embedding": "embedding_type"}

    def __init__(self, n_components=None, k=None, embedding_type="weighted", preprocessor=None):
        self.n_components = n_components
        self.k = k
        self.embedding_type = embedding_type
        self.preprocessor = preprocessor

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the map from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        check_n_components(self.n_components, points.shape[1])
        learner = learners.LFDA(self.n_components, n_neighbors=self._k(points.shape[1]), embedding=self.embedding_type)
        return self._learn_by(learner, points, labels)

    def _k(self, d):
        """metric-learn limits it by the number of features."""
        most = max(d - 1, 1)
        if self.k is None:
            return min(7, most)
        if self.k > most:
            warnings.warn(
                f"Chosen k ({self.k}) too large, using {most} instead.", DataWarning, stacklevel=callers_stacklevel()
            )
        return min(self.k, most)
