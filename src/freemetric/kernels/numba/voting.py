"""The nearest rows, and the votes of the nearest candidates under many maps."""

import numpy as np

from .compiling import njit


@njit(nogil=True, cache=True)
def keep_nearest(distances, near, order):
    """Write the smallest distances to ``near``, ascending, and where they were.

    Of equal distances the first comes first. Insertion is fast where few are kept: most
    distances are compared with the largest one kept, and with no other.
    """
    n_kept = 0
    for place in range(distances.shape[0]):
        distance = distances[place]
        if n_kept == near.shape[0] and distance >= near[n_kept - 1]:
            continue
        n_kept = min(n_kept + 1, near.shape[0])
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
    near = np.empty(out.shape[1], np.float32)
    for i in range(D.shape[0]):
        keep_nearest(D[i], near, out[i])


@njit(fastmath={"reassoc", "contract", "nsz"}, nogil=True, cache=True)
def write_distances(Z, q, candidates, distances):
    """Write the squared distances of q (p,) to the candidates among the rows of Z."""
    for s in range(candidates.shape[0]):
        z = Z[candidates[s]]
        total = np.float32(0)
        for c in range(q.shape[0]):
            difference = q[c] - z[c]
            total += difference * difference
        distances[s] = total


@njit(nogil=True, cache=True)
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
    distances = np.empty(S, np.float32)
    near = np.empty(min(S, sizes[n_sizes - 1]), np.float32)
    order = np.empty(near.shape[0], np.int32)
    total = np.empty(n_sizes, np.float32)
    for q in range(n):
        own = candidates[q]
        for r in range(Z.shape[0]):
            write_distances(Z[r], Q[r, q], own, distances)
            n_near = keep_nearest(distances, near, order)
            # First the weight of all that are among the k nearest rows, for every k ...
            total[:] = np.float32(0)
            before = 0
            for place in range(n_near):
                i = own[order[place]]
                for k in range(n_sizes):
                    inside = min(max(sizes[k] - before, 0), counts[i])
                    total[k] += masses[i] * np.float32(inside) / np.float32(counts[i])
                before += counts[i]
            # ... and then the share that every candidate has of it.
            before = 0
            for place in range(n_near):
                i = own[order[place]]
                share = np.float32(0)
                for k in range(n_sizes):
                    inside = min(max(sizes[k] - before, 0), counts[i])
                    share += parts[k] * np.float32(inside) / total[k]
                out[q, order[place]] += share / np.float32(counts[i])
                before += counts[i]
