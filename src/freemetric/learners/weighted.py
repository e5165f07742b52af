"""Metric learners whose patterns may weigh differently."""

from .base import MetricLearner
from .callbacks import with_callbacks
from .checks import check_labels, labelled
from .patterns import check_weights, distinct, weighty


class WeightedMetricLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, weights) -> A``: the patterns are distinct, their weights have mean one."""

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the patterns, in the mean and as neighbours; only their ratios matter. A row of weight two is
            the same as two copies of it, a row of weight zero as none.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, sample_weight)

    def _can_weigh(self):
        """Whether weights can reach what is minimised; where not, rows are learned from as they come."""
        return True

    def _labelled_patterns(self, X, y, sample_weight):
        weights = check_weights(sample_weight, X, self._can_weigh())
        if not self._can_weigh():
            X, y, _ = super()._labelled_patterns(X, y, None)
            return X, y, {"weights": None}
        rows = labelled(y) & weighty(weights)
        self.classes_, y = check_labels(y[rows])
        X = X[rows]
        patterns = distinct(X, y, weights[rows])
        return X[patterns.rows], y[patterns.rows], {"weights": patterns.weights}
