"""Nearest neighbours by insertion, and the votes of the nearest under many maps."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .compiling import FAST, njit

PAIRS = 1 << 18  # distances at a time, which stay in the cache
f32 = np.float32


@njit(nogil=True, cache=True)
def improve_lists(D, first, lists):
    """Write to lists (n, K) which of the distances D (n, N) are least, nearest first.

    Rows of D belong to the samples from ``first`` on, which are not their own
    neighbours. Of equal distances the first comes first. What stands in the lists, K
    different others, is a guess: a good one saves most insertions. D is overwritten.
    """
    n, N = D.shape
    K = lists.shape[1]
    near = np.empty(K, D.dtype)
    for i in range(n):
        D[i, first + i] = np.inf
        worst, last = np.inf, 0
        for t in range(K + N):
            is_guess = t < K
            j = lists[i, t] if is_guess else t - K
            value = D[i, j]
            if is_guess or value < worst or (value == worst and j < last):
                D[i, j] = np.inf  # not twice
                at = t if is_guess else K - 1
                while at > 0 and (
                    near[at - 1] > value
                    or (near[at - 1] == value and lists[i, at - 1] > j)
                ):
                    near[at] = near[at - 1]
                    lists[i, at] = lists[i, at - 1]
                    at -= 1
                near[at] = value
                lists[i, at] = j
                worst, last = near[K - 1], lists[i, K - 1]


def first_guess(R: int, N: int, size: int) -> NDArray[np.int32]:
    """Lists (R, N, size) of the samples that follow each sample."""
    rows = np.arange(N, dtype=np.int32)[:, None] + np.arange(
        1, size + 1, dtype=np.int32
    )
    return np.repeat((rows % N)[None], R, axis=0)


def others_nearest(
    Z: NDArray, n_neighbors: int, guess: NDArray | None = None
) -> NDArray[np.int32]:
    """Rows (R, N, n_neighbors) of the samples nearest to every sample but itself in
    spaces Z (R, N, p), nearest first.

    ``guess`` are such lists under similar maps.
    """
    R, N, p = Z.shape
    lists = first_guess(R, N, n_neighbors) if guess is None else guess.copy()
    queries = np.ones((N, p + 1), Z.dtype)
    others = np.empty((N, p + 1), Z.dtype)
    step = max(1, PAIRS // N)
    for r in range(R):
        queries[:, :p] = -2 * Z[r]
        others[:, :p] = Z[r]
        others[:, p] = np.einsum("np,np->n", Z[r], Z[r])
        for i in range(0, N, step):
            # Squared distances but for a constant of each row.
            D = queries[i : i + step] @ others.T
            improve_lists(D, i, lists[r, i : i + step])
    return lists


def others_in_order(Z: NDArray, n_neighbors: int) -> NDArray[np.int32]:
    """The same by exact distances, so that samples at one place are equally far."""
    R, N, _ = Z.shape
    lists = first_guess(R, N, n_neighbors)
    step = max(1, PAIRS // N)
    for r in range(R):
        for i in range(0, N, step):
            D = cdist(Z[r, i : i + step], Z[r], "sqeuclidean")
            improve_lists(D, i, lists[r, i : i + step])
    return lists


@njit(inline="always")
def keep_nearest(distances, near, order):
    """Write the smallest distances to ``near``, ascending, and where they were.

    Of equal distances the first comes first. Insertion is fast where few are kept: most
    distances are compared with the largest one kept, and with no other.
    """
    n_kept = 0
    for j in range(distances.shape[0]):
        distance = distances[j]
        if n_kept < near.shape[0]:
            n_kept += 1
        elif distance >= near[n_kept - 1]:
            continue
        at = n_kept - 1
        while at > 0 and near[at - 1] > distance:
            near[at] = near[at - 1]
            order[at] = order[at - 1]
            at -= 1
        near[at] = distance
        order[at] = j
    return n_kept


@njit(nogil=True, cache=True)
def columns_in_order(D, most, out):
    """Write to out (n, K) where the smallest values of every row of D (n, M) are.

    ``most`` (n,) is the K-th smallest value of every row. Of equal values the first
    comes first, and the last are left out.
    """
    K = out.shape[1]
    near = np.empty(K, f32)
    for i in range(D.shape[0]):
        order = out[i]
        n_left = K  # of those that are as large as the largest
        for j in range(D.shape[1]):
            n_left -= D[i, j] < most[i]
        n_kept = 0
        for j in range(D.shape[1]):
            value = D[i, j]
            if value > most[i]:
                continue
            if value == most[i]:
                if n_left == 0:
                    continue
                n_left -= 1
            at = n_kept
            while at > 0 and near[at - 1] > value:
                near[at] = near[at - 1]
                order[at] = order[at - 1]
                at -= 1
            near[at] = value
            order[at] = j
            n_kept += 1


def nearest_columns(D: NDArray[np.float32], out: NDArray[np.int32]) -> None:
    """Write to out (n, K) where the smallest values of every row of D (n, M) are.

    They ascend, and of equal values the first comes first.
    """
    last = out.shape[1] - 1
    columns_in_order(D, np.partition(D, last, axis=1)[:, last], out)


@njit(fastmath={"reassoc", "contract"}, nogil=True, cache=True)
def nearest_in_cells(Q, Z, rows, starts, cells, near, out):
    """Write the rows nearest to queries Q (n, p) to out (n, K), the nearest first.

    Those in some cells (n, m) of every query are compared. Cell c holds the rows Z from
    starts[c] to starts[c + 1], whose numbers are in ``rows``. ``near`` (n, K) are their
    squared distances, infinite where the cells hold too few.
    """
    K = out.shape[1]
    for q in range(Q.shape[0]):
        query, kept, order = Q[q], near[q], out[q]
        for k in range(K):
            kept[k] = np.inf
        for m in range(cells.shape[1]):
            for j in range(starts[cells[q, m]], starts[cells[q, m] + 1]):
                square = f32(0)
                for c in range(query.shape[0]):
                    square += (query[c] - Z[j, c]) * (query[c] - Z[j, c])
                if square >= kept[K - 1]:
                    continue
                at = K - 1
                while at > 0 and kept[at - 1] > square:
                    kept[at] = kept[at - 1]
                    order[at] = order[at - 1]
                    at -= 1
                kept[at] = square
                order[at] = rows[j]


@njit(fastmath=FAST, nogil=True, cache=True)
def stretched_distances(X, Q, candidates, squares, out):
    """Write squared distances of candidates under maps that stretch columns.

    Parameters
    ----------
    X, Q : float32 arrays of shape (M, d) and (n, d)
        Training samples and queries.
    candidates : int32 array of shape (n, S)
        Training samples to compare with every query.
    squares : float32 array of shape (R, d)
        Squares of the stretches of every map.
    out : float32 array of shape (n, R, S)
        The distances.
    """
    n, S = candidates.shape
    R, d = squares.shape
    # Differences are squared once for all maps, candidates side by side.
    differences = np.empty((d, S), f32)
    for q in range(n):
        for s in range(S):
            x = X[candidates[q, s]]
            for c in range(d):
                differences[c, s] = (Q[q, c] - x[c]) * (Q[q, c] - x[c])
        for r in range(R):
            sums = out[q, r]
            sums[:] = f32(0)
            for c in range(d):
                stretch = squares[r, c]
                for s in range(S):
                    sums[s] += stretch * differences[c, s]


@njit(fastmath=FAST, nogil=True, cache=True)
def mixed_distances(Z, Q, candidates, out):
    """Write squared distances of candidates between images under maps.

    Parameters
    ----------
    Z, Q : float32 arrays of shape (M, R, p) and (n, R, p)
        Images of the training samples and of the queries under every map.
    candidates : int32 array of shape (n, S)
        Training samples to compare with every query.
    out : float32 array of shape (n, R, S)
        The distances.
    """
    n, S = candidates.shape
    R, p = Q.shape[1:]
    for q in range(n):
        for s in range(S):
            images = Z[candidates[q, s]]  # of all maps: they lie side by side
            for r in range(R):
                square = f32(0)
                for c in range(p):
                    square += (Q[q, r, c] - images[r, c]) * (Q[q, r, c] - images[r, c])
                out[q, r, s] = square


@njit(fastmath=FAST, nogil=True, cache=True)
def add_votes(distances, candidates, counts, masses, sizes, parts, out):
    """Add to ``out`` what the votes of candidates weigh for every query, over maps.

    Parameters
    ----------
    distances : float32 array of shape (n, R, S)
        Squared distances of the candidates under every map.
    candidates : int32 array of shape (n, S)
        Training samples that may vote, for every query.
    counts, masses : int64 and float32 arrays of shape (M,)
        Number of rows that lie at a training sample, and the sum of their weights.
    sizes, parts : int64 and float32 arrays of shape (K,)
        Numbers of neighbours, ascending, and how much each counts for one map.
    out : float32 array of shape (n, S)
        What to multiply the values of every candidate with; their sums are the votes.
    """
    n_sizes = sizes.shape[0]
    near = np.empty(sizes[n_sizes - 1], f32)
    order = np.empty(sizes[n_sizes - 1], np.int32)
    inside = np.empty(sizes[n_sizes - 1], f32)  # share of the sizes that end at a rank
    before = np.empty(sizes[n_sizes - 1], f32)  # their share of every lower rank
    for q in range(distances.shape[0]):
        own = candidates[q]
        for r in range(distances.shape[1]):
            n_near = keep_nearest(distances[q, r], near, order)
            n_rows, mass, k, rank = 0, f32(0), 0, 0
            while k < n_sizes and rank < n_near:
                i = own[order[rank]]
                inside[rank] = before[rank] = f32(0)
                while k < n_sizes and sizes[k] <= n_rows + counts[i]:
                    # Of the rows at the last place, a part is among the nearest.
                    part = f32(sizes[k] - n_rows) / f32(counts[i])
                    share = parts[k] / (mass + part * masses[i])
                    inside[rank] += part * share
                    before[rank] += share
                    k += 1
                n_rows += counts[i]
                mass += masses[i]
                rank += 1
            share = f32(0)
            while k < n_sizes:  # there are no more rows than these
                share += parts[k] / mass
                k += 1
            while rank > 0:
                rank -= 1
                out[q, order[rank]] += share + inside[rank]
                share += before[rank]
