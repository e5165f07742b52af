"""The nearest rows of every query, tile by tile: one matrix product, and a pass over it that hardly branches.

With u = (-2 q, 1) and v = (z, |z|^2) the product u . v is |q - z|^2 up to a constant of the query. Of the first tile a
row learns by bisection how near the K nearest are: counting what is below a bound is a loop that vectorises, which
sorting is not. Later tiles only have to be looked at where something is below that bound. Few are left to be sorted.
"""

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS, larger

QUERIES, COLUMNS, CHUNK = 64, 1024, 32  # of a tile, which stays in the cache; of what is looked at together
FARTHEST = np.float32(3e38)
FEW = 64  # of which an insertion sort is the fastest
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


@njit(nogil=True, cache=True)
def bound_of_nearest(h, K):
    """A bound that at least K values keep, and few more unless they are equal."""
    low, high = smallest(h), largest(h)
    bound = low + f32(0.25) * (high - low)
    for _ in range(ENOUGH):
        n = count_within(h, bound)
        if n < K:
            low = bound
        else:
            high = bound
            if 2 * n <= 3 * K:
                break
        bound = f32(0.5) * (low + high)
    return high


@njit(nogil=True, cache=True)
def take(h, first, bound, near, rows, n):
    """Append the values within the bound to those taken; how many there are now. Without a branch per value."""
    for start in range(0, h.shape[0], CHUNK):
        end = min(start + CHUNK, h.shape[0])
        if smallest(h[start:end]) <= bound:
            for j in range(start, end):
                near[n] = h[j]
                rows[n] = first + j
                n += h[j] <= bound
    return n


@njit(nogil=True, cache=True)
def drop_farther(near, rows, n, bound):
    """The values within the bound, moved to the front; how many they are."""
    kept = 0
    for j in range(n):
        near[kept], rows[kept] = near[j], rows[j]
        kept += near[j] <= bound
    return kept


@njit(nogil=True, cache=True)
def sort_few(near, rows, n, K):
    """The K nearest of n in order, the first of equals first."""
    for j in range(1, n):
        value, row = near[j], rows[j]
        if j >= K and value >= near[K - 1]:
            continue
        place = min(j, K - 1)
        while place > 0 and near[place - 1] > value:
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
    """The K nearest of a few more, in any order."""
    while n > K:
        top = largest(near[:n])
        n -= 1
        j = n
        while near[j] != top:  # the last of equals
            j -= 1
        near[j], rows[j] = near[n], rows[n]


@njit(nogil=True, cache=True)
def keep_nearest(near, rows, n, K):
    """Bound that the K nearest of n keep, and how many keep it: those are at the front now."""
    bound = bound_of_nearest(near[:n], K)
    n = drop_farther(near, rows, n, bound)
    if n > 2 * K:  # many at one distance
        sort_nearest(near, rows, n, K)
        n = K
    return bound, n


@njit(nogil=True, cache=True)
def search(U, V, K, ordered, out):
    """Write to out (n, K) the rows of V nearest to those of U, nearest first where that is wanted.

    K is at most the number of rows.
    """
    n, M = U.shape[0], V.shape[0]
    room = 4 * K
    near, rows = np.empty((QUERIES, room + COLUMNS + 1), f32), np.empty((QUERIES, room + COLUMNS + 1), np.int32)
    taken, bound = np.empty(QUERIES, np.int64), np.empty(QUERIES, f32)
    tile = np.empty(QUERIES * COLUMNS, f32)
    for q0 in range(0, n, QUERIES):
        queries = min(QUERIES, n - q0)
        taken[:] = 0
        bound[:] = FARTHEST
        for j0 in range(0, M, COLUMNS):
            columns = min(COLUMNS, M - j0)
            h = tile[: queries * columns].reshape(queries, columns)
            np.dot(U[q0 : q0 + queries], V[j0 : j0 + columns].T, h)
            for i in range(queries):
                if j0 == 0 and columns > K:
                    bound[i] = bound_of_nearest(h[i], K)
                taken[i] = take(h[i], j0, bound[i], near[i], rows[i], taken[i])
                if taken[i] > room:
                    bound[i], taken[i] = keep_nearest(near[i], rows[i], taken[i], K)
        for i in range(queries):
            if ordered or taken[i] > 2 * K:
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
