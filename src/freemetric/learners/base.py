"""The base of all metric learners, and the distances that a map measures."""

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from ..exceptions import warn_once
from ..kernels import one_blas_thread
from ..sklearn_compat import naming_texts, validate_params
from .constraints import COUNT_OR_NONE
from .validation import (
    check_n_components,
    check_samples,
    check_samples_and_targets,
    labelled_data,
    regression_data,
    weighted_data,
)


class MappedDistances:
    """The distance |A u - A v| of estimators with ``components_``, the map A."""

    components_: NDArray
    n_features_in_: int

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Compute the learned distances of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of samples.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            |A u - A v| of every pair.
        """
        check_is_fitted(self)
        both = check_array(pairs, dtype=np.float64, allow_nd=True, ensure_2d=False)
        if both.ndim != 3 or both.shape[1:] != (2, self.n_features_in_):
            expected = f"(n_pairs, 2, {self.n_features_in_})"
            raise ValueError(f"pairs must have shape {expected}; got {both.shape}.")
        difference = (both[:, 0] - both[:, 1]) @ self.components_.T
        return np.linalg.norm(difference, axis=1)

    def pair_score(self, pairs: ArrayLike) -> NDArray:
        """Return minus the learned distances: larger for more similar pairs."""
        return -self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)``.

        The function does not change when this estimator is fitted again.
        """
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            apart = np.asarray(u, dtype=np.float64) - np.asarray(v, dtype=np.float64)
            difference = components @ apart
            square = float(difference @ difference)
            return square if squared else math.sqrt(square)

        return metric

    def get_mahalanobis_matrix(self) -> NDArray:
        """Return M = A^T A of shape (n_features, n_features)."""
        check_is_fitted(self)
        return self.components_.T @ self.components_


class MetricLearner(
    MappedDistances, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """A learned distance |A u - A v|.

    Subclasses implement ``_learn(X, y)``, which returns a dict of fitted attributes by
    name, ``components_`` among them. Nothing is assigned before it returns: a fit that
    fails or is interrupted leaves the estimator as it was.

    X is float64 (N, d). y holds class indices 0..C-1, or is None. A learner from pairs,
    triplets, quadruplets or chunklets has its own ``fit``, which calls ``_fit`` with
    them; they reach ``_learn`` by name, and y is then None.
    """

    _needs_labels: Any = True
    _uses_unlabelled = False  # whether ``_learn`` takes rows without label, y = -1
    _parameter_constraints: dict = {"n_components": COUNT_OR_NONE}

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. A sparse matrix is made dense, within scikit-learn's
            ``working_memory``.
        y : array-like of shape (n_samples,), default=None
            Class labels; -1 means unlabelled where there are two other classes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y)

    def _fit(self, X, y=None, sample_weight=None, **side_information):
        """Validate, learn, store; side information replaces labels."""
        validate_params(self)
        options = {
            name: value for name, value in side_information.items() if value is not None
        }
        if options or not self._needs_labels:
            if sample_weight is not None:
                raise ValueError("sample_weight was given, but no sample has a label.")
            least = 2 if options else 1
            samples = check_samples(self, X, ensure_min_samples=least)
            targets = None
            found = {}
        else:
            samples, targets, options, found = self._data(X, y, sample_weight)
        check_n_components(getattr(self, "n_components", None), samples)
        self._store(X, found | self._learn(samples, targets, **options))
        return self

    def _data(self, X, y, sample_weight):
        """Samples, class indices, options of ``_learn`` and fitted attributes."""
        X, y = check_samples_and_targets(self, X, y)
        X, y, classes = labelled_data(X, y, self._uses_unlabelled)
        return X, y, {}, {"classes_": classes}

    def _learn(self, X, y):
        raise NotImplementedError

    def _store(self, X, found):
        """Assign fitted attributes, and remove those of an earlier fit."""
        validate_data(self, X, skip_check_array=True)  # number and names of features
        kept = {*found, "n_features_in_", "feature_names_in_"}
        for name in [name for name in vars(self) if name.endswith("_")]:
            if name not in kept:
                delattr(self, name)
        # Row by row, as a file keeps it: else products of a loaded map round otherwise.
        found["components_"] = np.ascontiguousarray(found["components_"])
        for name, value in found.items():
            setattr(self, name, value)

    def _run(self, search, made="iterations"):
        """Run a search, warn where it does not converge; return its iterations."""
        with one_blas_thread():
            has_converged = search.run(self.max_iter, self.tol)
        if not has_converged:
            name = type(self).__name__
            message = (
                f"{name} stopped after {search.n_iter} {made} "
                f"(max_iter={self.max_iter}) before it converged to tol={self.tol}."
            )
            warn_once(message, ConvergenceWarning, topic=f"{name} stopped")
        return max(search.n_iter, 1)

    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples to the space where the learned distance is Euclidean.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. A sparse matrix is multiplied as it is.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``.
        """
        check_is_fitted(self)
        with naming_texts(X):
            X = validate_data(
                self, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=False
            )
        return X @ self.components_.T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags


class WeightedMetricLearner(MetricLearner):
    """A learner that takes sample weights, from labels or from regression targets.

    Subclasses implement ``_learn(X, y, weights)``; weights (N,) have mean one, or are
    None where all are equal. Very many samples may be float32.
    """

    _is_regression: Any = False  # whether y are targets, (N,) or (N, m)
    _can_weigh: Any = True  # whether weights can reach what is minimised
    _names_rows: Any = False  # whether the rows of X must stay as they are

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. A sparse matrix is made dense, within scikit-learn's
            ``working_memory``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Class labels, -1 meaning unlabelled where there are two other classes; in
            regression targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Importance of the samples, in the mean and as neighbours; only ratios
            matter. Leave-one-out leaves a sample out with its whole weight: a weight
            of five is not five copies.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _data(self, X, y, sample_weight):
        if sample_weight is not None and not self._can_weigh:
            raise ValueError("sample_weight was given, but this energy takes none.")
        X, y = check_samples_and_targets(
            self, X, y, is_regression=self._is_regression, keeps_float32=True
        )
        keeps_order = self._names_rows
        if self._is_regression:
            X, y, weights = regression_data(X, y, sample_weight, keeps_order)
            return X, y, {"weights": weights}, {}
        X, y, weights, classes = weighted_data(X, y, sample_weight, keeps_order)
        return X, y, {"weights": weights}, {"classes_": classes}
