"""k nearest neighbours in a learned space that vote, or whose targets are averaged; k is chosen on held-out samples."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ..exceptions import DataWarning
from ..files.checks import check_array, require
from ..files.estimators import check_attributes
from ..kernels import kernels_for
from ..magnitudes import enlarged, exponent_of, r2, reduced
from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, chunks, shares, within_reach
from ..metrics.training_set import equal_rows
from ..sklearn_compat import CallbackSupportMixin, StrOptions, validate_params, with_callbacks
from .fitting import FitSteps, KeptModel
from .parameters import Count, CountOrAuto, TwoOrMore, estimator, parameter
from .validation import check_labels, check_samples, clip_count, labelled

CHUNK_BYTES = 64 << 20  # of the means of a block of samples
Array = NDArray[np.float64]


class VotingClassifier(KeptModel, ClassifierMixin, BaseEstimator):
    """Predicts by votes of nearest neighbours.

    Subclasses have ``classes_``, ``n_neighbors_``, ``_n_training_samples()`` and ``_count(X, n_neighbors)``.
    """

    def votes(self, X: ArrayLike, n_neighbors: int | None = None) -> NDArray:
        """Votes for every number of neighbours at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_neighbors : int or None, default=None
            Largest number of neighbours, at most the number of training samples; None is ``n_neighbors_``.

        Returns
        -------
        votes : ndarray of shape (n_samples, n_neighbors, n_classes)
            Row k - 1 counts the classes of the k nearest; samples at the same place share the last votes.
        """
        check_is_fitted(self)
        k = self.n_neighbors_ if n_neighbors is None else min(n_neighbors, self._n_training_samples())
        return self._votes(X, k, lambda votes: votes)

    def _votes(self, X, k, function):
        """A function of the votes of k neighbours, block by block."""
        samples = self._samples(X)
        parts = chunks(len(samples), k, len(self.classes_))
        return np.concatenate([function(self._count(samples[part], k)) for part in parts])

    def _samples(self, X):
        return check_samples(self, X, dtype=np.float64, reset=False)

    def decisions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray:
        """Class indices (n_samples, n_neighbors) predicted by k = 1, 2, ... neighbours."""
        return shares(self.votes(X, n_neighbors)).argmax(axis=2)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Class probabilities, the shares of the votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Columns follow ``classes_``.
        """
        check_is_fitted(self)
        return self._votes(X, self.n_neighbors_, lambda votes: shares(votes.astype(np.float64))[:, -1])

    def predict(self, X: ArrayLike) -> NDArray:
        """The class with the most votes; the nearest neighbours break ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        share = self.predict_proba(X)
        return self.classes_[share.argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class ChosenNeighbors(CallbackSupportMixin, KeptModel, BaseEstimator):
    """A metric learner and a number of neighbours chosen on inner folds.

    Subclasses have ``_fit(X, y)``, ``_splits(y)`` and ``_fold_errors(y, most)``, a function of the images of training
    and of held-out samples, and of the rows of both, that returns the summed errors of 1, ..., ``most`` neighbours.
    """

    _kept: tuple[str, ...]  # attributes with the training samples
    _check_kept: Callable[[], int]  # checks them, and returns how many there are

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose k on inner folds, then learn the metric on all samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or, in regression, (n_samples, n_outputs)
            Targets, or class labels of any type; -1 means unlabelled where there are two other classes.
        """
        validate_params(self)
        self._fit(X, y)
        return self

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "n_neighbors_", "learner_", *self._kept))
        if hasattr(self, self._kept[-1]):
            require(hasattr(self.learner_, "transform"), f"learner_ of {type(self).__name__}", "maps nothing")
            require(self.n_neighbors_ <= self._check_kept(), "n_neighbors_", "is larger than the number of samples")

    def _learned(self, X, y, labels):
        """Images of the samples under a learner of ``labels``; sets ``learner_`` and ``n_neighbors_``."""
        splits = self._splits(y) if self.n_neighbors == "auto" else []
        fits = FitSteps(self, X, y, len(splits) + 1, name="fit of the metric")
        if splits:
            most = min(self.most_neighbors, min(len(train) for train, _ in splits))
            fold_errors, errors = self._fold_errors(y, most), np.zeros(most)
            for train, held_out in splits:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DataWarning)  # the fit on all samples repeats them
                    fitted = clone(self.learner).fit(X[train], labels[train])
                errors += fold_errors(_images(fitted, X[train]), _images(fitted, X[held_out]), train, held_out)
                fits.made()
            self.selection_ = {"n_neighbors": np.arange(1, most + 1), "error": errors / len(y)}
            self.n_neighbors_ = int(errors.argmin()) + 1
        else:
            self.n_neighbors_ = clip_count(self.n_neighbors, len(y), "n_neighbors")
        self.learner_ = clone(self.learner).fit(X, labels)
        fits.made()
        fits.close()
        return _images(self.learner_, X)


