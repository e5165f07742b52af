"""The nearest rows, and the votes of the nearest candidates under many maps."""

import numpy as np

from .compiling import FAST, njit

f32 = np.float32


@njit(inline="always")
def keep_nearest(distances, near, order):
    """Write the smallest distances to ``near``, ascending, and where they were.

    Of equal distances the first comes first. Insertion is fast where few are kept: most
    distances are compared with the largest one kept, and with no other.
    """
    n_kept = 0
    for place in range(distances.shape[0]):
        distance = distances[place]
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
        order[at] = place
    return n_kept


@njit(nogil=True, cache=True)
def nearest_columns(D, out):
    """Write to out (n, K) where the smallest values of every row of D (n, M) are."""
    near = np.empty(out.shape[1], f32)
    for i in range(D.shape[0]):
        keep_nearest(D[i], near, out[i])


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
            for place in range(starts[cells[q, m]], starts[cells[q, m] + 1]):
                square = f32(0)
                for c in range(query.shape[0]):
                    square += (query[c] - Z[place, c]) * (query[c] - Z[place, c])
                if square >= kept[K - 1]:
                    continue
                at = K - 1
                while at > 0 and kept[at - 1] > square:
                    kept[at] = kept[at - 1]
                    order[at] = order[at - 1]
                    at -= 1
                kept[at] = square
                order[at] = rows[place]


@njit(fastmath=FAST, nogil=True, cache=True)
def add_votes(Z, Q, candidates, counts, masses, sizes, parts, out):
    """Add to ``out`` what the votes of candidates weigh for every query, over maps.

    Parameters
    ----------
    Z, Q : float32 arrays of shape (R, M, p) and (R, n, p)
        Coordinates of the training samples and of the queries under every map.
    candidates : int32 array of shape (n, S)
        Training samples that may vote, for every query.
    counts, masses : int64 and float32 arrays of shape (M,)
        Number of rows that lie at a training sample, and the sum of their weights.
    sizes, parts : int64 and float32 arrays of shape (K,)
        Numbers of neighbours, ascending, and how much each counts for one map.
    out : float32 array of shape (n, S)
        What to multiply the values of every candidate with; their sums are the votes.
    """
    n, S = candidates.shape
    n_sizes = sizes.shape[0]
    distances = np.empty(S, f32)
    near = np.empty(sizes[n_sizes - 1], f32)
    order = np.empty(sizes[n_sizes - 1], np.int32)
    taken = np.empty(sizes[n_sizes - 1], f32)
    for q in range(n):
        own = candidates[q]
        for r in range(Z.shape[0]):
            query = Q[r, q]
            for s in range(S):
                z = Z[r, own[s]]
                square = f32(0)
                for c in range(query.shape[0]):
                    square += (query[c] - z[c]) * (query[c] - z[c])
                distances[s] = square
            n_near = keep_nearest(distances, near, order)
            for k in range(n_sizes):
                # First the weight of the k nearest rows, of the last place only a part;
                left, mass, n_used = sizes[k], f32(0), 0
                while n_used < n_near and left > 0:
                    i = own[order[n_used]]
                    inside = counts[i] if counts[i] < left else left
                    taken[n_used] = f32(inside) / f32(counts[i])
                    mass += masses[i] * taken[n_used]
                    left -= inside
                    n_used += 1
                # then the share that every candidate has of it.
                for place in range(n_used):
                    out[q, order[place]] += parts[k] * taken[place] / mass
