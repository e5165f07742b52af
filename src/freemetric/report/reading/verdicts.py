"""What the model says of the rows; how fair that is depends on whether it has learned from them."""

from typing import Any

import numpy as np

from ...sklearn_compat import safe_indexing
from ..findings import Findings
from ..judge import confusion, leave_one_out
from .kept import KeptRows

USUAL_NEIGHBORS = 5


def judge_rows(findings: Findings, model: Any, kept: KeptRows | None, X: Any) -> None:
    """Predicted classes of the rows shown, and counts of true and predicted ones."""
    scores = kept.scores if kept is not None and findings.learned_from else None
    if kept is not None and scores is not None:
        _judge_out_of_bag(findings, kept if X is None else None, np.asarray(scores))
        return
    if findings.learned_from or not hasattr(model, "predict"):
        _judge_by_neighbors(findings)
    else:
        _judge_by_prediction(findings, model.predict(safe_indexing(X, findings.rows)))


def _judge_by_neighbors(findings):
    """By the nearest other rows that vote; rows that do not vote are not judged."""
    k = findings.n_neighbors or USUAL_NEIGHBORS
    training_set = np.arange(len(findings.y)) if findings.training_set is None else findings.training_set
    findings.predicted = np.full(len(findings.y), -1)
    findings.predicted[training_set] = leave_one_out(
        findings.Z[training_set], findings.y[training_set], len(findings.class_names), k
    )
    seen = "has" if findings.learned_from else "may have"
    findings.confusion = confusion(findings.y, findings.predicted, len(findings.class_names))
    findings.judged_by = f"the {k} nearest other rows; the metric {seen} learned from them all, so this flatters it"


def _judge_by_prediction(findings, predicted):
    labels = [str(label) for label in np.asarray(predicted).tolist()]
    if not set(labels) <= set(findings.class_names):
        raise ValueError("y has other labels than the model has learned.")
    findings.predicted = np.array([findings.class_names.index(label) for label in labels])
    findings.confusion = confusion(findings.y, findings.predicted, len(findings.class_names))
    findings.judged_by = "the model's own predictions; fair if it has not learned from these rows"


def _judge_out_of_bag(findings, kept, scores):
    """Of rows that the model has kept all are counted, also those that the page does not show."""
    judged = np.isfinite(scores).all(axis=1)
    decided = np.where(judged, np.where(judged[:, None], scores, 0).argmax(axis=1), -1)
    findings.predicted = decided[findings.rows]
    y, predicted = (findings.y, findings.predicted) if kept is None else (kept.y, decided[kept.rows])
    findings.confusion = confusion(y, predicted, len(findings.class_names))
    others = f"; not judged: {(predicted < 0).sum():,}" if (predicted < 0).any() else ""
    findings.judged_by = f"out-of-bag votes of replicas that have not seen the row{others}"
