"""Rows without a label, which help where a learner stays close to the covariance of all patterns."""

from typing import Any

from .base import MetricLearner
from .checks import check_labels, labelled


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
        return X[rows], y, {} if rows.all() else {"all_rows": X}
