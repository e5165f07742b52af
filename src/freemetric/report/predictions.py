"""Predictions of rows, and the nearest neighbours that explain single ones, with the shares of the features."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, pairwise_distances_argmin
from sklearn.neighbors import NearestNeighbors

from ..ensemble.tasks.intervals import interval_chances, oob_predictor_of
from ..ensemble.tasks.regression import RegressionHead
from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, shares
from ..printable import counted
from ..sklearn_compat import safe_indexing
from .document import cell, clipped, evenly, rounded
from .findings import Findings, TargetFindings
from .panels import story
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
        predictor, head = oob_predictor_of(regressor), regressor.ensemble_.head
        rows = predictor.training_set.rows[predictor.oob_samples]
        _, known, shown = np.intersect1d(rows, findings.rows, assume_unique=True, return_indices=True)
        if len(known):
            wholes = head.wholes_of(predictor.training_set, predictor.oob_samples[known])
            _explain(targets, head, predictor.shares(predictor.X[known], known), wholes, shown)
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
    left_out = np.zeros((len(Z), k, n_classes), dtype=np.float32)
    search.add_left_out_shares(everyone, training_set.votes(everyone), everyone, left_out)
    votes = left_out * np.arange(1, k + 1, dtype=np.float32)[:, None]
    return shares(votes)[:, -1].argmax(axis=1)


def nearest(Z: NDArray, queries: NDArray, n_neighbors: int, pool: NDArray) -> tuple[NDArray, NDArray]:
    """Rows of ``pool`` nearest to the rows ``queries``, without those themselves, and distances (n, n_neighbors)."""
    k = min(n_neighbors, len(pool) - 1)
    distance, place = NearestNeighbors(n_neighbors=k + 1).fit(Z[pool]).kneighbors(Z[queries])
    index = pool[place]
    others = index != queries[:, None]
    others[others.all(axis=1), -1] = False  # outside of the pool, or lost among its copies: drop the farthest instead
    return index[others].reshape(len(queries), k), distance[others].reshape(len(queries), k)


MOST_ROWS, MOST_NEIGHBORS, MOST_FEATURES = 300, 10, 6
MOST_MAPPED = 40  # features of a map that is not linear, where each takes a call of the map
MOST_CELLS = 8_000_000  # in these calls
LINEAR = 1 - 1e-9


def explanations(findings: Findings) -> dict[str, Any] | None:
    """One entry for each of at most 300 rows; neighbours are rows that vote."""
    if findings.Z is None or len(findings.training_rows) < 2:
        return None
    chosen = choose(len(findings.Z), _wrong(findings), _affordable(findings))
    k = int(np.clip(findings.n_neighbors or 5, 3, MOST_NEIGHBORS))
    neighbors, distances = nearest(findings.Z, chosen, k, findings.training_rows)
    own, other = (_pairs(findings, chosen, some) for some in _partners(findings, chosen, neighbors))
    entries = [
        {
            "row": int(i),
            "neighbors": neighbors[e].tolist(),
            "distances": rounded(distances[e], 4),
            "predicted": None if findings.predicted is None else int(findings.predicted[i]),
            "own": own[e],
            "other": other[e],
            **({} if findings.targets is None else {"story": story(findings.targets, i)}),
        }
        for e, i in enumerate(chosen)
    ]
    weights = None if findings.vote_weights is None else rounded(findings.vote_weights, 3)
    return {"rows": entries, "features": [clipped(name) for name in findings.names], "weights": weights}


def _wrong(findings):
    """Rows with a wrong class, or a target outside of its interval; None without predictions."""
    if findings.targets is not None:
        return findings.targets.bounded & ~findings.targets.held
    return None if findings.predicted is None else (findings.predicted != findings.y) & (findings.predicted >= 0)


def _partners(findings, rows, neighbors):
    """Rows to compare each row with, -1 where there is none.

    These are the nearest of its own class and of another or, in a regression, the nearest of its neighbours and the one
    whose target is farthest from its own.
    """
    if findings.targets is None:
        y = np.zeros(len(findings.Z), dtype=int) if findings.y is None else findings.y
        return [nearest_in(findings.Z, rows, y, own, findings.training_rows) for own in (True, False)]
    truth = findings.targets.truth
    apart = np.abs(truth[neighbors] - truth[rows][:, None]).argmax(axis=1)
    return [neighbors[:, 0], np.where(apart > 0, neighbors[np.arange(len(rows)), apart], -1)]


def _affordable(findings):
    """The number of rows to explain; fewer for a nonlinear map of very many features."""
    if findings.inputs is None or findings.linear_share >= LINEAR:
        return MOST_ROWS
    d = findings.inputs.shape[1]
    return int(np.clip(MOST_CELLS // (2 * (min(d, MOST_MAPPED) + 1) * d), 10, MOST_ROWS))


def choose(n: int, wrong: NDArray | None = None, most: int = MOST_ROWS) -> NDArray:
    """Numbers of the rows to explain: up to half of them wrongly predicted, the others evenly spread."""
    if n <= most:
        return np.arange(n)
    first = np.empty(0, dtype=int) if wrong is None else np.flatnonzero(wrong)[: most // 2]
    rest = np.setdiff1d(np.arange(n), first)
    return np.sort(np.concatenate([first, rest[evenly(len(rest), most - len(first))]]))


def nearest_in(Z: NDArray, queries: NDArray, y: NDArray, own: bool, training_rows: NDArray) -> NDArray:
    """For each query the nearest training row of its own class, or of all other classes; -1 where there is none."""
    partner = np.full(len(queries), -1)
    for c in np.unique(y[queries]):
        of_class = np.flatnonzero(y[queries] == c)
        pool = training_rows[(y[training_rows] == c) == own]
        if own and len(pool) > 1:
            partner[of_class] = nearest(Z, queries[of_class], 1, pool)[0][:, 0]
        elif not own and len(pool):
            partner[of_class] = pool[pairwise_distances_argmin(Z[queries[of_class]], Z[pool])]
    return partner


def _pairs(findings, rows, partners):
    """For each row its partner, their distance and the heaviest features in it; None where there is no partner."""
    there = np.flatnonzero(partners >= 0)
    entries: list[dict[str, Any] | None] = [None] * len(rows)
    u, v = rows[there], partners[there]
    squared = ((findings.Z[u] - findings.Z[v]) ** 2).sum(axis=1)
    features, parts = _parts(findings, u, v)
    share = parts / np.where(squared > 0, squared, 1)[:, None]

    def values(feature, *rows):
        """A feature's values in the user's units, or as they meet the map."""
        column = findings.inputs[:, feature] if findings.owner is None else findings.columns[feature][1]
        return [cell(column[row]) for row in rows]

    for e, i, j, s, d2 in zip(there.tolist(), u, v, share, squared, strict=True):
        heaviest = np.argsort(-np.abs(s), kind="stable")[:MOST_FEATURES]
        shares = [[int(features[f]), rounded(float(s[f]), 3), *values(features[f], i, j)] for f in heaviest]
        entries[e] = {"row": int(j), "distance": rounded(float(np.sqrt(d2)), 4), "features": shares}
    return entries


def _parts(findings, u, v):
    """Features, and what each adds to the squared distances of rows u and v."""
    if findings.inputs is None or not len(u):
        return np.empty(0, dtype=int), np.zeros((len(u), 0))
    if findings.linear_share >= LINEAR:
        difference = findings.finite_inputs[u] - findings.finite_inputs[v]
        return np.arange(len(findings.names)), findings.by_name(difference * (difference @ findings.matrix))
    heaviest = np.argsort(-findings.weights, kind="stable")[:MOST_MAPPED]
    groups = heaviest if findings.owner is None else [np.flatnonzero(findings.owner == column) for column in heaviest]
    return heaviest, contributions(findings.embed, findings.inputs[u], findings.inputs[v], groups)


def contributions(embed: Callable[[NDArray], NDArray], U: NDArray, V: NDArray, features: Any) -> NDArray:
    """Parts of each feature, or group of them, in the squared distances of U and V (n, d), for any map.

    The mean of the loss when both agree in the feature, and of the distance when they agree in all others. For a
    linear map these are Shapley's values, (u - v)_i [M (u - v)]_i, and add up to the whole.
    """
    F = len(features)
    agree, only = np.repeat(U[None], F, axis=0), np.repeat(V[None], F, axis=0)  # (F, n, d)
    for f, i in enumerate(features):
        agree[f][:, i], only[f][:, i] = V[:, i], U[:, i]
    Z = embed(np.concatenate([V[None], U[None], agree, only]).reshape(-1, U.shape[1])).reshape(2 * F + 2, len(U), -1)
    squared = ((Z - Z[0]) ** 2).sum(axis=2)
    return ((squared[1] - squared[2 : F + 2] + squared[F + 2 :]) / 2).T
