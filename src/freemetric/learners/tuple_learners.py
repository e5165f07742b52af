"""Bases of learners from triplets or pairs, and of those that stay close to a prior metric."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import inv
from sklearn.utils import check_array

from .base import MetricLearner, generator
from .linear_algebra import covariance
from .side_information import check_pairs, draw_pairs, usual_number_of_pairs
from .validation import check_labels, labelled


class TripletLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, triplets=None)``, where one of y and triplets is None."""

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, *, triplets: ArrayLike | None = None) -> Self:
        """Learn the metric from labels or from triplets.

        ``triplets`` (n_triplets, 3) are indices into X: the first sample is nearer to the second than to the third.
        They replace y.
        """
        return self._fit(X, y, triplets=triplets)


class PairLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, pairs=None, pair_labels=None)``, where one of y and pairs is None."""

    _needs_similar = _needs_dissimilar = False

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
        pair_labels: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels, or from pairs known to be similar or dissimilar.

        ``pairs`` (n_pairs, 2) are indices into X; ``pair_labels`` (n_pairs,) are +1 for similar, -1 for dissimilar
        pairs. They replace y.
        """
        return self._fit(X, y, pairs=pairs, pair_labels=pair_labels)

    def _given_pairs(self, X, pairs, pair_labels):
        """Pairs (n, 2) that were given, and which of them are similar."""
        pairs, similar = check_pairs(pairs, pair_labels, len(X))
        if self._needs_similar and (similar.all() or not similar.any()):
            name = type(self).__name__
            raise ValueError(f"{name} learns from similar and dissimilar pairs; all of pair_labels are the same.")
        if self._needs_dissimilar and similar.all():
            raise ValueError("pair_labels has no dissimilar pair: there is nothing to push apart.")
        return pairs, similar

    def _pairs(self, X, y, pairs, pair_labels):
        """Given pairs (n, 2), or pairs drawn from the labels, and which are similar; stores both."""
        if y is None:
            pairs, similar = self._given_pairs(X, pairs, pair_labels)
        else:
            pairs, similar = draw_pairs(generator(self.random_state), X, y, self._n_pairs(y))
        self.pairs_, self.pair_labels_ = self._as_given(pairs), np.where(similar, 1, -1)
        return pairs, similar

    def _n_pairs(self, y):
        return usual_number_of_pairs(y) if self.n_constraints is None else self.n_constraints


class PriorLearner(MetricLearner):
    """A learner with a prior metric; if it is the covariance, ``_learn`` gets unlabelled rows, too, as ``all_rows``."""

    def _samples(self, X, y, sample_weight):
        if not (isinstance(self.prior, str) and self.prior == "covariance"):
            return super()._samples(X, y, sample_weight)
        rows = labelled(y, others_help=True)
        self.classes_, y = check_labels(y[rows])
        return self._taken(X, rows), y, {} if rows.all() else {"all_rows": X}

    def _prior(self, X, all_rows=None):
        """M_0 (d, d) of X in its own unit, symmetric and positive definite."""
        X, d = (X if all_rows is None else all_rows) / self._unit, X.shape[1]
        if isinstance(self.prior, str):
            return np.eye(d) if self.prior == "identity" else inv(covariance(X - X.mean(axis=0)))
        M = check_array(self.prior, dtype=np.float64)
        if M.shape != (d, d):
            raise ValueError(f"prior has shape {M.shape}; expected ({d}, {d}).")
        if not np.allclose(M, M.T) or np.linalg.eigvalsh(M)[0] <= 0:
            raise ValueError("prior must be symmetric and positive definite.")
        return self._unit**2 * (M + M.T) / 2
