"""What the model says of the rows; how fair that is depends on whether it has learned from them."""

import numpy as np
from sklearn.utils import _safe_indexing

from ..judge import confusion, leave_one_out
from .rows import keeper_of

USUAL_NEIGHBORS = 5


def judge_rows(found, model, X):
    """Predicted classes of the rows shown, and counts of true and predicted ones."""
    keeper = keeper_of(model)
    scores = getattr(keeper, "oob_decision_function_", None)
    # rows of no weight have scores and are not kept: then nobody knows whose is whose
    if found.learned_from and scores is not None and len(scores) == found.n_rows:
        _out_of_bag(found, keeper if X is None else None, np.asarray(scores))
        return
    if found.learned_from or not hasattr(model, "predict"):
        k = found.n_neighbors or USUAL_NEIGHBORS
        found.predicted = leave_one_out(found.Z, found.y, len(found.class_names), k)
        seen = "has" if found.learned_from else "may have"
        found.judged_by = f"the {k} nearest other rows; the metric {seen} learned from them all, so this flatters it"
    else:
        said = [str(label) for label in np.asarray(model.predict(_safe_indexing(X, found.rows))).tolist()]
        if not set(said) <= set(found.class_names):
            raise ValueError("y has other labels than the model has learned.")
        found.predicted = np.array([found.class_names.index(label) for label in said])
        found.judged_by = "the model's own predictions; fair if it has not learned from these rows"
    found.confusion = confusion(found.y, found.predicted, len(found.class_names))


def _out_of_bag(found, keeper, scores):
    """Of rows that the model has kept all are counted, also those that the page does not show."""
    judged = np.isfinite(scores).all(axis=1)
    predicted = np.where(judged, np.where(judged[:, None], scores, 0).argmax(axis=1), -1)
    found.predicted = predicted[found.rows]
    y, said = (found.y, found.predicted) if keeper is None else (np.ravel(keeper._y), predicted)
    found.confusion = confusion(y, said, len(found.class_names))
    others = f"; not judged: {(said < 0).sum():,}" if (said < 0).any() else ""
    found.judged_by = f"out-of-bag votes of replicas that have not seen the row{others}"
