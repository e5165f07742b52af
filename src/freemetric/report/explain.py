"""Why this class or number: the nearest neighbours of single rows, and the features that make them near or far."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from .encode import cell, clipped, rounded
from .findings import Findings
from .judge import nearest
from .numbers import story

MOST_ROWS, MOST_NEIGHBORS, MOST_FEATURES = 300, 10, 6
MOST_ASKED = 40  # features, where each has to be asked for
MOST_NUMBERS = 8_000_000  # in these questions
LINEAR = 1 - 1e-9


def explanations(findings: Findings) -> dict[str, Any] | None:
    """One entry for each of at most 300 rows; neighbours are those that vote."""
    training_set = findings.training_set
    if findings.Z is None or len(findings.Z if training_set is None else training_set) < 2:
        return None
    chosen = choose(len(findings.Z), _misjudged(findings), _affordable(findings))
    k = int(np.clip(findings.n_neighbors or 5, 3, MOST_NEIGHBORS))
    neighbors, distances = nearest(findings.Z, chosen, k, training_set)
    own, other = (_pairs(findings, chosen, some) for some in _partners(findings, chosen, neighbors))
    entries = [
        {
            "row": int(i),
            "neighbors": neighbors[e].tolist(),
            "distances": rounded(distances[e], 4),
            "predicted": None if findings.predicted is None else int(findings.predicted[i]),
            "own": own[e],
            "other": other[e],
            **({} if findings.numbers is None else {"story": story(findings.numbers, i)}),
        }
        for e, i in enumerate(chosen)
    ]
    weights = None if findings.vote_weights is None else rounded(findings.vote_weights, 3)
    return {"rows": entries, "features": [clipped(name) for name in findings.names], "weights": weights}


def _misjudged(findings):
    """Rows of a wrong class, or whose number lies outside of its interval; None where nobody was judged."""
    if findings.numbers is not None:
        return findings.numbers.judged & np.isfinite(findings.numbers.low) & ~findings.numbers.held
    if findings.predicted is None:
        return None
    y = np.zeros(len(findings.Z), dtype=int) if findings.y is None else findings.y
    return (findings.predicted != y) & (findings.predicted >= 0)


def _partners(findings, rows, neighbors):
    """Whom to compare each row with: the nearest of its own class and of another, or of its neighbours the nearest and
    the one whose number is farthest from its own; -1 where there is none."""
    if findings.numbers is None:
        y = np.zeros(len(findings.Z), dtype=int) if findings.y is None else findings.y
        return [nearest_in(findings.Z, rows, y, own, findings.training_set) for own in (True, False)]
    truth = findings.numbers.truth
    apart = np.abs(truth[neighbors] - truth[rows][:, None]).argmax(axis=1)
    return [neighbors[:, 0], np.where(apart > 0, neighbors[np.arange(len(rows)), apart], -1)]


def _affordable(findings):
    """How many rows can be explained: fewer where a map that is not linear sees very many features."""
    if findings.inputs is None or findings.linear_share >= LINEAR:
        return MOST_ROWS
    d = findings.inputs.shape[1]
    return int(np.clip(MOST_NUMBERS // (2 * (min(d, MOST_ASKED) + 1) * d), 10, MOST_ROWS))


def choose(n: int, wrong: NDArray | None = None, most: int = MOST_ROWS) -> NDArray:
    """Numbers of the rows to explain: up to half of them misjudged ones, the others evenly spread."""
    if n <= most:
        return np.arange(n)
    first = np.empty(0, dtype=int) if wrong is None else np.flatnonzero(wrong)[: most // 2]
    rest = np.setdiff1d(np.arange(n), first)
    evenly = np.linspace(0, len(rest) - 1, most - len(first)).round().astype(int)
    return np.sort(np.concatenate([first, rest[evenly]]))


def nearest_in(Z: NDArray, queries: NDArray, y: NDArray, own: bool, training_set: NDArray | None = None) -> NDArray:
    """For each query the nearest voter of its own class, or of all the others; -1 where there is none."""
    partner = np.full(len(queries), -1)
    votes = np.ones(len(Z), dtype=bool) if training_set is None else np.isin(np.arange(len(Z)), training_set)
    for c in np.unique(y[queries]):
        asked = np.flatnonzero(y[queries] == c)
        pool = np.flatnonzero(votes & ((y == c) == own))
        if own and len(pool) > 1:
            partner[asked] = nearest(Z, queries[asked], 1, pool)[0][:, 0]
        elif not own and len(pool):
            partner[asked] = pool[pairwise_distances_argmin(Z[queries[asked]], Z[pool])]
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
        difference = findings.inputs[u] - findings.inputs[v]
        return np.arange(len(findings.names)), findings.by_name(difference * (difference @ findings.matrix))
    heaviest = np.argsort(-findings.weights, kind="stable")[:MOST_ASKED]
    groups = [findings.features_of(number) for number in heaviest]
    return heaviest, contributions(findings.embed, findings.inputs[u], findings.inputs[v], groups)


def contributions(embed: Callable[[NDArray], NDArray], U: NDArray, V: NDArray, features: Sequence) -> NDArray:
    """What each feature, or group of them, adds to the squared distances of U and V (n, d), for any map.

    The mean of what the distance loses when the two agree in the feature, and of what it is when they agree in all
    others. For a linear map these are Shapley's values, (u - v)_i [M (u - v)]_i, and add up to the whole.
    """
    F = len(features)
    agree, only = np.repeat(U[None], F, axis=0), np.repeat(V[None], F, axis=0)  # (F, n, d)
    for f, some in enumerate(features):
        i = np.atleast_1d(some)
        agree[f][:, i], only[f][:, i] = V[:, i], U[:, i]
    Z = embed(np.concatenate([V[None], U[None], agree, only]).reshape(-1, U.shape[1])).reshape(2 * F + 2, len(U), -1)
    squared = ((Z - Z[0]) ** 2).sum(axis=2)
    return ((squared[1] - squared[2 : F + 2] + squared[F + 2 :]) / 2).T


def _values(findings, feature, *rows):
    """A feature's values in the user's units, or as they meet the map."""
    column = findings.columns[feature][1] if findings.aligned else findings.inputs[:, feature]
    return [cell(column[row]) for row in rows]
