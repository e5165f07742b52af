"""The nearest rows of every query, tile by tile: one matrix product, and passes over it that hardly branch.

With u = (-2 q, 1) and v = (z, |z|^2) the product u . v is |q - z|^2 up to a constant of the query. The values of a row
are put into groups of eight, far apart from each other, so that the least of every group is a loop that vectorises. By
bisection a row learns how near K of these are: a bound that at least K values keep, and few more. Only groups whose
least keeps it are looked at, and few values are left to be sorted.
"""

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS, larger

QUERIES, COLUMNS = 64, 1024  # of a tile, which stays in the cache
GROUP = 8  # values of which only the least is looked at first
FARTHEST = np.float32(3e38)
FEW = 64  # of which an insertion sort is the fastest
FEW_MORE = 2  # than wanted, who are dropped one by one
ENOUGH = 24  # bisections; by then only equal distances are left between the bounds
f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def smallest(h):
    top = -h[0]
    for j in range(h.shape[0]):
        top = larger(top, -h[j])
    return -top


@njit(fastmath=SUMS, nogil=True, cache=True)
def largest(h):
    top = h[0]
    for j in range(h.shape[0]):
        top = larger(top, h[j])
    return top


@njit(fastmath=SUMS, nogil=True, cache=True)
def count_within(h, bound):
    n = np.int32(0)
    for j in range(h.shape[0]):
        n += np.int32(h[j] <= bound)
    return n


@njit(fastmath=SUMS, nogil=True, cache=True)
def least_of_groups(h, least):
    """Write to ``least`` (G,) the least of h[c], h[c + G], h[c + 2 G] and so on, for every c."""
    G = least.shape[0]
    for c in range(G):
        first = min(min(h[c], h[c + G]), min(h[c + 2 * G], h[c + 3 * G]))
        second = min(min(h[c + 4 * G], h[c + 5 * G]), min(h[c + 6 * G], h[c + 7 * G]))
        least[c] = min(first, second)


@njit(nogil=True, cache=True)
def bound_of_nearest(h, K, spare):
    """A bound that K values keep, and at most ``spare`` more unless they are equal."""
    low, high = smallest(h), largest(h)
    bound = low + f32(0.25) * (high - low)
    for _ in range(ENOUGH):
        n = count_within(h, bound)
        if n < K:
            low = bound
        else:
            high = bound
            if n <= K + spare:
                break
        bound = f32(0.5) * (low + high)
    return high


