"""RCA under metric-learn's names: from chunks, and from labels that chunks are drawn from."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from .constraints import Constraints
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .starts import check_n_components
from .supervised import partial_labels


class RCA(PointsLearner):
    """Relevant component analysis from chunks, by :class:`freemetric.RCA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
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
    >>> from freemetric.metric_learn import RCA
    >>> X = [[-0.05, 3.0], [0.05, -3.0], [0.1, -3.55], [-0.1, 3.55], [-0.95, -0.05], [0.95, 0.05]]
    >>> RCA().fit(X, [0, 0, 1, 1, 2, 2]).components_.shape
    (2, 2)
    """

    def __init__(self, n_components=None, preprocessor=None):
        self.n_components = n_components
        self.preprocessor = preprocessor

    def fit(self, X: ArrayLike, chunks: ArrayLike) -> Self:
        """Learn the map from chunks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        chunks : array-like of int of shape (n_samples,)
            The chunk of each point, -1 where it is in none.

        Returns
        -------
        self : object
        """
        points, numbers = self._points(X, chunks)
        return self._learn_chunks(points, np.asarray(numbers, dtype=int))

    def _learn_chunks(self, X, chunks):
        check_n_components(self.n_components, X.shape[1])
        return self._learn_by(learners.RCA(self.n_components), X, chunks=chunks)


class RCA_Supervised(RCA):  # noqa: N801 - metric-learn's name
    """Relevant component analysis from labels: chunks are drawn from them.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
    n_chunks : int, default=100
        Chunks to draw.
    chunk_size : int, default=2
        Points of each.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the chunks.
    num_chunks : int, default="deprecated"
        The old name of ``n_chunks``.

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
    >>> from freemetric.metric_learn import RCA_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> RCA_Supervised(n_chunks=30, chunk_size=2, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components=None,
        n_chunks=100,
        chunk_size=2,
        preprocessor=None,
        random_state=None,
        num_chunks=DEPRECATED,
    ):
        self.n_components = n_components
        self.n_chunks = n_chunks
        self.chunk_size = chunk_size
        self.preprocessor = preprocessor
        self.random_state = random_state
        self.num_chunks = num_chunks

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw chunks and learn the map from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers are unknown ones.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        n_chunks = renamed(self.num_chunks, self.n_chunks, "num_chunks", "n_chunks")
        drawn = Constraints(partial_labels(labels)).chunks(n_chunks, self.chunk_size, self.random_state)
        return self._learn_chunks(points, drawn)
