"""Means of the k nearest neighbours in a learned space, with k chosen for patterns the metric has not seen."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from ..files import Savable
from ..files.checks import check_array, require
from ..files.estimators import check_attributes
from ..magnitudes import enlarged, exponent_of, r2, reduced
from ..presenting import Presented
from ..sklearn_compat import CallbackSupportMixin, StrOptions, validate_params, with_callbacks
from .atomic_fit import AtomicFit
from .callbacks import FitSteps
from .knn import MetricKNeighborsClassifier, held_out_errors
from .neighbor_means import NeighborMeans
from .validation import check_samples, clip_count


class MetricKNeighborsRegressor(AtomicFit, CallbackSupportMixin, Savable, Presented, RegressorMixin, BaseEstimator):
    """Any metric learner and the mean of the k nearest patterns in its space.

    A metric makes its own training patterns look predictable, so k must not be chosen among them. Here every inner fold
    is judged by a metric learned on the others: the learner is fitted ``n_folds`` + 1 times, and all k from 1 to
    ``most_neighbors`` share these fits. Neighbours are searched in the transformed data; rows at one place share their
    part in a mean.

    Parameters
    ----------
    learner : estimator with fit and transform
        The metric, such as :class:`MLKR`; a pipeline with a scaler in front of a learner is one too.
    n_neighbors : int or "auto", default="auto"
        Neighbours whose numbers are averaged; "auto" takes how many have the lowest squared error over the inner folds.
    weights : {"uniform", "distance"}, default="uniform"
        Whether neighbours count the same, or by the inverse of their distances.
    most_neighbors : int, default=40
        Largest number that "auto" tries.
    n_folds : int, default=5
        Inner folds.
    n_jobs : int or None, default=None
        Threads of the neighbour search.
    random_state : int, RandomState or None, default=None
        Seed of the inner folds. The learner has its own.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted on all patterns.
    embedding_ : ndarray of shape (n_samples, n_components)
        The training patterns in the learned space.
    numbers_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their numbers.
    n_neighbors_ : int
        Neighbours that are averaged.
    selection_ : dict of ndarray
        "n_neighbors" and "error" over the inner folds, the squared error as a share of the variance, the mean of all
        outputs; absent where k was given.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    MetricKNeighborsClassifier : The same for classes.
    FreeEnergyRegressor : Many sampled metrics that tell numbers; usually more accurate.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MLKR, MetricKNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MetricKNeighborsRegressor(make_pipeline(MinMaxScaler(), MLKR(2)), random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.4
    True
    """

    _parameter_constraints: dict = {
        **MetricKNeighborsClassifier._parameter_constraints,
        "weights": [StrOptions({"uniform", "distance"})],
    }

    def __init__(
        self,
        learner,
        n_neighbors="auto",
        *,
        weights="uniform",
        most_neighbors=40,
        n_folds=5,
        n_jobs=None,
        random_state=None,
    ):
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.most_neighbors = most_neighbors
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose k on inner folds, then learn the metric on all patterns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        validate_params(self)
        options = {"dtype": np.float64, "y_numeric": True, "multi_output": True, "ensure_min_samples": 2}
        patterns, numbers = check_samples(self, X, y, **options)
        numbers = numbers.astype(np.float64)
        splits = self._splits(len(numbers)) if self.n_neighbors == "auto" else []
        fits = FitSteps(self, patterns, numbers, len(splits) + 1, name="fit of the metric")
        if splits:
            self.n_neighbors_ = self._choose_neighbors(patterns, numbers, splits, fits)
        else:
            self.n_neighbors_ = clip_count(self.n_neighbors, len(numbers), "n_neighbors")
        self.learner_ = clone(self.learner).fit(patterns, numbers)
        fits.made()
        fits.close()
        self.embedding_ = np.asarray(self.learner_.transform(patterns), dtype=np.float64)
        self.numbers_ = numbers
        return self

    def _splits(self, n):
        return list(KFold(min(self.n_folds, n), shuffle=True, random_state=self.random_state).split(np.empty(n)))

    def _choose_neighbors(self, X, y, splits, fits):
        most = min(self.most_neighbors, min(len(train) for train, _ in splits))
        numbers, Y = np.arange(1, most + 1), reduced(y, exponent_of(y)).reshape(len(y), -1)
        variance = np.where(np.ptp(Y, axis=0) > 0, Y.var(axis=0), 1)

        def squares(Z, Q, train, held_out):
            said = self._means(Z, Y[train]).of(Q, numbers)
            return ((said - Y[held_out, None]) ** 2 / variance).mean(axis=2).sum(axis=0)

        errors = held_out_errors(self.learner, X, y, splits, squares, fits)
        self.selection_ = {"n_neighbors": numbers, "error": errors / len(y)}
        return int(errors.argmin()) + 1

    def _means(self, Z, Y):
        return NeighborMeans(Z, Y, self.weights == "distance", self.n_jobs)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Means of the nearest neighbours' numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Expected numbers.
        """
        check_is_fitted(self)
        return self._told(X, [self.n_neighbors_])[:, 0]

    def predictions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray[np.float64]:
        """What k = 1, 2, ... neighbours alone tell, (n_samples, n_neighbors) or (..., n_outputs); for studying k."""
        check_is_fitted(self)
        return self._told(X, np.arange(1, min(n_neighbors, len(self.numbers_)) + 1))

    def _told(self, X, n_neighbors):
        check_is_fitted(self)
        patterns = check_samples(self, X, dtype=np.float64, reset=False)
        Q = np.asarray(self.learner_.transform(patterns), dtype=np.float64)
        exponent = exponent_of(self.numbers_)
        means = self._means(self.embedding_, reduced(self.numbers_, exponent).reshape(len(self.numbers_), -1))
        told = means.of(Q, n_neighbors).reshape(len(Q), len(n_neighbors), *self.numbers_.shape[1:])
        return enlarged(told, exponent)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the patterns.

        Returns
        -------
        score : float
            One less the squared error in units of the variance of y, the mean of all outputs.
        """
        return r2(y, self.predict(X), sample_weight)

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        check_attributes(self, ("n_features_in_", "n_neighbors_", "learner_", "embedding_", "numbers_"))
        if hasattr(self, "embedding_"):
            name = "MetricKNeighborsRegressor"
            require(hasattr(self.learner_, "transform"), f"learner_ of {name}", "maps nothing")
            check_array(self.embedding_, f"embedding_ of {name}", 2)
            check_array(self.numbers_, f"numbers_ of {name}", 1 + (np.ndim(self.numbers_) > 1))
            require(len(self.numbers_) == len(self.embedding_), f"numbers_ of {name}", "are not those of the patterns")
            require(self.n_neighbors_ <= len(self.numbers_), "n_neighbors_", "is larger than the number of patterns")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
