"""Classifiers by votes of nearest neighbours: what all of them share."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..files import Savable
from ..metrics.neighbor_votes import chunks, shares
from ..presenting import Presented
from .fitting import AtomicFit
from .validation import check_samples


class VotingClassifier(AtomicFit, Savable, Presented, ClassifierMixin, BaseEstimator):
    """Predicts by votes.

    Subclasses have ``classes_``, ``n_neighbors_``, ``_n_voters()`` and ``_count(X, n_neighbors)``.
    """

    def votes(self, X: ArrayLike, n_neighbors: int | None = None) -> NDArray:
        """Votes for every number of neighbours at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_neighbors : int or None, default=None
            Largest number of neighbours; None is ``n_neighbors_``, more than there are training samples is clipped.

        Returns
        -------
        votes : ndarray of shape (n_samples, n_neighbors, n_classes)
            Row k - 1 counts the classes of the k nearest; of rows at one place that are more than needed, in part.
        """
        check_is_fitted(self)
        samples: NDArray = check_samples(self, X, dtype=np.float64, reset=False)
        k = self.n_neighbors_ if n_neighbors is None else min(n_neighbors, self._n_voters())
        parts = chunks(len(samples), k, len(self.classes_))
        return np.concatenate([self._count(samples[part], k) for part in parts])

    def decisions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray:
        """Class numbers (n_samples, n_neighbors) that k = 1, 2, ... neighbours alone decide on; for studying k."""
        return shares(self.votes(X, n_neighbors)).argmax(axis=2)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Shares of the votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Rows sum to one; columns follow ``classes_``.
        """
        check_is_fitted(self)
        samples: NDArray = check_samples(self, X, dtype=np.float64, reset=False)
        k = self.n_neighbors_
        parts = chunks(len(samples), k, len(self.classes_))
        return np.concatenate([shares(self._count(samples[part], k).astype(np.float64))[:, -1] for part in parts])

    def predict(self, X: ArrayLike) -> NDArray:
        """The class with the most votes; the nearest neighbours decide between equals.

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
