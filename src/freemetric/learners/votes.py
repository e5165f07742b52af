"""Votes of the nearest neighbours, for every number of neighbours at once."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from ..files import Savable
from ..kernels import kernels_for
from .reporting import Reportable

CHUNK_BYTES = 64 << 20
FEW_QUERIES = 64  # for which it does not pay to wake threads
NEAREST_BONUS = 1e-3  # of a vote: equal counts are decided by the nearest neighbours


class NeighborVotes:
    """Training patterns Z (N, p) with class numbers y, ready to vote.

    The votes of a query are an array (n_neighbors, n_classes): row k - 1 counts the classes of its k nearest patterns,
    each by its weight if there are weights (N,).
    """

    def __init__(self, Z, y, n_classes, n_neighbors, n_jobs=None, device="cpu", weights=None):
        self.Z, self.n_neighbors, self.n_jobs = Z, n_neighbors, n_jobs
        if device == "cpu":
            self.search = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(Z)
        else:
            self.search = kernels_for(device).NearestNeighbors(Z, n_neighbors, device)
        self.ballot = np.eye(n_classes, dtype=np.float32)[y]  # (N, C)
        if weights is not None:
            self.ballot *= np.asarray(weights, dtype=np.float32)[:, None]

    def of(self, Z):
        """Votes for new patterns, (len(Z), n_neighbors, n_classes)."""
        return self.ballot[self._nearest(Z, self.n_neighbors)].cumsum(axis=1)

    def left_out(self, rows):
        """Votes for the training patterns ``rows``, each without its own vote."""
        k = self.n_neighbors
        nearest = self._nearest(self.Z[rows], k + 1)
        others = nearest != rows[:, None]
        others[others.all(axis=1), -1] = False  # lost among its copies: drop the farthest instead
        return self.ballot[nearest[others].reshape(len(rows), k)].cumsum(axis=1)

    def _nearest(self, Z, n_neighbors):
        self.search.n_jobs = self.n_jobs if len(Z) > FEW_QUERIES else None
        return self.search.kneighbors(Z, n_neighbors=n_neighbors, return_distance=False)


def shares(votes):
    """Class shares (..., C) of votes (..., K, C) for every k; ties are decided by the nearest neighbours."""
    decided = votes + NEAREST_BONUS * votes[..., :1, :]
    return decided / decided.sum(axis=-1, keepdims=True)


def chunks(n_queries, n_neighbors, n_classes):
    """Slices of the queries whose votes fit the memory budget."""
    size = max(1, CHUNK_BYTES // (4 * n_neighbors * n_classes))
    return [slice(start, min(start + size, n_queries)) for start in range(0, n_queries, size)]


class VotingClassifier(Savable, Reportable, ClassifierMixin, BaseEstimator):
    """Predicts by votes.

    Subclasses have ``classes_``, ``n_neighbors_``, ``_n_voters()`` and ``_count(X, n_neighbors)``.
    """

    def votes(self, X, n_neighbors=None):
        """Votes for every number of neighbours at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        n_neighbors : int or None, default=None
            Largest number of neighbours; None is ``n_neighbors_``, more than there are training patterns is clipped.

        Returns
        -------
        votes : ndarray of shape (n_samples, n_neighbors, n_classes)
            Row k - 1 counts the classes of the k nearest.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        k = self.n_neighbors_ if n_neighbors is None else min(n_neighbors, self._n_voters())
        return np.concatenate([self._count(X[part], k) for part in chunks(len(X), k, len(self.classes_))])

    def decisions(self, X, n_neighbors=40):
        """Class numbers (n_samples, n_neighbors) that k = 1, 2, ... neighbours alone decide on; for studying k."""
        return shares(self.votes(X, n_neighbors)).argmax(axis=2)

    def predict_proba(self, X):
        """Shares of the votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Rows sum to one; columns follow ``classes_``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        k = self.n_neighbors_
        parts = chunks(len(X), k, len(self.classes_))
        return np.concatenate([shares(self._count(X[part], k).astype(np.float64))[:, -1] for part in parts])

    def predict(self, X):
        """The class with the most votes; the nearest neighbours decide between equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        share = self.predict_proba(X)
        return self.classes_[share.argmax(axis=1)]
