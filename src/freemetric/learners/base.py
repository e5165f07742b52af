"""MetricLearner validates, calls the learner's mathematics, and derives everything public from ``components_``."""

import math
import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted

from ..exceptions import callers_stacklevel
from ..files.checks import check_array as check_kept_array
from ..files.estimators import check_attributes
from ..magnitudes import lengths
from ..mc.streams import generator as generator  # where learners look for it
from ..printable import counted
from ..sklearn_compat import Interval, validate_params, with_callbacks
from .fitting import KeptModel, keeping_the_best
from .parallel import one_blas_thread as one_blas_thread  # likewise
from .training_rows import precise, regression_rows, training_rows
from .validation import (
    check_factors,
    check_labels,
    check_magnitude,
    check_n_components,
    check_samples,
    labelled,
    unit_of,
    warn_of_classes,
    warn_of_dwarfs,
    warn_of_samples,
)


class PairDistances:
    """Subclasses have ``n_features_in_`` and ``_apart(U, V)``, the differences (n, p) of samples in their space."""

    n_features_in_: int
    _apart: Callable[..., NDArray]

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances (n_pairs,) of pairs of samples (n_pairs, 2, n_features)."""
        check_is_fitted(self)
        finite: Any = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        both: NDArray = check_array(pairs, dtype=np.float64, allow_nd=True, ensure_2d=False, ensure_all_finite=finite)
        if both.ndim != 3 or both.shape[1:] != (2, self.n_features_in_):
            raise ValueError(f"pairs must have shape (n_pairs, 2, {self.n_features_in_}); got {both.shape}.")
        return lengths(self._apart(both[:, 0], both[:, 1]))

    def pair_score(self, pairs: ArrayLike) -> NDArray:
        """Minus the learned distance: larger for more similar pairs."""
        return -self.pair_distance(pairs)


class MappedDistances(PairDistances):
    """The distance |A u - A v| of an estimator that has ``components_``, the map A of shape (p, n_features)."""

    components_: NDArray

    def get_mahalanobis_matrix(self) -> NDArray:
        """M = A^T A of shape (n_features, n_features); the squared distance is (u - v)^T M (u - v)."""
        check_is_fitted(self)
        with np.errstate(over="ignore", invalid="ignore"):
            M = self.components_.T @ self.components_
        if not np.isfinite(M).all():
            raise ValueError("The elements of A^T A are too large: some feature varies too little.")
        return M

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two samples, independent of this learner from now on."""
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()  # a map of one feature may be a scalar

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            with np.errstate(over="ignore", invalid="ignore"):
                difference = components @ (np.asarray(u, dtype=np.float64) - np.asarray(v, dtype=np.float64))
                square = float(difference @ difference)
            if squared:
                return square
            if 0 < square < math.inf:
                return math.sqrt(square)
            return float(lengths(np.nan_to_num(difference)[None])[0])  # the square over- or underflows

        return metric

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "components_", "_n_features_out"))
        for name in ("components_", "replicas_"):
            if hasattr(self, name):
                check_kept_array(getattr(self, name), f"{name} of {type(self).__name__}", 2 + (name == "replicas_"))

    def _image(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return _mapped(check_factors(self, X), self.components_)

    def _apart(self, U, V):
        with np.errstate(over="ignore"):
            return _mapped(U - V, self.components_)


def _mapped(X, A):
    """X A^T; ValueError where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = X @ A.T
    if not np.isfinite(Z).all():
        what = f"X has values as large as {float(abs(X).max()):.1e}, too large for the learned map"
        raise ValueError(f"{what}: look for wrong cells.")
    return Z


class MetricLearner(KeptModel, MappedDistances, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A learned distance |A u - A v|; subclasses implement ``_learn(X, y) -> A`` of shape (n_components, n_features).

    ``X`` is float64 (N, d), or float32 for very many samples where ``_dtypes`` allows it. ``y`` holds class indices
    0..C-1, targets where ``_is_regression``, or None. A learner from pairs, triplets or chunks has its own ``fit``,
    which calls ``_fit`` with them; they reach ``_learn`` by name, and y is then None. A learner whose constants assume
    features in [0, 1] sets ``_has_units``: its ``_learn`` returns a map of X / ``_unit``.
    """

    _needs_labels: Any = True
    _is_regression: Any = False  # whether y are targets, (N,) or (N, m), and not classes
    _has_units: Any = False
    _others_help: Any = False  # whether ``_learn`` takes all rows, unlabelled ones included, as ``all_rows``
    _unit = 1.0  # while learning: what X is to be divided by
    _rows: NDArray[np.intp] | None = None  # while learning: which of the rows given are learned from; None: all
    _dtypes: Any = np.float64  # what X is validated to
    _parameter_constraints: dict = {"n_components": [Interval(Integral, 1, None, closed="left"), None]}

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. A sparse matrix is made dense, within scikit-learn's ``working_memory``.
        y : array-like of shape (n_samples,)
            Class labels of any type; -1 means unlabelled where there are two other classes.
        """
        return self._fit(X, y)

    def _fit(self, X, y=None, sample_weight=None, **side_information):
        """Validate, learn, store. Side information (chunks, pairs, triplets) replaces the labels where it is given."""
        validate_params(self)
        given = {name: value for name, value in side_information.items() if value is not None}
        for name in ("classes_", "_rows"):  # of an earlier fit with labels
            self.__dict__.pop(name, None)
        if given or not self._needs_labels:
            if sample_weight is not None:
                raise ValueError("sample_weight was given, but nothing here can weigh samples.")
            X, y = check_samples(self, X, dtype=np.float64, order="C", ensure_min_samples=1 + bool(given)), None
            check_magnitude(X)
        else:
            X, y, given = self._with_targets(X, y, sample_weight)
        check_n_components(getattr(self, "n_components", None), X)
        if self._has_units:
            warn_of_dwarfs(X)
            self._unit = unit_of(X)
        self.components_ = self._learn(X, y, **given) / self._unit
        for name in ("_unit", "_rows"):
            self.__dict__.pop(name, None)
        self._n_features_out = len(self.components_)
        return self

    def _with_targets(self, X, y, sample_weight):
        """Checked samples and targets, and further arguments of ``_learn``."""
        options = {"y_numeric": True, "multi_output": True} if self._is_regression else {}
        X, y = check_samples(self, X, y, dtype=self._dtypes, order="C", ensure_min_samples=2, **options)
        check_magnitude(X)
        X, y, given = self._samples(precise(X), y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        warn_of_samples(X, names) if options else warn_of_classes(X, y, self.classes_, names)
        return X, y, given

    def _samples(self, X, y, sample_weight):
        """Labelled samples, their class indices, and further arguments of ``_learn``."""
        rows = labelled(y, self._others_help)
        self.classes_, y = check_labels(y[rows])
        if rows.all():
            return X, y, {}
        self._rows = np.flatnonzero(rows)
        return X[self._rows], y, {"all_rows": X} if self._others_help else {}

    def _as_given(self, tuples):
        """Tuples of selected samples as indices into the X that was given."""
        return tuples if self._rows is None else self._rows[tuples]

    def _learn(self, X, y):
        raise NotImplementedError

    def _run(self, search, made=""):
        """Run a search until it converges, set ``n_iter_``, and warn if it does not. ``made`` names its iterations."""
        converged = True
        with one_blas_thread(), keeping_the_best(type(self).__name__, search.best):
            converged = search.run(self.max_iter, self.tol, self.verbose)
        self.n_iter_ = max(search.n_iter, 1)
        if not converged:
            after = f"after {counted(search.n_iter, made)} (max_iter={self.max_iter})"
            where = after if made else f"at max_iter={self.max_iter}"
            message = f"{type(self).__name__} stopped {where} before it converged to tol={self.tol}."
            warnings.warn(message, ConvergenceWarning, stacklevel=callers_stacklevel())

    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples to the space where the learned distance is Euclidean.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. A sparse matrix is multiplied as it is.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``.
        """
        return self._image(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags


class WeightedMetricLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, weights) -> A``: weights (N,) of mean one, or None where all are equal."""

    _can_weigh: Any = True  # whether weights can reach what is minimised

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the metric from labels y, or in regression from targets (n_samples,) or (n_samples, n_outputs).

        ``sample_weight`` (n_samples,) is the importance of the samples, in the mean and as neighbours; only ratios
        matter. Leave-one-out leaves a sample out with its whole weight: weight five is not five copies.
        """
        return self._fit(X, y, sample_weight)

    def _samples(self, X, y, sample_weight):
        if self._is_regression:
            rows = regression_rows(X, y, sample_weight, self._can_weigh)
            if not (rows.y.min(axis=0) < rows.y.max(axis=0)).any():
                same = f"y is {rows.y.flat[0]:g} for every row"
                raise ValueError(f"{same}: a metric is learned from targets that differ.")
        else:
            rows = training_rows(X, y, sample_weight, self._can_weigh)
            self.classes_ = rows.classes
        self._rows = rows.rows
        return rows.X, rows.y, {"weights": rows.weights}
