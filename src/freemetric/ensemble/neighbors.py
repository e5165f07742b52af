"""Nearest training samples, and the mean values among them."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from ..kernels.numba.nearest import nearest_columns, nearest_in_cells

MOST_AXES = 32
MANY = 16_384  # rows from which it pays to search the cells around a query alone
ROWS_OF_A_CELL = 128
MOST_CELLS = 1024
SCANNED = 6144  # rows that are compared with a query, about
FEWEST_CELLS, MOST_PROBED = 8, 48
LEARNED_FROM = 50  # rows of a cell that its centre is learned from
MOST_DISTANCES = 1 << 22  # at a time
MOST_VALUES = 1 << 23  # of neighbours, at a time


class Shortlist:
    """Finds the rows nearest to queries: all are compared, or those of near cells.

    With cells the search is approximate: a row in a cell whose centre is far from the
    query is missed.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_axes)
        The rows; the first 32 axes are used.
    """

    def __init__(self, Z):
        self.Z = np.ascontiguousarray(Z[:, :MOST_AXES], dtype=np.float32)
        self.centres = None
        if len(Z) >= MANY:
            self._make_cells()

    def _make_cells(self):
        n_cells = min(len(self.Z) // ROWS_OF_A_CELL, MOST_CELLS)
        subset = self.Z[:: max(1, len(self.Z) // (LEARNED_FROM * n_cells))]
        kmeans = MiniBatchKMeans(n_cells, n_init=1, max_iter=10, random_state=0)
        self.centres = kmeans.fit(subset).cluster_centers_.astype(np.float32)
        cell = nearest_rows(self.Z, self.centres, 1)[:, 0]
        self.rows = np.argsort(cell, kind="stable").astype(np.int32)
        self.starts = np.searchsorted(cell[self.rows], np.arange(n_cells + 1))
        self.in_cells = self.Z[self.rows]
        wanted = SCANNED * n_cells // len(self.Z)
        self.n_probed = int(np.clip(wanted, FEWEST_CELLS, MOST_PROBED))

    def nearest(self, Q, size):
        """Numbers (n, size) of the nearest rows, the nearest first."""
        Q = np.ascontiguousarray(Q[:, : self.Z.shape[1]], dtype=np.float32)
        if self.centres is None:
            return nearest_rows(Q, self.Z, size)
        probed = nearest_rows(Q, self.centres, self.n_probed)
        out = np.empty((len(Q), size), dtype=np.int32)
        near = np.empty((len(Q), size), dtype=np.float32)
        nearest_in_cells(Q, self.in_cells, self.rows, self.starts, probed, near, out)
        is_short = np.isinf(near[:, -1])
        if is_short.any():  # the cells hold too few rows
            out[is_short] = nearest_rows(Q[is_short], self.Z, size)
        return out


def squared_distances(Q, Z):
    """Squared distances (n, M) of rows Q (n, p) and Z (M, p), in single precision."""
    D = Q @ Z.T
    D *= -2
    D += (Z**2).sum(axis=1)
    D += (Q**2).sum(axis=1)[:, None]
    return D.astype(np.float32, copy=False)


def nearest_rows(Q, Z, n):
    """Numbers (len(Q), n) of the rows of Z nearest to those of Q, the nearest first.

    Distances come from one matrix product. They are computed in the precision of Q and
    Z, and compared in single precision.
    """
    n = min(n, len(Z))
    out = np.empty((len(Q), n), dtype=np.int32)
    step = max(1, MOST_DISTANCES // len(Z))
    for start in range(0, len(Q), step):
        part = slice(start, start + step)
        nearest_columns(squared_distances(Q[part], Z), out[part])
    return out


def space(V, A):
    """The samples V of a view under a map: a row stretches columns, a matrix mixes."""
    if len(A) == 1:
        return V * A[0]
    return V @ A.T


def neighbor_means(Z, Q, training_set, sizes, own=None):
    """Return mean values (n, n_sizes, n_values) of the nearest training samples.

    Parameters
    ----------
    Z, Q : ndarray of shape (n_points, p) and (n, p)
        The points of the training samples, and the queries.
    training_set : TrainingSet
        What the points vote for.
    sizes : sequence of int
        Numbers of neighbours, ascending.
    own : ndarray of shape (n,) or None
        A row of the training set that does not vote for the query: the query itself.
    """
    n_nearest = min(sizes[-1] + (own is not None), len(Z))
    nearest = nearest_rows(Q, Z, n_nearest)
    counts, masses, sums = training_set.counts, training_set.masses, training_set.sums
    out = np.empty((len(Q), len(sizes), sums.shape[1]))
    step = max(1, MOST_VALUES // (n_nearest * sums.shape[1]))
    for start in range(0, len(Q), step):
        part = slice(start, start + step)
        found = nearest[part]
        values, mass, count = sums[found], masses[found], counts[found]
        if own is not None:
            rows = own[part]
            is_own = found == training_set.point_of_row[rows][:, None]
            query = np.flatnonzero(is_own.any(axis=1))
            position = is_own[query].argmax(axis=1)
            weights = training_set.weights[rows[query]]
            count[query, position] -= 1
            mass[query, position] -= weights
            values[query, position] -= (
                weights[:, None] * training_set.values[rows[query]]
            )
        out[part] = _means(values, mass, count, np.asarray(sizes))
    return out


def _means(values, mass, count, sizes):
    """Means (n, n_sizes, n_values) of the first rows; of the last point only a part."""
    before = count.cumsum(axis=1) - count
    inside = np.clip(sizes[:, None] - before[:, None, :], 0, count[:, None, :])
    shares = inside / np.maximum(count, 1)[:, None, :]
    totals = (shares * mass[:, None, :]).sum(axis=2, keepdims=True)
    return (shares @ values) / np.maximum(totals, 1e-300)
