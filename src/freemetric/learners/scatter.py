"""Scatter of samples around the means of their classes, which grows by batches."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, validate_data

from ..sklearn_compat import validate_params
from .base import MetricLearner
from .linear_algebra import group_means
from .validation import check_samples


@dataclass(frozen=True)
class Scatter:
    """Samples of C classes, summed up.

    Parameters
    ----------
    counts : ndarray of shape (C,)
        Samples of each class.
    means : ndarray of shape (C, d)
        Their means.
    within : ndarray of shape (d, d)
        Sum of (x - m)(x - m)^T over all samples, m the mean of the sample's class.
    """

    counts: NDArray
    means: NDArray
    within: NDArray

    @classmethod
    def of(cls, X: NDArray, groups: NDArray, n_groups: int) -> "Scatter":
        """Sum up samples (N, d) of groups 0..n_groups - 1, which may be empty."""
        present, numbers = np.unique(groups, return_inverse=True)
        means = np.zeros((n_groups, X.shape[1]))
        means[present] = group_means(X, numbers)
        rows = X - means[groups]
        return cls(np.bincount(groups, minlength=n_groups), means, rows.T @ rows)

    @property
    def n(self) -> int:
        """All samples."""
        return int(self.counts.sum())

    def centred_means(self) -> NDArray:
        """Means (C, d) of classes, less the mean of all samples."""
        return self.means - self.counts @ self.means / self.n

    def total(self) -> NDArray:
        """Sum of (x - m)(x - m)^T over all samples, m the mean of all."""
        means = self.centred_means()
        return self.within + (means.T * self.counts) @ means

    def merged(self, other: "Scatter") -> "Scatter":
        """The samples of both, of the same classes (Chan, Golub and LeVeque 1983)."""
        counts = self.counts + other.counts
        share = other.counts / np.maximum(counts, 1)
        apart = other.means - self.means
        moved = (apart.T * (self.counts * share)) @ apart
        means = self.means + share[:, None] * apart
        return Scatter(counts, means, self.within + other.within + moved)

    def spread_over(self, rows: NDArray, n_groups: int) -> "Scatter":
        """The same with its classes in these rows of ``n_groups`` classes."""
        counts = np.zeros(n_groups, dtype=self.counts.dtype)
        means = np.zeros((n_groups, self.means.shape[1]))
        counts[rows] = self.counts
        means[rows] = self.means
        return Scatter(counts, means, self.within)

    def attributes(self) -> dict[str, Any]:
        """Fitted attributes by name, from which ``partial_fit`` goes on."""
        return {
            "class_counts_": self.counts,
            "class_means_": self.means,
            "scatter_": self.within,
        }


class ScatterLearner(MetricLearner):
    """A learner whose map depends on the samples by their scatter alone.

    Subclasses implement ``_of_scatter(scatter)``, which returns fitted attributes.
    """

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn from further samples, beside those of earlier calls and of ``fit``.

        The result is that of ``fit`` to all samples, but for the shrinkage of a
        singular matrix with ``regularization="auto"``: it needs all samples at once,
        and is that of Chen et al. (2010) here, which vanishes as samples grow.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; every row has one, and new ones may come.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        validate_params(self)
        begins = not hasattr(self, "scatter_")
        samples = check_samples(self, X)
        validate_data(self, X, skip_check_array=True, reset=begins)
        labels = self._labels(samples, y)
        classes = np.unique(labels)
        if not begins:
            earlier = getattr(self, "classes_", np.array([0]))
            classes = np.union1d(earlier, classes)
        n_classes = len(classes)
        scatter = Scatter.of(samples, np.searchsorted(classes, labels), n_classes)
        if not begins:
            before = Scatter(self.class_counts_, self.class_means_, self.scatter_)
            rows = np.searchsorted(classes, earlier)
            scatter = before.spread_over(rows, n_classes).merged(scatter)
        found = self._of_scatter(scatter)
        if self._needs_labels:
            found["classes_"] = classes
        self._store(X, found)
        return self

    def _labels(self, X, y):
        """Labels (N,), zeros where they are not used."""
        if not self._needs_labels:
            return np.zeros(len(X), dtype=int)
        if y is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None"
            )
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        return labels

    def _of_scatter(self, scatter):
        raise NotImplementedError