@njit(nogil=True, cache=True)
def first_bound(h, least, K):
    """A bound that at least K values of a row keep; ``least`` are those of its groups."""
    return bound_of_nearest(least if 2 * len(least) >= 3 * K else h, K, K // 4)


@njit(nogil=True, cache=True)
def take(h, first, bound, least, hits, near, rows, n):
    """Append the values within the bound to those taken; how many there are now. Without a branch per value.

    ``hits`` (G + 1,) is room for the numbers of groups. Counts are unsigned: a signed one might count from the end of
    an array, and to find that out takes longer than the rest.
    """
    G, n_hits, before = np.uint32(least.shape[0]), np.uint32(0), np.uint32(n)
    for c in range(G):
        hits[n_hits] = c
        n_hits += np.uint32(least[c] <= bound)
    after = before
    for number in range(n_hits):
        for k in range(GROUP):
            j = np.uint32(hits[number]) + np.uint32(k) * G
            rows[after] = j
            after += np.uint32(h[j] <= bound)
    for rest in range(np.uint32(GROUP) * G, np.uint32(h.shape[0])):
        rows[after] = rest
        after += np.uint32(h[rest] <= bound)
    for place in range(before, after):
        near[place] = h[np.uint32(rows[place])]
        rows[place] += first
    return np.int64(after)


@njit(nogil=True, cache=True)
def drop_farther(near, rows, n, bound):
    """The values within the bound, moved to the front; how many they are."""
    kept = 0
    for j in range(n):
        near[kept], rows[kept] = near[j], rows[j]
        kept += near[j] <= bound
    return kept


@njit(nogil=True, cache=True)
def is_before(value, row, other, other_row):
    return value < other or (value == other and row < other_row)


@njit(nogil=True, cache=True)
def sort_few(near, rows, n, K):
    """The K nearest of n in order, the first of equals first."""
    for j in range(1, n):
        value, row = near[j], rows[j]
        if j >= K and is_before(near[K - 1], rows[K - 1], value, row):
            continue
        place = min(j, K - 1)
        while place > 0 and is_before(value, row, near[place - 1], rows[place - 1]):
            near[place] = near[place - 1]
            rows[place] = rows[place - 1]
            place -= 1
        near[place] = value
        rows[place] = row


@njit(nogil=True, cache=True)
def sort_nearest(near, rows, n, K):
    """The K nearest of n in order."""
    if K <= FEW:
        sort_few(near, rows, n, K)
        return
    order = np.argsort(near[:n])[:K]
    near[:K], rows[:K] = near[:n][order], rows[:n][order]


@njit(nogil=True, cache=True)
def drop_farthest(near, rows, n, K):
    """The K nearest of n, the first of equals among them, in any order."""
    if n > K + FEW_MORE:
        n = drop_farther(near, rows, n, bound_of_nearest(near[:n], K, FEW_MORE))
    if n > 2 * K:  # many at one distance
        sort_nearest(near, rows, n, K)
        return
    while n > K:
        last = 0
        for j in range(1, n):
            if is_before(near[last], rows[last], near[j], rows[j]):
                last = j
        n -= 1
        near[last], rows[last] = near[n], rows[n]


@njit(nogil=True, cache=True)
def keep_nearest(near, rows, n, K):
    """Bound that the K nearest of n keep, and how many keep it: those are at the front now."""
    bound = bound_of_nearest(near[:n], K, K // 2)
    n = drop_farther(near, rows, n, bound)
    if n > 2 * K:  # many at one distance
        sort_nearest(near, rows, n, K)
        n = K
    return bound, n


@njit(nogil=True, cache=True)
def room_for(n):
    """Where :func:`nearest_of` may work on up to n values: least, hits, near, rows."""
    groups = n // GROUP
    return np.empty(groups, f32), np.empty(groups + 1, np.int32), np.empty(n + 1, f32), np.empty(n + 1, np.int32)


@njit(nogil=True, cache=True)
def nearest_of(apart, K, room):
    """Distances and numbers of the K nearest of some values, nearest first and the first of equals first; of all values
    where they are fewer. They lie in ``room``."""
    least, hits, near, rows = room
    groups = least[: len(apart) // GROUP]
    least_of_groups(apart, groups)
    bound = first_bound(apart, groups, K) if len(apart) > K else FARTHEST
    n = take(apart, 0, bound, groups, hits, near, rows, 0)
    K = min(K, n)
    sort_nearest(near, rows, n, K)
    return near[:K], rows[:K]


@njit(nogil=True, cache=True)
def search(U, V, K, ordered, out):
    """Write to out (n, K) the rows of V nearest to those of U, nearest first where that is wanted.

    K is at most the number of rows.
    """
    n, M = U.shape[0], V.shape[0]
    room = 4 * K
    near, rows = np.empty((QUERIES, room + COLUMNS + 1), f32), np.empty((QUERIES, room + COLUMNS + 1), np.int32)
    taken, bound = np.empty(QUERIES, np.int64), np.empty(QUERIES, f32)
    tile, least, hits = np.empty(QUERIES * COLUMNS, f32), np.empty(COLUMNS // GROUP, f32), np.empty(COLUMNS, np.int32)
    for q0 in range(0, n, QUERIES):
        queries = min(QUERIES, n - q0)
        taken[:] = 0
        bound[:] = FARTHEST
        for j0 in range(0, M, COLUMNS):
            columns = min(COLUMNS, M - j0)
            h = tile[: queries * columns].reshape(queries, columns)
            np.dot(U[q0 : q0 + queries], V[j0 : j0 + columns].T, h)
            groups = least[: columns // GROUP]
            for i in range(queries):
                least_of_groups(h[i], groups)
                if j0 == 0 and columns > K:
                    bound[i] = first_bound(h[i], groups, K)
                taken[i] = take(h[i], j0, bound[i], groups, hits, near[i], rows[i], taken[i])
                if taken[i] > room:
                    bound[i], taken[i] = keep_nearest(near[i], rows[i], taken[i], K)
        for i in range(queries):
            if ordered:
                sort_nearest(near[i], rows[i], taken[i], K)
            else:
                drop_farthest(near[i], rows[i], taken[i], K)
            for k in range(K):
                out[q0 + i, k] = rows[i, k]


def as_places(Z: NDArray) -> NDArray[np.float32]:
    """Rows Z (M, p) as they are searched, (M, p + 1)."""
    Z = np.asarray(Z, dtype=f32)
    return np.ascontiguousarray(np.column_stack([Z, np.einsum("mp,mp->m", Z, Z)]))


def as_queries(Q: NDArray) -> NDArray[np.float32]:
    """Queries Q (n, p) as they are asked, (n, p + 1)."""
    Q = np.asarray(Q, dtype=f32)
    return np.ascontiguousarray(np.column_stack([-2 * Q, np.ones(len(Q), dtype=f32)]))


def nearest(queries: NDArray, places: NDArray, n_neighbors: int, ordered: bool = True) -> NDArray[np.int32]:
    """Numbers (n, K) of the places nearest to every query, nearest first unless their order does not matter."""
    out = np.empty((len(queries), n_neighbors), dtype=np.int32)
    search(queries, places, n_neighbors, ordered, out)
    return out
