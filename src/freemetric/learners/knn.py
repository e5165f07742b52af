"""k nearest neighbours in a learned space, with k chosen on held-out samples."""

import warnings
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from ..exceptions import DataWarning
from ..files.checks import require
from ..files.estimators import check_attributes
from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, chunks, shares
from ..sklearn_compat import CallbackSupportMixin, validate_params, with_callbacks
from .fitting import FitSteps, KeptModel
from .parameters import Count, CountOrAuto, TwoOrMore, estimator
from .validation import check_labels, check_samples, clip_count, labelled


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


class ChosenNeighbors(CallbackSupportMixin):
    """A metric learner and a number of neighbours chosen on inner folds.

    Subclasses have ``_splits(y)`` and ``_fold_errors(y, most)``, a function of the images of training and of held-out
    samples, and of the rows of both, that returns the summed errors of 1, ..., ``most`` neighbours.
    """

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
            Class labels of any type; -1 means unlabelled where there are two other classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        validate_params(self)
        samples, labels = check_samples(self, X, y, dtype=np.float64, ensure_min_samples=2)
        rows = np.flatnonzero(labelled(labels))
        self.classes_, y = check_labels(labels[rows])
        Z = self._learned(samples[rows], y, self.classes_[y])  # labels, because messages of the learner name them
        self.training_set_ = TrainingSet(Z, y, ClassEncoding(len(self.classes_)), rows=rows)
        return self

    def _n_training_samples(self):
        return len(self.training_set_)

    def _count(self, X, n_neighbors):
        places = self.training_set_.places
        search = NeighborVotes(self.training_set_.X[places.rows], places, n_neighbors, self.n_jobs)
        return search.of(np.asarray(self.learner_.transform(X)))

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "classes_", "n_neighbors_", "learner_", "training_set_"))
        if hasattr(self, "training_set_"):
            require(hasattr(self.learner_, "transform"), "learner_ of MetricKNeighborsClassifier", "maps nothing")
            is_one = type(self.training_set_) is TrainingSet and self.training_set_.n_cells == len(self.classes_)
            require(is_one, "training_set_ of MetricKNeighborsClassifier", "are something else")
            require(self.n_neighbors_ <= len(self.training_set_), "n_neighbors_", "is larger than the training set")

    def _splits(self, y):
        smallest = np.bincount(y).min()
        n_folds = self.n_folds if smallest >= self.n_folds else 2
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(folds.split(y, y))

    def _fold_errors(self, y, most):
        def mistakes(Z, Q, train, held_out):
            votes = NeighborVotes.of_rows(Z, y[train], len(self.classes_), most, self.n_jobs).of(Q)
            return (shares(votes).argmax(axis=2) != y[held_out, None]).sum(axis=0)

        return mistakes
