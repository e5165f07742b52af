"""k nearest neighbours in a learned space; k is chosen on held-out samples."""

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from ..exceptions import DataWarning
from ..sklearn_compat import StrOptions, dense, naming_texts, validate_params
from .constraints import COUNT, COUNT_OR_AUTO, LEARNER, SEED, TWO_OR_MORE
from .validation import (
    check_labels,
    check_samples_and_targets,
    clip_count,
    has_label,
)

CONSTRAINTS: dict = {
    "learner": LEARNER,
    "n_neighbors": COUNT_OR_AUTO,
    "most_neighbors": COUNT,
    "n_folds": TWO_OR_MORE,
    "n_jobs": [Integral, None],
    "random_state": SEED,
}
NEAREST = 1e-150  # distances below count as this one, where neighbours are weighed


class MetricKNeighbors(BaseEstimator):
    """A metric learner, and scikit-learn's k-NN in its space.

    Subclasses have ``_folds(y)``, ``_fold_error(labels_or_targets, distances, y)`` and
    ``_new_neighbors(k)``.
    """

    learner: Any
    n_neighbors: Any
    most_neighbors: int
    n_folds: int
    n_jobs: int | None
    random_state: Any

    def _fit(self, X, samples, targets, y):
        """Choose k on inner folds, learn the metric on all samples, assign.

        ``targets`` are what errors are measured by, ``y`` what the learner takes.
        """
        selection = None
        if self.n_neighbors == "auto":
            errors = self._errors(samples, targets, y)
            numbers = np.arange(1, len(errors) + 1)
            selection = {"n_neighbors": numbers, "error": errors}
            k = int(errors.argmin()) + 1
        else:
            k = clip_count(self.n_neighbors, len(targets), "n_neighbors")
        learner = clone(self.learner).fit(samples, y)
        neighbors = self._new_neighbors(k).fit(learner.transform(samples), y)
        validate_data(self, X, skip_check_array=True)
        self.learner_ = learner
        self.neighbors_ = neighbors
        self.n_neighbors_ = k
        self.selection_ = selection
        return self

    def _errors(self, X, targets, y):
        """Mean errors of k = 1, 2, ... neighbours on held-out samples."""
        folds = self._folds(targets)
        most = min(self.most_neighbors, min(len(train) for train, _ in folds))
        total = np.zeros(most)
        for train, held_out in folds:
            with warnings.catch_warnings():
                # The last fit repeats them.
                warnings.simplefilter("ignore", DataWarning)
                learner = clone(self.learner).fit(X[train], y[train])
            search = NearestNeighbors(n_neighbors=most, n_jobs=self.n_jobs)
            search.fit(learner.transform(X[train]))
            distances, nearest = search.kneighbors(learner.transform(X[held_out]))
            found = targets[train][nearest]
            total += self._fold_error(found, distances, targets[held_out])
        return total / len(targets)

    def _image(self, X):
        """Samples in the learned space."""
        check_is_fitted(self)
        with naming_texts(X):
            X = validate_data(self, dense(X), dtype=np.float64, reset=False)
        return self.learner_.transform(X)

    def predict(self, X: ArrayLike) -> NDArray:
        """Predict by the nearest neighbours in the learned space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or targets.
        """
        Z = self._image(X)
        return self.neighbors_.predict(Z)

    def kneighbors(
        self, X: ArrayLike, n_neighbors: int | None = None
    ) -> tuple[NDArray, NDArray]:
        """Find the nearest training samples in the learned space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_neighbors : int or None, default=None
            How many; None: ``n_neighbors_``.

        Returns
        -------
        distances, indices : ndarray of shape (n_samples, n_neighbors)
            Distances, and rows of the training samples.
        """
        Z = self._image(X)
        return self.neighbors_.kneighbors(Z, n_neighbors)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class MetricKNeighborsClassifier(ClassifierMixin, MetricKNeighbors):
    """Any metric learner and the votes of the k nearest samples in its space.

    k is chosen by cross-validation over inner folds, each classified by a metric
    learned on the others: the learner is fitted ``n_folds`` + 1 times, and all k from 1
    to ``most_neighbors`` share these fits.

    Parameters
    ----------
    learner : estimator with fit and transform
        The metric learner, or a pipeline that ends with one.
    n_neighbors : int or "auto", default="auto"
        Neighbours that vote; "auto" takes the number with the lowest error over the
        inner folds.
    most_neighbors : int, default=40
        Largest number of neighbours that "auto" tries.
    n_folds : int, default=5
        Inner folds; two where the smallest class has fewer samples.
    n_jobs : int or None, default=None
        Threads of the neighbour search.
    random_state : int, RandomState or None, default=None
        Seed of the inner folds. The learner has its own.

    Attributes
    ----------
    learner_ : estimator
        The fitted learner.
    neighbors_ : KNeighborsClassifier
        scikit-learn's classifier in the learned space.
    n_neighbors_ : int
        Number of neighbours.
    selection_ : dict of ndarray
        "n_neighbors" and "error" over the inner folds; None where the number is
        given.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import NCA, MetricKNeighborsClassifier
    >>> model = MetricKNeighborsClassifier(NCA(), random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints = CONSTRAINTS

    def __init__(
        self,
        learner,
        n_neighbors="auto",
        *,
        most_neighbors=40,
        n_folds=5,
        n_jobs=None,
        random_state=None,
    ) -> None:
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.most_neighbors = most_neighbors
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose k on inner folds, then learn the metric on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels; -1 means unlabelled where there are two other classes.

        Returns
        -------
        self : MetricKNeighborsClassifier
            The fitted estimator.
        """
        validate_params(self)
        samples, labels = check_samples_and_targets(self, X, y)
        rows = np.flatnonzero(has_label(labels))
        classes, indices = check_labels(labels[rows])
        self._fit(X, samples[rows], indices, labels[rows])
        self.classes_ = classes
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Return the shares of the neighbours' votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Columns follow ``classes_``.
        """
        Z = self._image(X)
        return self.neighbors_.predict_proba(Z)

    def _new_neighbors(self, k):
        return KNeighborsClassifier(k, n_jobs=self.n_jobs)

    def _folds(self, y):
        n_folds = self.n_folds if np.bincount(y).min() >= self.n_folds else 2
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(folds.split(y, y))

    def _fold_error(self, found, distances, y):
        """How many are misclassified by 1, 2, ... neighbours of classes ``found``.

        The nearest neighbour breaks ties.
        """
        classes = np.arange(max(found.max(), y.max()) + 1)
        is_class = found[:, :, None] == classes
        votes = 2 * is_class.cumsum(axis=1, dtype=np.int32) + is_class[:, :1]
        return (votes.argmax(axis=2) != y[:, None]).sum(axis=0)


class MetricKNeighborsRegressor(RegressorMixin, MetricKNeighbors):
    """Any metric learner and the mean of the k nearest samples in its space.

    k is chosen as by :class:`MetricKNeighborsClassifier`. Samples at the same place
    share their part in a mean.

    Parameters
    ----------
    learner : estimator with fit and transform
        The metric learner, or a pipeline that ends with one.
    n_neighbors : int or "auto", default="auto"
        Neighbours whose targets are averaged; "auto" takes the number with the lowest
        squared error over the inner folds, as a share of the variance, averaged over
        outputs.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the neighbours: equal, or by the inverse of their distances.
    most_neighbors : int, default=40
        Largest number of neighbours that "auto" tries.
    n_folds : int, default=5
        Inner folds.
    n_jobs : int or None, default=None
        Threads of the neighbour search.
    random_state : int, RandomState or None, default=None
        Seed of the inner folds. The learner has its own.

    Attributes
    ----------
    learner_ : estimator
        The fitted learner.
    neighbors_ : KNeighborsRegressor
        scikit-learn's regressor in the learned space.
    n_neighbors_ : int
        Number of neighbours.
    selection_ : dict of ndarray
        "n_neighbors" and "error" over the inner folds; None where the number is
        given.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MLKR, MetricKNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> learner = make_pipeline(MinMaxScaler(), MLKR(2))
    >>> model = MetricKNeighborsRegressor(learner, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.4
    True
    """

    _parameter_constraints = {
        **CONSTRAINTS,
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
    ) -> None:
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.most_neighbors = most_neighbors
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose k on inner folds, then learn the metric on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : MetricKNeighborsRegressor
            The fitted estimator.
        """
        validate_params(self)
        samples, targets = check_samples_and_targets(self, X, y, is_regression=True)
        targets = targets.astype(np.float64)
        spread = targets.std(axis=0)
        scaled = targets / np.where(spread > 0, spread, 1)
        return self._fit(X, samples, scaled, targets)

    def _new_neighbors(self, k):
        return KNeighborsRegressor(k, weights=self.weights, n_jobs=self.n_jobs)

    def _folds(self, y):
        n_folds = min(self.n_folds, len(y))
        folds = KFold(n_folds, shuffle=True, random_state=self.random_state)
        return list(folds.split(y))

    def _fold_error(self, found, distances, y):
        """Squared errors of 1, 2, ... neighbours, in the mean over outputs."""
        y = y.reshape(len(y), -1)
        found = found.reshape(*distances.shape, -1)
        weights = np.ones_like(distances)
        if self.weights == "distance":
            weights = 1 / np.maximum(distances, NEAREST)
        total = weights.cumsum(axis=1)[:, :, None]
        predicted = (weights[:, :, None] * found).cumsum(axis=1) / total
        return ((predicted - y[:, None]) ** 2).mean(axis=2).sum(axis=0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