def _images(learner, X):
    return np.asarray(learner.transform(X), dtype=np.float64)


@estimator
class MetricKNeighborsClassifier(ChosenNeighbors, VotingClassifier):
    """Any metric learner and the votes of the k nearest samples in its space.

    k is chosen by cross-validation over inner folds, each classified by a metric learned on the others: the learner is
    fitted ``n_folds`` + 1 times, and all k from 1 to ``most_neighbors`` share these fits.

    Attributes
    ----------
    {fitted_learner}
    training_set_ : TrainingSet
        The training samples in the learned space, with their class indices.
    {selection} {classes} {features}

    Examples
    --------
    {wine}
    >>> from freemetric import NCA, MetricKNeighborsClassifier
    >>> model = MetricKNeighborsClassifier(NCA(), random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    learner: Any
    n_neighbors: CountOrAuto = parameter(
        "auto", 'Neighbours that vote; "auto" takes the number with the lowest error over the inner folds.'
    )
    _: KW_ONLY
    most_neighbors: Count = 40
    n_folds: TwoOrMore = parameter(5, "Inner folds; two where the smallest class has fewer samples.")
    n_jobs: int | None = None
    random_state: Any = parameter(None, "{seed_of_folds}")

    _kept = ("classes_", "training_set_")

    def _fit(self, X, y):
        samples, labels = check_samples(self, X, y, dtype=np.float64, ensure_min_samples=2)
        rows = np.flatnonzero(labelled(labels))
        self.classes_, y = check_labels(labels[rows])
        Z = self._learned(samples[rows], y, self.classes_[y])  # labels, because messages of the learner name them
        self.training_set_ = TrainingSet(Z, y, ClassEncoding(len(self.classes_)), rows=rows)

    def _n_training_samples(self):
        return len(self.training_set_)

    def _count(self, X, n_neighbors):
        places = self.training_set_.places
        search = NeighborVotes(self.training_set_.X[places.rows], places, n_neighbors, self.n_jobs)
        return search.of(np.asarray(self.learner_.transform(X)))

    def _check_kept(self):
        is_one = type(self.training_set_) is TrainingSet and self.training_set_.n_cells == len(self.classes_)
        require(is_one, "training_set_ of MetricKNeighborsClassifier", "are something else")
        return len(self.training_set_)

    def _splits(self, y):
        n_folds = self.n_folds if np.bincount(y).min() >= self.n_folds else 2
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(folds.split(y, y))

    def _fold_errors(self, y, most):
        def mistakes(Z, Q, train, held_out):
            votes = NeighborVotes.of_rows(Z, y[train], len(self.classes_), most, self.n_jobs).of(Q)
            return (shares(votes).argmax(axis=2) != y[held_out, None]).sum(axis=0)

        return mistakes


@estimator
class MetricKNeighborsRegressor(RegressorMixin, ChosenNeighbors):
    """Any metric learner and the mean of the k nearest samples in its space.

    k is chosen as by :class:`MetricKNeighborsClassifier`. Samples at the same place share their part in a mean.

    Attributes
    ----------
    {fitted_learner}
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
    n_neighbors: CountOrAuto = parameter(
        "auto",
        'Neighbours whose targets are averaged; "auto" takes the number with the lowest squared error over the inner '
        "folds, as a share of the variance, averaged over outputs.",
    )
    _: KW_ONLY
    weights: Annotated[Any, StrOptions({"uniform", "distance"})] = parameter(
        "uniform", "Weights of the neighbours: equal, or by the inverse of their distances."
    )
    most_neighbors: Count = 40
    n_folds: TwoOrMore = 5
    n_jobs: int | None = None
    random_state: Any = parameter(None, "{seed_of_folds}")

    _kept = ("embedding_", "numbers_")

    def _fit(self, X, y):
        options = {"dtype": np.float64, "y_numeric": True, "multi_output": True, "ensure_min_samples": 2}
        samples, targets = check_samples(self, X, y, **options)
        targets = targets.astype(np.float64)
        self.embedding_, self.numbers_ = self._learned(samples, targets, targets), targets

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
        Q = _images(self.learner_, check_samples(self, X, dtype=np.float64, reset=False))
        exponent = exponent_of(self.numbers_)
        means = self._means(self.embedding_, reduced(self.numbers_, exponent).reshape(len(self.numbers_), -1))
        found = means.of(Q, n_neighbors).reshape(len(Q), len(n_neighbors), *self.numbers_.shape[1:])
        return enlarged(found, exponent)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return r2(y, self.predict(X), sample_weight)

    def _check_kept(self):
        name = "MetricKNeighborsRegressor"
        check_array(self.embedding_, f"embedding_ of {name}", 2)
        check_array(self.numbers_, f"numbers_ of {name}", 1 + (np.ndim(self.numbers_) > 1))
        require(len(self.numbers_) == len(self.embedding_), f"numbers_ of {name}", "are not those of the samples")
        return len(self.numbers_)

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
