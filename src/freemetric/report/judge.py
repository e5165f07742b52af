"""What neighbours say of rows."""

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ..metrics import ClassEncoding, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes, shares


def leave_one_out(Z: NDArray, y: NDArray, n_classes: int, n_neighbors: int) -> NDArray:
    """Class numbers (n,) that the nearest other rows vote for."""
    k = min(n_neighbors, len(Z) - 1)
    if k < 1:
        return np.full(len(Z), -1)
    training_set, everyone = TrainingSet(Z, y, ClassEncoding(n_classes)), np.arange(len(Z))
    search = NeighborVotes(Z[training_set.places.rows], training_set.places, k)
    return shares(search.left_out(everyone, training_set.votes(everyone)))[:, -1].argmax(axis=1)


def nearest(Z: NDArray, queries: NDArray, n_neighbors: int, pool: NDArray | None = None) -> tuple[NDArray, NDArray]:
    """Rows and distances (len(queries), n_neighbors) nearest to the rows ``queries``, without those themselves.

    Neighbours come from the rows ``pool``; None is all of them.
    """
    pool = np.arange(len(Z)) if pool is None else pool
    k = min(n_neighbors, len(pool) - 1)
    distance, place = NearestNeighbors(n_neighbors=k + 1).fit(Z[pool]).kneighbors(Z[queries])
    index = pool[place]
    others = index != queries[:, None]
    others[others.all(axis=1), -1] = False  # no voter, or lost among its copies: drop the farthest instead
    return index[others].reshape(len(queries), k), distance[others].reshape(len(queries), k)


def confusion(y: NDArray, predicted: NDArray, n_classes: int) -> NDArray:
    """Counts (C, C): rows are true classes, columns predicted ones; rows that were not judged do not count."""
    judged = predicted >= 0
    counts = np.zeros((n_classes, n_classes), dtype=int)
    np.add.at(counts, (y[judged], predicted[judged]), 1)
    return counts
