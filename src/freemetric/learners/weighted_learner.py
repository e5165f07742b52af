"""Metric learners whose patterns may weigh differently."""

from typing import Self

from numpy.typing import ArrayLike

from ..sklearn_compat import with_callbacks
from .base import MetricLearner
from .training_rows import number_rows, training_rows
from .validation import check_varying


class WeightedMetricLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, weights) -> A``: weights (N,) of mean one, or None where all are equal."""

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type; among integers -1 means unlabelled where there are two other classes. Numbers,
            (n_samples,) or (n_samples, n_outputs), for a learner or an energy of numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the patterns, in the mean and as neighbours; only ratios matter. A row of weight zero is left
            out. A row is left out with its whole weight: weight five is not five copies, of which four would stay among
            its neighbours.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, sample_weight)

    def _can_weigh(self):
        """Whether weights can reach what is minimised."""
        return True

    def _labelled_patterns(self, X, y, sample_weight):
        rows = training_rows(X, y, sample_weight, self._can_weigh())
        self.classes_ = rows.classes
        return rows.X, rows.y, {"weights": rows.weights}

    def _numbered_patterns(self, X, y, sample_weight):
        rows = number_rows(X, y, sample_weight, self._can_weigh())
        check_varying(rows.y)
        return rows.X, rows.y, {"weights": rows.weights}
