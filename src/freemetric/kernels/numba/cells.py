"""The nearest of very many rows, looked for in the cells around a query only: an inverted file.

The rows of a cell lie next to each other in memory. A query asks the cells whose centres are nearest to it, so that
what it misses are neighbours behind the border of a cell it has not asked.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS
from .nearest import FARTHEST, GROUP, as_places, as_queries, nearest, sort_nearest, take

ROWS_OF_A_CELL = 256
TAUGHT_BY = 32  # rows of a cell that its centre is found from
ROUNDS = 6
f32 = np.float32


class Cells(NamedTuple):
    """Rows V (M, q + 1), see :func:`freemetric.kernels.numba.nearest.as_places`, cell by cell."""

    centres: NDArray[np.float32]  # (n_cells, q + 1)
    start: NDArray[np.int64]  # (n_cells + 1,) where the rows of a cell begin
    numbers: NDArray[np.int32]  # (M,) of the rows, before they were sorted by cell
    places: NDArray[np.float32]  # (M, q + 1)

    @classmethod
    def of(cls, Z: NDArray[np.float32]) -> "Cells":
        """Cells of the rows Z (M, q), around centres of some of them (Lloyd 1982)."""
        M = len(Z)
        n_cells = max(1, M // ROWS_OF_A_CELL)
        rng = np.random.default_rng(0)  # the same rows have the same cells
        some = Z[rng.choice(M, min(M, TAUGHT_BY * n_cells), replace=False)]
        centres = some[:n_cells].copy()
        for _ in range(ROUNDS):
            cell = nearest(as_queries(some), as_places(centres), 1)[:, 0]
            size = np.bincount(cell, minlength=n_cells)
            for column, values in zip(centres.T, some.T, strict=True):
                mean = np.bincount(cell, values, minlength=n_cells) / np.maximum(size, 1)
                column[:] = np.where(size > 0, mean, column)
        places = as_places(centres)
        cell = nearest(as_queries(Z), places, 1)[:, 0]
        order = np.argsort(cell, kind="stable").astype(np.int32)
        start = np.append(0, np.cumsum(np.bincount(cell, minlength=n_cells)))
        return cls(places, start, order, as_places(Z[order]))

    def nearest(self, Q: NDArray[np.float32], size: int, n_cells: int) -> NDArray[np.int32]:
        """Numbers (n, size) of the rows nearest to queries Q (n, q) in so many cells, nearest first; more where
        these hold fewer rows."""
        queries = as_queries(Q)
        asked = nearest(queries, self.centres, min(n_cells, len(self.centres)))
        out = np.empty((len(Q), size), dtype=np.int32)
        most = np.sort(np.diff(self.start))[-asked.shape[1] :].sum()
        short = search_cells(queries, asked, self.start, self.numbers, self.places, most, out)
        if short and asked.shape[1] < len(self.centres):
            return self.nearest(Q, size, 4 * n_cells)
        return out


@njit(fastmath=SUMS, nogil=True, cache=True)
def search_cells(U, asked, start, numbers, V, most, out):
    """Write to out (n, K) the rows nearest to U in the cells they ask, at most so many; how many queries saw fewer."""
    K, short, nothing = out.shape[1], 0, np.int64(0)
    apart, who, least = np.empty(most, f32), np.empty(most, np.int32), np.empty(most // GROUP, f32)
    near, rows = np.empty(most + 1, f32), np.empty(most + 1, np.int32)
    for i in range(U.shape[0]):
        n = 0
        for c in range(asked.shape[1]):
            for row in range(start[asked[i, c]], start[asked[i, c] + 1]):
                total = f32(0)
                for k in range(U.shape[1]):
                    total += V[row, k] * U[i, k]
                apart[n], who[n] = total, numbers[row]
                n += 1
        if n < K:
            short += 1
            continue
        found = take(apart[:n], K, FARTHEST, near, rows, nothing, least)[1]
        sort_nearest(near, rows, found, K)
        for k in range(K):
            out[i, k] = who[rows[k]]
    return short
