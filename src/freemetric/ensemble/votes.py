"""Mean values among the nearest training samples, for several numbers of neighbours."""

import numpy as np

from .neighbors import nearest_rows

MOST_NUMBERS = 1 << 23  # of neighbours' values at a time


def space(V, A):
    """The samples V of a view under a map: a row stretches columns, a matrix mixes."""
    if len(A) == 1:
        return V * A[0]
    return V @ A.T


def neighbor_means(Z, Q, training_set, sizes, own=None):
    """Return mean values (n, n_sizes, n_values) of the nearest training samples.

    Parameters
    ----------
    Z, Q : ndarray of shape (n_places, p) and (n, p)
        The places of the training samples, and the queries.
    training_set : TrainingSet
        What the places vote for.
    sizes : sequence of int
        Numbers of neighbours, ascending.
    own : ndarray of shape (n,) or None
        A row of the training set that does not vote for the query: the query itself.
    """
    n_nearest = min(sizes[-1] + (own is not None), len(Z))
    nearest = nearest_rows(Q, Z, n_nearest)
    counts, masses, sums = training_set.counts, training_set.masses, training_set.sums
    out = np.empty((len(Q), len(sizes), sums.shape[1]))
    step = max(1, MOST_NUMBERS // (n_nearest * sums.shape[1]))
    for start in range(0, len(Q), step):
        part = slice(start, start + step)
        found = nearest[part]
        values, mass, count = sums[found], masses[found], counts[found]
        if own is not None:
            rows = own[part]
            is_own = found == training_set.place_of_row[rows][:, None]
            query = np.flatnonzero(is_own.any(axis=1))
            place = is_own[query].argmax(axis=1)
            weights = training_set.weights[rows[query]]
            count[query, place] -= 1
            mass[query, place] -= weights
            values[query, place] -= weights[:, None] * training_set.values[rows[query]]
        out[part] = _means(values, mass, count, np.asarray(sizes))
    return out


def _means(values, mass, count, sizes):
    """Means (n, n_sizes, n_values) of the first rows; of the last place only a part."""
    before = count.cumsum(axis=1) - count
    inside = np.clip(sizes[:, None] - before[:, None, :], 0, count[:, None, :])
    shares = inside / np.maximum(count, 1)[:, None, :]
    totals = (shares * mass[:, None, :]).sum(axis=2, keepdims=True)
    return (shares @ values) / np.maximum(totals, 1e-300)
