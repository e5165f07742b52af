"""A shortlist of near training samples, in coordinates where distance is Euclidean."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

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
        """Numbers (n, size) of the nearest rows, in any order."""
        Q = np.asarray(Q[:, : self.Z.shape[1]], dtype=np.float32)
        size = min(size, len(self.Z))
        if self.centres is not None:
            return self._nearest_in_cells(Q, size)
        if size == len(self.Z):
            return np.tile(np.arange(size, dtype=np.int32), (len(Q), 1))
        out = np.empty((len(Q), size), dtype=np.int32)
        step = max(1, MOST_NUMBERS // len(self.Z))
        for start in range(0, len(Q), step):
            part = slice(start, start + step)
            D = closeness(Q[part], self.Z)
            out[part] = np.argpartition(D, size - 1, axis=1)[:, :size]
        return out

    def _nearest_in_cells(self, Q, size):
        probed = np.argsort(closeness(Q, self.centres), axis=1)[:, :N_PROBED]
        near = np.full((len(Q), probed.shape[1], size), np.inf, dtype=np.float32)
        found = np.zeros(near.shape, dtype=np.int32)
        for cell in np.unique(probed):
            queries, turn = np.nonzero(probed == cell)
            rows = self.rows[self.starts[cell] : self.starts[cell + 1]]
            D = closeness(Q[queries], self.Z[rows])
            n = min(size, len(rows))
            if n < len(rows):
                best = np.argpartition(D, n - 1, axis=1)[:, :n]
            else:
                best = np.tile(np.arange(n), (len(queries), 1))
            near[queries, turn, :n] = np.take_along_axis(D, best, axis=1)
            near[queries, turn, :n] += (Q[queries] ** 2).sum(axis=1)[:, None]
            found[queries, turn, :n] = rows[best]
        near, found = near.reshape(len(Q), -1), found.reshape(len(Q), -1)
        best = np.argpartition(near, size - 1, axis=1)[:, :size]
        return np.take_along_axis(found, best, axis=1)


def closeness(Q, Z):
    """Squared distances (n, m) less the squared length of every query."""
    D = Q @ Z.T
    D *= -2
    D += (Z**2).sum(axis=1)
    return D
