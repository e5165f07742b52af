"""What all estimators of metric-learn's names share: their inputs and results."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..learners.base import MappedDistances
from ..learners.tuples.base import Formed, looked_up, points_of
from ..learners.validation import check_magnitude

KINDS = {2: "2D array of formed points", 3: "3D array of formed tuples"}
KEPT = ("components_", "n_features_in_", "feature_names_in_", "n_iter_")


class PreprocessorError(Exception):
    """A preprocessor could not turn indicators into points."""

    def __init__(self, original_error: Exception) -> None:
        super().__init__(f"The preprocessor failed: {original_error!r}")


class Mahalanobis(MappedDistances, BaseEstimator):
    """A learned distance |L u - L v| of points and pairs, or of their indicators.

    Subclasses translate their parameters into those of a learner of ours.
    """

    preprocessor: Any

    def transform(self, X: ArrayLike) -> NDArray:
        """Map points, or indicators of them, to ``X @ components_.T``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            The points in the learned space.
        """
        check_is_fitted(self)
        points = validate_data(
            self,
            self._formed_points(X),
            accept_sparse="csr",
            dtype=np.float64,
            reset=False,
        )
        return points @ self.components_.T

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Compute the learned distances of pairs of points or of indicators.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            |L u - L v| of every pair.
        """
        check_is_fitted(self)
        return super().pair_distance(self._formed(pairs, 2))

    def score_pairs(self, pairs: ArrayLike) -> NDArray:
        """Return ``pair_distance``, under the name that metric-learn gave up."""
        warnings.warn(
            "score_pairs will be deprecated in release 0.7.0. Use pair_score to "
            "compute similarity scores, or pair_distances to compute distances.",
            FutureWarning,
            stacklevel=2,
        )
        return self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)``."""
        metric = super().get_metric()

        def metric_fun(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            return metric(_vector(u), _vector(v), squared)

        return metric_fun

    def _formed_points(self, X):
        """Points (n, d), as they are or by the preprocessor."""
        return self._looked_up(X, 2)

    def _formed(self, tuples, size):
        """Tuples (n, size, d), as they are or by the preprocessor."""
        formed = np.asarray(self._looked_up(np.asarray(tuples), 3))
        if formed.shape[1] != size:
            expected = f"Tuples of {size} element(s) expected by {type(self).__name__}"
            raise ValueError(f"{expected}; got shape {formed.shape}.")
        return formed

    def _distinct(self, tuples, size) -> Formed:
        """Distinct points (m, d) of tuples, and the tuples as indices (n, size)."""
        points, indices = points_of(self._formed(tuples, size))
        check_magnitude(points)
        return points, indices

    def _looked_up(self, values, ndim):
        """Points or tuples; those that the preprocessor has for indicators."""
        if not hasattr(values, "ndim"):
            values = np.asarray(values)
        n_axes = values.ndim
        if n_axes == ndim - 1 and self.preprocessor is not None:
            return self._of_indicators(np.asarray(values))
        if n_axes != ndim:
            raise ValueError(
                f"{KINDS[ndim]} expected by {type(self).__name__}. Found {n_axes}D "
                f"array instead:\ninput={values}. Reshape your data and/or use a "
                "preprocessor.\n"
            )
        return values

    def _of_indicators(self, indicators):
        """Points (..., d) of indicators (...); each is looked up once."""
        table = self.preprocessor
        get = table if callable(table) else np.asarray(table).__getitem__
        try:
            points, indices = looked_up(indicators, get)
        except Exception as problem:
            raise PreprocessorError(problem) from problem
        return points[indices]

    def _keep(self, learner, **found):
        """Take the result of a learner of ours, and attributes of our own."""
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        for name in KEPT:
            if hasattr(learner, name):
                setattr(self, name, getattr(learner, name))
        for name, value in found.items():
            setattr(self, name, value)
        return self


def _vector(u):
    """A point as a vector (d,); a number, or one row of a matrix, is one."""
    vector = np.atleast_1d(np.asarray(u, dtype=np.float64).squeeze())
    if vector.ndim > 1:
        raise ValueError(f"A point is a vector; got an array of shape {np.shape(u)}.")
    return vector
