"""What the ensemble computes, written as loops over rows."""

import numpy as np


def votes(X, values, weights, query, n_neighbors, own=None):
    """Mean values of the nearest rows to a query.

    Where the nearest rows end among equal ones, an equal part of each of these counts.
    ``own`` is a row that does not vote.
    """
    groups = {}
    for row in range(len(X)):
        if row != own:
            groups.setdefault(tuple(X[row]), []).append(row)
    left, total, mass = n_neighbors, 0.0, 0.0
    for place in sorted(groups, key=lambda p: np.sum((np.array(p) - query) ** 2)):
        rows = groups[place]
        share = min(1.0, left / len(rows))
        total = total + share * (weights[rows] @ values[rows])
        mass += share * weights[rows].sum()
        left -= share * len(rows)
        if left <= 0:
            break
    return total / mass


def under(A, V):
    """Samples V of a view under a map: a row stretches, a matrix mixes."""
    return V * A[0] if len(A) == 1 else V @ A.T


def ensemble_votes(ensemble, X):
    """Votes of all training samples under all maps of an ensemble."""
    training_set = ensemble.training_set
    out = np.zeros((len(X), training_set.values.shape[1]))
    for member in ensemble.members:
        view = ensemble.views[member.view]
        for A in member.maps:
            Z, Q = under(A, view(training_set.X)), under(A, view(X))
            for n, weight in zip(ensemble.sizes, member.weights, strict=True):
                for i, query in enumerate(Q):
                    mean = votes(Z, training_set.values, training_set.weights, query, n)
                    out[i] += weight / len(member.maps) * mean
    return out


def squared_distance(ensemble, u, v):
    """The averaged squared distance, every metric scaled to a mean of one."""
    total = 0.0
    for member in ensemble.members:
        view = ensemble.views[member.view]
        for A in member.maps:
            Z = under(A, view(ensemble.X))
            D = ((Z[:, None] - Z) ** 2).sum(axis=2)
            mean = D.sum() / (len(Z) * (len(Z) - 1))
            a, b = under(A, view(np.array([u, v])))
            share = member.weights.sum() / len(member.maps)
            total += share * ((a - b) ** 2).sum() / mean
    return total
