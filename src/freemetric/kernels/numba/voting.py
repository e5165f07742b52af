"""Votes of the nearest candidates of every query, summed over many maps."""

import numpy as np

from .compiling import njit


@njit(fastmath={"reassoc", "contract", "nsz", "arcp"}, nogil=True, cache=True)
def squared_distance(x, y, weights):
    """sum_c weights_c (x_c - y_c)^2."""
    total = np.float32(0)
    for c in range(x.shape[0]):
        difference = x[c] - y[c]
        total += weights[c] * difference * difference
    return total


@njit(nogil=True, cache=True)
def rank(distances, ranks):
    """Write the rank of every distance; the first of equal ones comes first.

    Counting the smaller ones is faster than sorting while there are few: the
    compiler makes vector instructions of the loop.
    """
    n = distances.shape[0]
    for i in range(n):
        own, before = distances[i], np.int32(0)
        for j in range(i):
            before += np.int32(distances[j] <= own)
        for j in range(i + 1, n):
            before += np.int32(distances[j] < own)
        ranks[i] = before


@njit(nogil=True, cache=True)
def add_votes(Z, Q, squares, candidates, counts, masses, sizes, parts, out):
    """Add to ``out`` what the votes of candidates weigh for every query, over maps.

    Parameters
    ----------
    Z, Q : float32 arrays of shape (m, M, p) and (m, n, p)
        Coordinates of the training samples and of the queries, in m spaces: one for
        every map, or one in which all maps measure.
    squares : float32 array of shape (R, p)
        Weights of the squared differences of coordinates under every map.
    candidates : int32 array of shape (n, S)
        Training samples that may vote, for every query.
    counts, masses : arrays of shape (M,)
        Number of rows that lie at a training sample, and the sum of their weights.
    sizes, parts : int and float32 arrays of shape (K,)
        Numbers of neighbours, ascending, and how much each counts for one map.
    out : float32 array of shape (n, S)
        What to multiply the values of every candidate with; their sums are the votes.
    """
    n, S = candidates.shape
    R, K = squares.shape[0], sizes.shape[0]
    distances = np.empty(S, np.float32)
    ranks = np.empty(S, np.int32)
    order = np.empty(S, np.int32)
    total = np.empty(K, np.float32)
    for q in range(n):
        for r in range(R):
            space = 0 if Z.shape[0] == 1 else r
            for s in range(S):
                distances[s] = squared_distance(
                    Q[space, q], Z[space, candidates[q, s]], squares[r]
                )
            rank(distances, ranks)
            for s in range(S):
                order[ranks[s]] = s
            # First the weight of all that are among the k nearest, for every k ...
            used, mass, s = 0, np.float32(0), 0
            for k in range(K):
                while s < S and used + counts[candidates[q, order[s]]] <= sizes[k]:
                    used += counts[candidates[q, order[s]]]
                    mass += masses[candidates[q, order[s]]]
                    s += 1
                total[k] = mass
                if s < S and used < sizes[k]:
                    i = candidates[q, order[s]]
                    total[k] += masses[i] * np.float32(sizes[k] - used) / counts[i]
            # ... and then the share that every candidate has of it.
            used, s = 0, 0
            while s < S and used < sizes[K - 1]:
                n_rows = counts[candidates[q, order[s]]]
                for k in range(K):
                    inside = min(max(sizes[k] - used, 0), n_rows)
                    out[q, order[s]] += parts[k] * inside / (n_rows * total[k])
                used += n_rows
                s += 1
