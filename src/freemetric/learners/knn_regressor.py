"""Means of the k nearest neighbours in a learned space, with k chosen on held-out samples."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import KFold
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ..files.checks import check_array, require
from ..files.estimators import check_attributes
from ..kernels import kernels_for
from ..magnitudes import enlarged, exponent_of, r2, reduced
from ..metrics.neighbor_votes import within_reach
from ..metrics.training_set import equal_rows
from ..sklearn_compat import StrOptions, validate_params, with_callbacks
from .fitting import KeptModel
from .knn import ChosenNeighbors
from .parameters import Count, CountOrAuto, TwoOrMore, estimator
from .validation import check_samples

CHUNK_BYTES = 64 << 20
Array = NDArray[np.float64]


@estimator
class MetricKNeighborsRegressor(ChosenNeighbors, KeptModel, RegressorMixin, BaseEstimator):
    """Any metric learner and the mean of the k nearest samples in its space.

    k is chosen as by :class:`MetricKNeighborsClassifier`. Samples at the same place share their part in a mean.

    Parameters
    ----------
    {metric}
    n_neighbors : int or "auto", default="auto"
        Neighbours whose targets are averaged; "auto" takes the number with the lowest squared error over the inner
        folds, as a share of the variance, averaged over outputs.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the neighbours: equal, or by the inverse of their distances.
    {most_neighbors} {n_folds} {n_jobs} {seed_of_folds}

    Attributes
    ----------
    {learner}
    embedding_ : ndarray of shape (n_samples, n_components)
        The training samples in the learned space.
    numbers_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their targets.
    {selection} {features}

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

    learner: Any
    n_neighbors: CountOrAuto = "auto"
    _: KW_ONLY
    weights: Annotated[Any, StrOptions({"uniform", "distance"})] = "uniform"
    most_neighbors: Count = 40
    n_folds: TwoOrMore = 5
    n_jobs: int | None = None
    random_state: Any = None

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose k on inner folds, then learn the metric on all samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        validate_params(self)
        options = {"dtype": np.float64, "y_numeric": True, "multi_output": True, "ensure_min_samples": 2}
        samples, targets = check_samples(self, X, y, **options)
        targets = targets.astype(np.float64)
        self.embedding_, self.numbers_ = self._learned(samples, targets, targets), targets
        return self

    def _splits(self, y):
        return list(KFold(min(self.n_folds, len(y)), shuffle=True, random_state=self.random_state).split(y))

    def _fold_errors(self, y, most):
        Y = reduced(y, exponent_of(y)).reshape(len(y), -1)
        variance = np.where(np.ptp(Y, axis=0) > 0, Y.var(axis=0), 1)

        def squares(Z, Q, train, held_out):
            predicted = self._means(Z, Y[train]).of(Q, np.arange(1, most + 1))
            return ((predicted - Y[held_out, None]) ** 2 / variance).mean(axis=2).sum(axis=0)

        return squares

    def _means(self, Z, Y):
        return NeighborMeans(Z, Y, self.weights == "distance", self.n_jobs)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Means of the nearest neighbours' targets, (n_samples,) or (n_samples, n_outputs)."""
        check_is_fitted(self)
        return self._predicted(X, [self.n_neighbors_])[:, 0]

    def predictions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray[np.float64]:
        """Predictions by k = 1, 2, ... neighbours, (n_samples, n_neighbors) or (..., n_outputs)."""
        check_is_fitted(self)
        return self._predicted(X, np.arange(1, min(n_neighbors, len(self.numbers_)) + 1))

    def _predicted(self, X, n_neighbors):
        samples = check_samples(self, X, dtype=np.float64, reset=False)
        Q = np.asarray(self.learner_.transform(samples), dtype=np.float64)
        exponent = exponent_of(self.numbers_)
        means = self._means(self.embedding_, reduced(self.numbers_, exponent).reshape(len(self.numbers_), -1))
        found = means.of(Q, n_neighbors).reshape(len(Q), len(n_neighbors), *self.numbers_.shape[1:])
        return enlarged(found, exponent)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return r2(y, self.predict(X), sample_weight)

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "n_neighbors_", "learner_", "embedding_", "numbers_"))
        if hasattr(self, "embedding_"):
            name = "MetricKNeighborsRegressor"
            require(hasattr(self.learner_, "transform"), f"learner_ of {name}", "maps nothing")
            check_array(self.embedding_, f"embedding_ of {name}", 2)
            check_array(self.numbers_, f"numbers_ of {name}", 1 + (np.ndim(self.numbers_) > 1))
            require(len(self.numbers_) == len(self.embedding_), f"numbers_ of {name}", "are not those of the samples")
            require(self.n_neighbors_ <= len(self.numbers_), "n_neighbors_", "is larger than the number of samples")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


class NeighborMeans:
    """Means of the targets Y (N, m) of the nearest training samples Z (N, p) in a learned space.

    Samples at the same place share their part in a mean, so that their order does not matter. ``by_distance`` weighs
    neighbours by the inverse of their distances; those at distance zero are then the only ones.
    """

    def __init__(self, Z: Array, Y: Array, by_distance: bool, n_jobs: int | None = None) -> None:
        first, of_row = equal_rows(Z)
        self.exponent = int(exponent_of(Z.ravel()))
        self.Z, self.by_distance = np.ldexp(Z[first], -self.exponent), by_distance
        self.counts = np.bincount(of_row, minlength=len(first))
        self.means = np.zeros((len(first), Y.shape[1]))
        np.add.at(self.means, of_row, Y)
        self.means /= self.counts[:, None]
        self.search = kernels_for("cpu").NearestNeighbors(self.Z, "cpu", n_jobs)

    def of(self, Q: Array, sizes: Sequence[int]) -> Array:
        """Means (n, len(sizes), m) of these numbers of nearest rows, for new samples Q (n, p)."""
        Q = within_reach(Q, self.exponent)
        most = min(max(sizes), len(self.Z))
        size = max(1, CHUNK_BYTES // (8 * most * (len(sizes) + self.Z.shape[1])))
        parts = [self._of(Q[rows], np.asarray(sizes), most) for rows in gen_batches(len(Q), size)]
        return np.concatenate(parts) if parts else np.empty((0, len(sizes), self.means.shape[1]))

    def _of(self, Q, sizes, most):
        nearest = self.search.kneighbors(Q, most)
        counts = self.counts[nearest]
        before = counts.cumsum(axis=1) - counts
        taken = np.clip(sizes[:, None] - before[:, None, :], 0, counts[:, None, :])  # (n, len(sizes), places)
        shares = taken.astype(np.float64)
        if self.by_distance:
            distances = np.sqrt(((Q[:, None] - self.Z[nearest]) ** 2).sum(axis=2))
            is_there = distances == 0
            with np.errstate(divide="ignore"):
                shares *= np.where(is_there.any(axis=1, keepdims=True), is_there, 1 / distances)[:, None, :]
        return shares @ self.means[nearest] / shares.sum(axis=2, keepdims=True)
