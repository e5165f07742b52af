"""Shares of the classes among the nearest of few candidates, for many queries: one pass, nothing stored between.

A candidate is a place with ``counts`` rows, whose ``ballots`` are the weights of their classes.
"""

import numpy as np

from .compiling import njit
from .exp2 import SUMS

f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def squared_distance(z, q):
    total = f32(0)
    for k in range(z.shape[0]):
        total += (z[k] - q[k]) * (z[k] - q[k])
    return total


@njit(nogil=True, cache=True)
def nearest(Z, query, candidates, distances, places):
    """Fill the nearest candidates in order of their distance, the first of equals first; how many they are.

    Cheapest where the candidates come about in that order.
    """
    K, n = places.shape[0], 0
    for s in range(candidates.shape[0]):
        i = candidates[s]
        d = squared_distance(Z[i], query)
        if n == K and d >= distances[K - 1]:
            continue
        j = min(n, K - 1)
        while j > 0 and distances[j - 1] > d:
            distances[j] = distances[j - 1]
            places[j] = places[j - 1]
            j -= 1
        distances[j] = d
        places[j] = i
        n = min(n + 1, K)
    return n


@njit(nogil=True, cache=True)
def add_shares(places, counts, ballots, weights, votes, share):
    """Add weights[k - 1] times the shares of the k nearest rows, for every k; of the last place votes a part."""
    K, C = weights.shape[0], votes.shape[0]
    votes[:] = f32(0)
    reached = 0
    for i in places:
        for k in range(reached + 1, min(reached + counts[i], K) + 1):
            if weights[k - 1] > 0:
                part, total = f32((k - reached) / counts[i]), f32(0)
                for c in range(C):
                    total += votes[c] + part * ballots[i, c]
                for c in range(C):
                    share[c] += weights[k - 1] * (votes[c] + part * ballots[i, c]) / total
        for c in range(C):
            votes[c] += ballots[i, c]
        reached += counts[i]
        if reached >= K:
            break


@njit(nogil=True, cache=True)
def add_all_shares(Z, Q, candidates, counts, ballots, weights, out):
    """Add to out (n, C) what the queries Q (n, p) get; candidates (n, S) are rows of Z (M, p)."""
    K = weights.shape[0]
    distances, places = np.empty(K, f32), np.empty(K, np.int64)
    votes = np.empty(out.shape[1], f32)
    for q in range(Q.shape[0]):
        n = nearest(Z, Q[q], candidates[q], distances, places)
        add_shares(places[:n], counts, ballots, weights, votes, out[q])
