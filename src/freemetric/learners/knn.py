"""k nearest neighbours in a learned space, with k chosen for samples the metric has not seen."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from ..exceptions import DataWarning
from ..files.checks import require
from ..files.estimators import check_attributes
from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, shares
from ..sklearn_compat import CallbackSupportMixin, validate_params, with_callbacks
from .fitting import FitSteps
from .parameters import Count, CountOrAuto, TwoOrMore, estimator
from .validation import check_labels, check_samples, clip_count, labelled
from .voting import VotingClassifier


@estimator
class MetricKNeighborsClassifier(CallbackSupportMixin, VotingClassifier):
    """Any metric learner and the votes of the k nearest samples in its space.

    A metric makes its own training samples look separable, so k must not be chosen among them. Here every inner fold
    is classified by a metric learned on the others: the learner is fitted ``n_folds`` + 1 times, and all k from 1 to
    ``most_neighbors`` share these fits. Neighbours are searched in the transformed data.

    Parameters
    ----------
    {metric}
    n_neighbors : int or "auto", default="auto"
        Neighbours that vote; "auto" takes the number with the lowest error over the inner folds.
    {most_neighbors}
    n_folds : int, default=5
        Inner folds; two where the smallest class has fewer samples.
    {n_jobs} {seed_of_folds}

    Attributes
    ----------
    {learner}
    training_set_ : TrainingSet
        The training samples in the learned space, with their class numbers.
    n_neighbors_ : int
        Neighbours that vote.
    selection_ : dict of ndarray
        "n_neighbors" and "error" over the inner folds; absent where k was given.
    {classes} {features}

    Examples
    --------
    {wine}
    >>> from freemetric import NCA, MetricKNeighborsClassifier
    >>> model = MetricKNeighborsClassifier(NCA(), random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    learner: Any
    n_neighbors: CountOrAuto = "auto"
    _: KW_ONLY
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
        y : array-like of shape (n_samples,)
            Class labels, of any type; among integers -1 means unlabelled where there are two other classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        validate_params(self)
        samples, labels = check_samples(self, X, y, dtype=np.float64, ensure_min_samples=2)
        rows = np.flatnonzero(labelled(labels))
        self.classes_, numbers = check_labels(labels[rows])
        samples = samples[rows]
        splits = self._splits(numbers) if self.n_neighbors == "auto" else []
        fits = FitSteps(self, samples, numbers, len(splits) + 1, name="fit of the metric")
        if splits:
            self.n_neighbors_ = self._choose_neighbors(samples, numbers, splits, fits)
        else:
            self.n_neighbors_ = clip_count(self.n_neighbors, len(numbers), "n_neighbors")
        self.learner_ = clone(self.learner).fit(samples, self.classes_[numbers])  # labels, of which its messages speak
        fits.made()
        fits.close()
        Z = np.asarray(self.learner_.transform(samples), dtype=np.float64)
        self.training_set_ = TrainingSet(Z, numbers, ClassEncoding(len(self.classes_)), rows=rows)
        return self

    def _n_voters(self):
        return len(self.training_set_)

    def _count(self, X, n_neighbors):
        places = self.training_set_.places
        search = NeighborVotes(self.training_set_.X[places.rows], places, n_neighbors, self.n_jobs)
        return search.of(np.asarray(self.learner_.transform(X)))

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        check_attributes(self, ("n_features_in_", "classes_", "n_neighbors_", "learner_", "training_set_"))
        if hasattr(self, "training_set_"):
            require(hasattr(self.learner_, "transform"), "learner_ of MetricKNeighborsClassifier", "maps nothing")
            is_one = type(self.training_set_) is TrainingSet and self.training_set_.n_cells == len(self.classes_)
            require(is_one, "training_set_ of MetricKNeighborsClassifier", "are something else")
            require(self.n_neighbors_ <= len(self.training_set_), "n_neighbors_", "is larger than the number of voters")

    def _splits(self, y):
        smallest = np.bincount(y).min()
        n_folds = self.n_folds if smallest >= self.n_folds else 2
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(folds.split(y, y))

    def _choose_neighbors(self, X, y, splits, fits):
        most = min(self.most_neighbors, min(len(train) for train, _ in splits))

        def mistakes(Z, Q, train, held_out):
            votes = NeighborVotes.of_rows(Z, y[train], len(self.classes_), most, self.n_jobs).of(Q)
            return (shares(votes).argmax(axis=2) != y[held_out, None]).sum(axis=0)

        wrong = held_out_errors(self.learner, X, self.classes_[y], splits, mistakes, fits)
        self.selection_ = {"n_neighbors": np.arange(1, most + 1), "error": wrong / len(y)}
        return int(wrong.argmin()) + 1


def held_out_errors(
    learner: Any,
    X: NDArray,
    y: NDArray,
    splits: Iterable[tuple[NDArray, NDArray]],
    errors: Callable[[NDArray, NDArray, NDArray, NDArray], NDArray],
    fits: FitSteps,
) -> Any:
    """Sums over inner folds of errors (K,), of metrics that were learned without them.

    ``errors`` is a function of the images of those learned from and of those held out, and of the rows of both.
    """
    total: Any = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said once, when all samples are learned
        for train, held_out in splits:
            fitted = clone(learner).fit(X[train], y[train])
            Z, Q = (np.asarray(fitted.transform(X[part]), dtype=np.float64) for part in (train, held_out))
            total = total + errors(Z, Q, train, held_out)
            fits.made()
    return total
