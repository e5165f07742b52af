"""What a model owes to its features, where it can be asked."""

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ...ensemble.tasks.decisions import score_name
from ..findings import Findings

MOST_ASKED = 500  # columns: to ask about more takes minutes, and single ones of them hardly matter


def ask_importances(findings: Findings, learner: Any) -> None:
    """Importances of the columns, or of the features where it is unknown what these are of."""
    if not hasattr(learner, "permutation_importances") or len(findings.names) > MOST_ASKED:
        return
    if findings.owner is None or len(findings.columns) == len(findings.owner):  # every feature on its own
        order = np.arange(learner.n_features_in_) if findings.owner is None else np.argsort(findings.owner)
        mean, error = learner.feature_importances_[order], learner.feature_importances_error_[order]
    else:
        found = learner.permutation_importances(findings.owner)
        order = np.argsort(found.names)
        mean, error = found.mean[order], found.error[order]
    if np.isfinite(mean).all():  # nobody was out of bag otherwise
        findings.importances, findings.importance_errors = mean, error
        findings.importance_score = score_name(learner.scoring, is_regressor(learner))
