"""What all estimators of metric-learn's names have in common: a map that a learner of ours has found."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..files import Savable
from ..learners.atomic_fit import AtomicFit
from ..learners.base import MetricLearner
from ..learners.distances import MappedDistances
from ..presenting import Presented
from .inputs import formed_points, formed_tuples


class Mahalanobis(AtomicFit, Savable, Presented, MappedDistances, BaseEstimator):
    """A learned distance |L u - L v|, asked for as metric-learn is: of points and pairs, or of their indicators.

    Subclasses translate their parameters into those of a learner of ours and keep what that has found.
    """

    preprocessor: Any
    _names: dict[str, str] = {}  # of parameters that a learner of ours calls otherwise: ours to theirs
    _found: tuple[str, ...] = ()  # attributes to keep beside the map

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
        check_is_fitted(self)
        return self._image(formed_points(X, self.preprocessor, type(self).__name__))

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators where there is a preprocessor.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        return super().pair_distance(self._formed(pairs, 2))

    def score_pairs(self, pairs: ArrayLike) -> NDArray:
        """The same as ``pair_distance``, under the name that metric-learn gave up."""
        warnings.warn(
            "score_pairs will be deprecated in release 0.7.0. Use pair_score to compute similarity scores, or "
            "pair_distances to compute distances.",
            FutureWarning,
            stacklevel=2,
        )
        return self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two points, independent of this estimator from now on."""
        metric = super().get_metric()

        def metric_fun(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            return metric(_vector(u), _vector(v), squared)

        return metric_fun

    def _formed(self, tuples, size):
        return formed_tuples(tuples, self.preprocessor, size, type(self).__name__)

    def _learn_by(self, learner: MetricLearner, X: NDArray, *y: Any, **side_information: Any) -> Self:
        """Let a learner of ours find the map; its complaints about parameters name them as they are called here."""
        try:
            learner.fit(X, *y, **side_information)
        except ValueError as problem:
            told = self._in_own_names(str(problem))
            if told == str(problem):
                raise
            raise ValueError(told) from problem
        self.components_ = learner.components_
        self._n_features_out = len(self.components_)
        for name in self._found:
            setattr(self, name, getattr(learner, name))
        return self

    def _in_own_names(self, text):
        for ours, theirs in self._names.items():
            text = text.replace(f"'{ours}' parameter", f"'{theirs}' parameter")
        return text


def _vector(u):
    """A point as a vector (d,); a number, or one row of a matrix, is one."""
    vector = np.atleast_1d(np.asarray(u, dtype=np.float64).squeeze())
    if vector.ndim > 1:
        raise ValueError(f"A point is a vector; got an array of shape {np.shape(u)}.")
    return vector
