"""Rows without a label, which help where a learner stays close to the covariance of all patterns."""

from typing import Any

from .base import MetricLearner
from .priors import prior_metric
from .validation import check_labels, labelled


class PriorOfAllRows(MetricLearner):
    """A learner to whose ``_learn`` all rows get, as ``all_rows``, where its prior is their covariance.

    With another prior unlabelled rows are left out, with a warning.
    """

    prior: Any

    def _labelled_patterns(self, X, y, sample_weight):
        if not (isinstance(self.prior, str) and self.prior == "covariance"):
            return super()._labelled_patterns(X, y, sample_weight)
        rows = labelled(y, others_help=True)
        self.classes_, y = check_labels(y[rows])
        return self._taken(X, rows), y, {} if rows.all() else {"all_rows": X}

    def _prior(self, X, all_rows=None):
        """M_0 of X in its own unit."""
        return prior_metric(self.prior, (X if all_rows is None else all_rows) / self._unit, self._unit)
