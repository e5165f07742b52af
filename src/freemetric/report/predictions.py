"""Predictions of the rows in a report: out of bag, by their neighbours, or by the model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import NearestNeighbors

from ..ensemble.tasks.intervals import interval_chances, oob_predictor_of
from ..ensemble.tasks.regression import RegressionHead
from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, shares
from ..printable import counted
from ..sklearn_compat import safe_indexing
from .findings import Findings, TargetFindings
from .shown_rows import KeptRows, find

USUAL_NEIGHBORS = 5


def predict_rows(findings: Findings, model: Any, kept: KeptRows | None, X: Any) -> None:
    """Predict classes or targets of the rows shown, and say where the predictions come from."""
    if findings.targets is None and (findings.y is None or findings.Z is None):
        return
    predict = _predict_classes if findings.targets is None else _predict_targets
    predict(findings, model, kept if findings.learned_from else None, X)


def _predict_classes(findings, model, kept, X):
    scores = getattr(getattr(kept, "keeper", None), "oob_decision_function_", None)
    y = findings.y
    if scores is not None:
        known = np.isfinite(scores).all(axis=1)
        classes = np.where(known, np.where(known[:, None], scores, 0).argmax(axis=1), -1)
        predicted = findings.predicted = classes[findings.rows]
        if X is None:  # Kept rows count even where the page does not show them.
            y, predicted = kept.y, classes[kept.rows]
        _note_out_of_bag(findings, (predicted < 0).sum())
    elif findings.learned_from or not hasattr(model, "predict"):
        k, known = _note_neighbors(findings), findings.training_rows
        predicted = findings.predicted = np.full(len(y), -1)
        predicted[known] = leave_one_out(findings.Z[known], y[known], len(findings.class_names), k)
    else:
        labels = [str(label) for label in np.asarray(_own_predictions(findings, model, X)).tolist()]
        if not set(labels) <= set(findings.class_names):
            raise ValueError("y has other labels than the model has learned.")
        predicted = findings.predicted = np.array([findings.class_names.index(label) for label in labels])
    known = predicted >= 0
    findings.confusion = confusion_matrix(y[known], predicted[known], labels=range(len(findings.class_names)))


def _predict_targets(findings, model, kept, X):
    targets, regressor = findings.targets, find(model, "oob_prediction_")
    if regressor is not None:
        targets.log = regressor.ensemble_.head.scale.name == "log"
    if regressor is not None and kept is not None:
        targets.predicted = regressor.oob_prediction_[findings.rows]
        _explain_out_of_bag(findings, regressor)
        _note_out_of_bag(findings, (~targets.scored).sum())
    elif not findings.learned_from and hasattr(model, "predict"):
        targets.predicted = np.asarray(_own_predictions(findings, model, X), dtype=np.float64).ravel()
        if regressor is not None:
            ensemble, inputs = regressor.ensemble_, regressor.ensemble_.filled(findings.inputs)
            votes = ensemble.votes(inputs, regressor.n_jobs, regressor.device, regressor.shortlist_)
            _explain(targets, ensemble.head, votes, ensemble.head.wholes(inputs), np.arange(len(inputs)))
    elif findings.Z is not None and len(findings.rows) > 1:
        k, known = _note_neighbors(findings), findings.training_rows
        targets.predicted[known] = targets.truth[nearest(findings.Z, known, k, known)[0]].mean(axis=1)


def _own_predictions(findings, model, X):
    findings.prediction_kind = "held-out"
    findings.prediction_source = "the model predicts the given rows, which must not be among its training rows."
    return model.predict(safe_indexing(X, findings.rows))


def _note_out_of_bag(findings, n_others):
    others = f" No prediction: {counted(n_others, 'row', form=',')}." if n_others else ""
    findings.prediction_kind = "out-of-bag"
    findings.prediction_source = f"each row is predicted by the replicas that were not fitted on it.{others}"


def _note_neighbors(findings):
    k, fitted = findings.n_neighbors or USUAL_NEIGHBORS, "was" if findings.learned_from else "may have been"
    findings.prediction_kind = "leave-one-out"
    findings.prediction_source = (
        f"each row is predicted by its {k} nearest other rows; the metric {fitted} fitted on all rows, so this is"
        " optimistic."
    )
    return k


def _explain_out_of_bag(findings, regressor):
    """Out-of-bag intervals and parts of predictions of training rows."""
    predictor, head = oob_predictor_of(regressor), regressor.ensemble_.head
    rows = predictor.training_set.rows[predictor.oob_samples]
    _, known, shown = np.intersect1d(rows, findings.rows, assume_unique=True, return_indices=True)
    if len(known):
        wholes = head.wholes_of(predictor.training_set, predictor.oob_samples[known])
        _explain(findings.targets, head, predictor.shares(predictor.X[known], known), wholes, shown)


def _explain(targets: TargetFindings, head: RegressionHead, votes: NDArray, wholes: NDArray, shown: NDArray):
    """Intervals of rows ``shown``, and the parts of their predictions, in units of the target."""
    scale, n_trends = head.scale, len(head.trends)
    ends = head.quantiles(head(votes, wholes), interval_chances(len(head.errors), targets.alpha))
    targets.low[shown], targets.high[shown] = ends.T
    mean, _, *around = np.moveaxis(head.encoding.means(votes), -1, 0)
    terms = head.terms(votes, wholes)[0] * head.strengths
    apart = np.divide if targets.log else np.subtract

    def of_all_rows(values):
        out = np.full(len(targets.truth), np.nan)
        out[shown] = values
        return out

    pull = (head.strengths[0] - 1) * (mean - head.centre)
    adds = [terms[:, 1 + t] + terms[:, 1 + n_trends + t] for t in range(n_trends)]
    path = scale.back(np.cumsum([mean, pull, *adds], axis=0))  # from the neighbours to the prediction
    pulled, *added = apart(path[1:], path[:-1])
    parts = {"neighbors": path[0], "pull": pulled, "rest": apart(targets.predicted[shown], path[-1])}
    targets.parts = {name: of_all_rows(values) for name, values in parts.items()}
    targets.pull_words = f"{'drawn to' if head.strengths[0] < 1 else 'stretched from'} the mean of all rows"
    for t, trend in enumerate(head.trends):
        values = {"here": scale.back(wholes[t]), "around": scale.back(around[t]), "adds": added[t]}
        targets.trends.append((trend.words, {name: of_all_rows(some) for name, some in values.items()}))


def leave_one_out(Z: NDArray, y: NDArray, n_classes: int, n_neighbors: int) -> NDArray:
    """Class numbers (n,) by votes of the nearest other rows."""
    k = min(n_neighbors, len(Z) - 1)
    if k < 1:
        return np.full(len(Z), -1)
    training_set, everyone = TrainingSet(Z, y, ClassEncoding(n_classes)), np.arange(len(Z))
    search = NeighborVotes(Z[training_set.places.rows], training_set.places, k)
    return shares(search.left_out(everyone, training_set.votes(everyone)))[:, -1].argmax(axis=1)


def nearest(Z: NDArray, queries: NDArray, n_neighbors: int, pool: NDArray) -> tuple[NDArray, NDArray]:
    """Rows of ``pool`` nearest to the rows ``queries``, without those themselves, and distances (n, n_neighbors)."""
    k = min(n_neighbors, len(pool) - 1)
    distance, place = NearestNeighbors(n_neighbors=k + 1).fit(Z[pool]).kneighbors(Z[queries])
    index = pool[place]
    others = index != queries[:, None]
    others[others.all(axis=1), -1] = False  # outside of the pool, or lost among its copies: drop the farthest instead
    return index[others].reshape(len(queries), k), distance[others].reshape(len(queries), k)
