"""Nearest neighbours of single rows, and the shares of the features in their distances."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from .document import cell, clipped, evenly, rounded
from .findings import Findings
from .panels import story
from .predictions import nearest

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
    for e, i, j, s, d2 in zip(there.tolist(), u, v, share, squared, strict=True):
        heaviest = np.argsort(-np.abs(s), kind="stable")[:MOST_FEATURES]
        shares = [[int(features[f]), rounded(float(s[f]), 3), *_values(findings, features[f], i, j)] for f in heaviest]
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


def _values(findings, feature, *rows):
    """A feature's values in the user's units, or as they meet the map."""
    column = findings.inputs[:, feature] if findings.owner is None else findings.columns[feature][1]
    return [cell(column[row]) for row in rows]
