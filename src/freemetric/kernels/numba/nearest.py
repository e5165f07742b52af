"""The nearest rows of every query: among all of them tile by tile, or in the cells around it."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS, larger
from .rows import LANES, MASKED, append_within, count_before, count_smaller, count_within

QUERIES, COLUMNS = 64, 4096  # of a tile, which stays in the cache
PAIRS = 1 << 17  # of samples at a time, likewise
GROUP = 8  # values of which only the least is looked at first
FARTHEST = np.float32(3e38)
NOBODY = -1  # where there are fewer places than wanted
FEW = 512  # up to which to compare every value with every other is the fastest sort
SPARE = np.int64(2)  # values more than wanted that may be left to the sort
ENOUGH = 24  # bisections; by then only equal distances are left between the bounds
f32 = np.float32


@njit(forceinline=False, fastmath=SUMS, nogil=True, cache=True)
def bound_of_nearest(h, n, K, spare):
    """A bound that K of the first n values keep, and at most ``spare`` more unless they are equal."""
    high, low = h[0], -h[0]
    for j in range(n):
        high, low = larger(high, h[j]), larger(low, -h[j])
    low = -low
    bound = low + f32(0.25) * (high - low)
    for _ in range(ENOUGH):
        within = count_within(h, np.int64(n), bound)  # type: ignore[call-arg]
        if within < K:
            low = bound
        else:
            high = bound
            if within <= K + spare:
                break
        bound = f32(0.5) * (low + high)
    return high


@njit(forceinline=False, nogil=True, cache=True)
def rank_few(near, rows, n, ranks):
    """Write to ranks the places of the first n values in their order, the first of equals first.

    The arrays end ``LANES`` numbers after n.
    """
    count_smaller(near, rows, np.int64(n), ranks)  # type: ignore[call-arg]
    total = np.int64(0)
    for j in range(n):
        total += ranks[j]
    if total < n * (n - 1) // 2:  # equal values have one rank, and the rows decide
        count_before(near, rows, np.int64(n), ranks)  # type: ignore[call-arg]


@njit(forceinline=False, nogil=True, cache=True)
def rank(near, rows, n, ranks):
    """The same for any number of values: many are moved to these places, which is Shell's sort."""
    if n <= FEW:
        rank_few(near, rows, n, ranks)
        return
    gap = n // 3
    while gap > 0:
        for j in range(gap, n):
            value, row, place = near[j], rows[j], j
            while place >= gap:
                before = place - gap
                if near[before] < value or (near[before] == value and rows[before] < row):
                    break
                near[place], rows[place] = near[before], rows[before]
                place = before
            near[place], rows[place] = value, row
        gap = max(1, gap * 4 // 9) if gap > 1 else 0
    for j in range(n):
        ranks[j] = j


@njit(forceinline=False, nogil=True, cache=True)
def keep_nearest(near, rows, n, K, spare, ranks):
    """Move the K nearest of n, and at most ``spare`` more, to the front; a bound that they keep, and their number."""
    bound, kept = bound_of_nearest(near, n, K, spare), np.int64(0)
    for j in range(n):
        near[kept], rows[kept] = near[j], rows[j]
        kept += near[j] <= bound
    if kept > K + spare:  # many at one distance
        rank(near, rows, kept, ranks)
        n, kept = kept, np.int64(0)
        for j in range(n):
            near[kept], rows[kept] = near[j], rows[j]
            kept += ranks[j] < K
    return bound, kept


@njit(forceinline=False, nogil=True, cache=True)
def take(h, K, bound, near, rows, n, least):
    """Append the values of h that may be among the K nearest to the n taken before; the bound they keep, their number.

    Without a branch per value. ``least`` is room for groups. Counts are unsigned: a signed one might count from the end
    of an array, and to find that out takes longer than the rest.
    """
    G, after = np.uint32(h.shape[0] // GROUP), np.uint32(n)
    is_first = bound == FARTHEST and h.shape[0] > K
    if is_first and 2 * G < 3 * K:  # hardly any group is without one of the nearest
        bound, G = bound_of_nearest(h, h.shape[0], K, K // 4), np.uint32(0)
    for c in range(G):
        one = min(min(h[c], h[c + G]), min(h[c + 2 * G], h[c + 3 * G]))
        other = min(min(h[c + 4 * G], h[c + 5 * G]), min(h[c + 6 * G], h[c + 7 * G]))
        least[c] = min(one, other)
    if is_first and G > 0:
        bound = bound_of_nearest(least, np.int64(G), K, K // 4)
    for c in range(G):
        if least[c] <= bound:
            for k in range(GROUP):
                j = np.uint32(c) + np.uint32(k) * G
                near[after], rows[after] = h[j], j
                after += np.uint32(h[j] <= bound)
    begin = np.uint32(GROUP) * G
    if G == 0:
        whole = h.shape[0] // MASKED * MASKED
        begin = np.uint32(whole)
        after = np.uint32(append_within(h, whole, bound, near, rows, np.int64(after)))  # type: ignore[call-arg]
    for rest in range(begin, np.uint32(h.shape[0])):
        near[after], rows[after] = h[rest], rest
        after += np.uint32(h[rest] <= bound)
    return bound, np.int64(after)


class Room(NamedTuple):
    """Room for a search: what was taken for every query, and what is looked at between."""

    bound: NDArray[np.float32]  # (n,) that the nearest of a query keep
    near: NDArray[np.float32]  # (n, size)
    rows: NDArray[np.int32]  # (n, size)
    taken: NDArray[np.int64]  # (n,)
    least: NDArray[np.float32]
    ranks: NDArray[np.int32]  # (size,)

    @classmethod
    def of(cls, n: int, n_wanted: int, n_columns: int) -> "Room":
        """Room for n queries in tiles of so many columns, of which nothing is taken yet."""
        size = 4 * n_wanted + n_columns + LANES
        near, rows, ranks = np.empty((n, size), f32), np.empty((n, size), np.int32), np.empty(size, np.int32)
        return cls(np.full(n, FARTHEST), near, rows, np.zeros(n, np.int64), np.empty(n_columns // GROUP, f32), ranks)


@njit(nogil=True, cache=True)
def take_tile(h, queries, first, K, bound, near, rows, taken, least, ranks):
    """Offer the values h (n, m) of the rows from ``first`` on to the nearest of queries with these numbers (n,)."""
    for i in range(h.shape[0]):
        q = queries[i]
        before = taken[q]
        bound[q], taken[q] = take(h[i], K, bound[q], near[q], rows[q], before, least)
        for place in range(before, taken[q]):
            rows[q, place] += first
        if taken[q] > 4 * K:
            bound[q], taken[q] = keep_nearest(near[q], rows[q], taken[q], K, K // 2, ranks)


@njit(nogil=True, cache=True)
def finish(near, rows, taken, ranks, out):
    """Write the K nearest of those taken to out (n, K), nearest first."""
    n, K = out.shape
    for i in range(n):
        kept = taken[i]
        if kept > K + SPARE + K // 4:
            kept = keep_nearest(near[i], rows[i], kept, K, SPARE + K // 8, ranks)[1]
        rank(near[i], rows[i], kept, ranks)
        for j in range(kept):
            if ranks[j] < K:
                out[i, ranks[j]] = rows[i, j]


@njit(nogil=True, cache=True)
def write_least(h, near, rows, ranks, ordered, out):
    """Write to out (n, K) the places of the least values of every row of h (n, m), the least first.

    It is compiled for every prediction that finds no cache, and so has less to compile than ``take``. Of a row with
    more than ``FEW`` values at the bound it says NOBODY.
    """
    (n, m), K = h.shape, np.int64(out.shape[1])
    whole = m // MASKED * MASKED
    for i in range(n):
        bound = bound_of_nearest(h[i], m, K, K // 4)
        found = np.uint32(append_within(h[i], whole, bound, near, rows, np.int64(0)))  # type: ignore[call-arg]
        for j in range(np.uint32(whole), np.uint32(m)):
            near[found], rows[found] = h[i, j], j
            found += np.uint32(h[i, j] <= bound)
        if found > FEW:
            out[i] = NOBODY
            continue
        rank_few(near, rows, np.int64(found), ranks)
        for j in range(found):
            ordered[np.uint32(ranks[j])] = rows[j]
        for k in range(np.uint32(K)):
            out[i, k] = ordered[k]


@njit(nogil=True, cache=True)
def pick_others(h, first, out):
    """Write to out (R, n, K) the K nearest of every sample from ``first`` on, but itself, in any order.

    h (R, n, N) are their distances to all samples, up to a constant of each; it is overwritten.
    """
    (R, n, K), N, nothing = out.shape, h.shape[2], np.int64(0)
    near, rows, ranks = np.empty(N + LANES, f32), np.empty(N + LANES, np.int32), np.empty(N + LANES, np.int32)
    least = np.empty(N // GROUP, f32)
    for r in range(R):
        for i in range(n):
            h[r, i, first + i] = FARTHEST
            kept = take(h[r, i], K, FARTHEST, near, rows, nothing, least)[1]
            if kept > K:
                kept = keep_nearest(near, rows, kept, K, SPARE, ranks)[1]
            while kept > K:
                last, kept = 0, kept - 1
                for k in range(1, kept + 1):
                    last = k if near[k] >= near[last] else last
                near[last], rows[last] = near[kept], rows[kept]
            for k in range(K):
                out[r, i, k] = rows[k]


def others_nearest(Z: NDArray[np.float32], n_neighbors: int) -> NDArray[np.int32]:
    """Numbers (R, N, K) of the samples nearest to every sample but itself in spaces Z (R, N, p), in any order."""
    R, N, p = Z.shape
    queries, places = np.ones((R, N, p + 1), f32), np.empty((R, p + 1, N), f32)  # a product adds the squares, too
    queries[:, :, :p], places[:, :p], places[:, p] = f32(-2) * Z, Z.swapaxes(1, 2), np.einsum("rnp,rnp->rn", Z, Z)
    out = np.empty((R, N, n_neighbors), np.int32)
    n, spaces = max(1, PAIRS // N), max(1, PAIRS // N**2)  # rows, and spaces with all their rows, at a time
    for r in range(0, R, spaces):
        for i in range(0, N, n):
            h = queries[r : r + spaces, i : i + n] @ places[r : r + spaces]
            pick_others(h, i, out[r : r + spaces, i : i + n])
    return out


def wide(n: int) -> int:
    """The length that rows of n numbers are filled up to."""
    return -(-n // LANES) * LANES


def filled_up(X: NDArray) -> NDArray[np.float32]:
    """Rows in float32 with columns of zeros, as distances and sums of rows want them."""
    out = np.zeros((*X.shape[:-1], wide(X.shape[-1])), dtype=np.float32)
    out[..., : X.shape[-1]] = X
    return out


def as_places(Z: NDArray) -> NDArray[np.float32]:
    """Rows Z (M, p) as they are searched, (M, p + 1)."""
    Z = np.asarray(Z, dtype=f32)
    return np.ascontiguousarray(np.column_stack([Z, np.einsum("mp,mp->m", Z, Z)]))


def as_queries(Q: NDArray) -> NDArray[np.float32]:
    """Queries Q (n, p) as they are searched for, (n, p + 1)."""
    Q = np.asarray(Q, dtype=f32)
    return np.ascontiguousarray(np.column_stack([-2 * Q, np.ones(len(Q), dtype=f32)]))


def nearest(queries: NDArray, places: NDArray, n_neighbors: int, n_threads: int = 1) -> NDArray[np.int32]:
    """Numbers (n, K) of the places nearest to every query, nearest first."""
    if n_threads > 1:
        search, parts = Parallel(n_threads, require="sharedmem"), np.array_split(queries, n_threads)
        return np.concatenate(search(delayed(nearest)(part, places, n_neighbors) for part in parts))
    n, K, M = len(queries), n_neighbors, len(places)
    if M <= COLUMNS and 2 * K <= FEW:  # more would come to the slow sort
        parts = [least_of(queries[q : q + QUERIES] @ places.T, K) for q in range(0, n, QUERIES)]
        return np.concatenate(parts) if parts else np.empty((0, K), dtype=np.int32)
    out, room, everyone = np.empty((n, K), dtype=np.int32), Room.of(min(n, QUERIES), K, COLUMNS), np.arange(QUERIES)
    for q in range(0, n, QUERIES):
        some = queries[q : q + QUERIES]
        room.bound[:], room.taken[:] = FARTHEST, 0
        for j in range(0, M, COLUMNS):
            take_tile(some @ places[j : j + COLUMNS].T, everyone, j, K, *room)
        finish(room.near, room.rows, room.taken, room.ranks, out[q : q + QUERIES])
    return out


def least_of(h: NDArray[np.float32], n_wanted: int) -> NDArray[np.int32]:
    """Numbers (n, K) of the least values of every row of h (n, S), the least first."""
    size = h.shape[1] + LANES
    near, (rows, ranks, ordered) = np.empty(size, f32), np.zeros((3, size), np.int32)
    out = np.empty((len(h), n_wanted), dtype=np.int32)
    write_least(h, near, rows, ranks, ordered, out)
    for i in np.flatnonzero(out[:, :1] == NOBODY):  # very many equal values
        out[i] = h[i].argsort(kind="stable")[:n_wanted]
    return out


ROWS_OF_A_CELL = 256
ASKING = 1 << 14  # queries of cells at a time, for the memory
TAUGHT_BY = 32  # rows of a cell that its centre is found from
ROUNDS = 6


class Cells(NamedTuple):
    """Rows (M, q + 1), see :func:`freemetric.kernels.numba.nearest.as_places`, cell by cell."""

    centres: NDArray[np.float32]  # (n_cells, q + 1)
    start: NDArray[np.int64]  # (n_cells + 1,) where the rows of a cell begin
    numbers: NDArray[np.int32]  # (M,) of the rows, before they were sorted by cell
    rows: NDArray[np.float32]  # (M, q + 1)

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
        queries, out = as_queries(Q), np.empty((len(Q), size), dtype=np.int32)
        asked = nearest(queries, self.centres, min(n_cells, len(self.centres)))
        hold_enough = np.diff(self.start)[asked].sum(axis=1) >= size
        found, step = np.flatnonzero(hold_enough), max(1, ASKING // asked.shape[1])
        for some in (found[q : q + step] for q in range(0, len(found), step)):
            out[some] = self._search(queries[some], asked[some], size)
        if len(found) < len(Q):
            out[~hold_enough] = self.nearest(Q[~hold_enough], size, 4 * n_cells)
        return out

    def _search(self, queries, asked, size):
        """The same for queries (n, q + 1) in the cells (n, c) that each asks, cell by cell: its rows are read once."""
        cells, n_asking = np.unique(asked, return_counts=True)
        room = Room.of(len(asked), size, np.diff(self.start)[cells].max())
        who = np.argsort(asked, axis=None, kind="stable") // asked.shape[1]
        for cell, some in zip(cells, np.split(who, np.cumsum(n_asking)[:-1]), strict=True):
            begin, end = self.start[cell], self.start[cell + 1]
            take_tile(queries[some] @ self.rows[begin:end].T, some, begin, size, *room)
        out = np.empty((len(asked), size), dtype=np.int32)
        finish(room.near, room.rows, room.taken, room.ranks, out)
        return self.numbers[out]
