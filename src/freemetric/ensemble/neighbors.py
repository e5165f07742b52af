"""A shortlist of near training samples, in coordinates where distance is Euclidean."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from ..kernels.numba.voting import nearest_columns

MOST_AXES = 32
MANY = 16_384  # rows from which it pays to search the cells around a query alone
ROWS_OF_A_CELL = 1000
N_PROBED = 8  # cells that are searched for a query
MOST_NUMBERS = 1 << 22  # distances at a time


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
        n_cells = len(self.Z) // ROWS_OF_A_CELL
        kmeans = MiniBatchKMeans(n_cells, n_init=1, max_iter=10, random_state=0)
        kmeans.fit(self.Z[:: max(1, len(self.Z) // (50 * n_cells))])
        cell = kmeans.predict(self.Z)
        self.centres = kmeans.cluster_centers_.astype(np.float32)
        self.rows = np.argsort(cell, kind="stable")
        self.starts = np.searchsorted(cell[self.rows], np.arange(n_cells + 1))

    def nearest(self, Q, size):
        """Numbers (n, size) of the nearest rows, the nearest first."""
        Q = np.asarray(Q[:, : self.Z.shape[1]], dtype=np.float32)
        if self.centres is None:
            return nearest_rows(Q, self.Z, size)
        probed = nearest_rows(Q, self.centres, N_PROBED)
        near = np.full((len(Q), N_PROBED, size), np.inf, dtype=np.float32)
        found = np.zeros(near.shape, dtype=np.int32)
        for cell in np.unique(probed):
            queries, turn = np.nonzero(probed == cell)
            rows = self.rows[self.starts[cell] : self.starts[cell + 1]]
            D = squared_distances(Q[queries], self.Z[rows])
            best = smallest(D, min(size, len(rows)))
            n = best.shape[1]
            near[queries, turn, :n] = np.take_along_axis(D, best, axis=1)
            found[queries, turn, :n] = rows[best]
        near, found = near.reshape(len(Q), -1), found.reshape(len(Q), -1)
        best = smallest(near, size)
        out = np.take_along_axis(found, best, axis=1)
        is_short = np.isinf(np.take_along_axis(near, best[:, -1:], axis=1))[:, 0]
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


def smallest(D, n):
    """Columns (len(D), n) of the smallest values of every row, the smallest first."""
    out = np.empty((len(D), n), dtype=np.int32)
    nearest_columns(D, out)
    return out


def nearest_rows(Q, Z, n):
    """Numbers (len(Q), n) of the rows of Z nearest to those of Q, the nearest first.

    Distances come from one matrix product. They are computed in the precision of Q and
    Z, and compared in single precision.
    """
    n = min(n, len(Z))
    out = np.empty((len(Q), n), dtype=np.int32)
    step = max(1, MOST_NUMBERS // len(Z))
    for start in range(0, len(Q), step):
        part = slice(start, start + step)
        nearest_columns(squared_distances(Q[part], Z), out[part])
    return out
