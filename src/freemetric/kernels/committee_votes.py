"""Shares of the classes among the nearest, for many queries: one pass, nothing stored between.

A candidate is a place with ``counts`` rows, whose ``ballots`` are the weights of their classes.
"""

import numpy as np

from .compiling import njit
from .exp2 import SUMS
from .nearest import nearest_of, room_for

f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def distances(Z, query, candidates, out):
    for s in range(candidates.shape[0]):
        i, total = candidates[s], f32(0)
        for k in range(query.shape[0]):
            total += (Z[i, k] - query[k]) * (Z[i, k] - query[k])
        out[s] = total


@njit(nogil=True, cache=True)
def nearest_places(Z, query, candidates, K, apart, room):
    """Distances and places of the K nearest candidates, nearest first; of all where they are fewer."""
    distances(Z, query, candidates, apart)
    near, numbers = nearest_of(apart, K, room)
    for k in range(len(numbers)):
        numbers[k] = candidates[numbers[k]]
    return near, numbers


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
    """Add to out (n, C) what the queries Q (R, n, p) get in all spaces; candidates (n, S) are rows of Z (R, M, p)."""
    K, S = weights.shape[0], candidates.shape[1]
    apart, room = np.empty(S, f32), room_for(S)
    votes = np.empty(out.shape[1], f32)
    for r in range(Z.shape[0]):
        for q in range(Q.shape[1]):
            places = nearest_places(Z[r], Q[r, q], candidates[q], K, apart, room)[1]
            add_shares(places, counts, ballots, weights, votes, out[q])


@njit(nogil=True, cache=True)
def add_left_out_shares(nearest, place, own, counts, ballots, numbers, out):
    """Add to out[numbers] (n, K, C) the shares of the k nearest rows for all k, where each query leaves out a row.

    ``nearest`` (n, J) are places in order of their distance, enough for K other rows where there are so many; the row
    that a query leaves out lies at ``place`` (n,) and votes ``own`` (n, C).
    """
    K, C = out.shape[1], out.shape[2]
    votes, there = np.empty(C, f32), np.empty(C, f32)
    for q in range(nearest.shape[0]):
        share = out[numbers[q]]
        votes[:] = f32(0)
        reached = 0
        for i in nearest[q]:
            is_own = i == place[q]
            n = counts[i] - is_own
            if n <= 0:
                continue
            for c in range(C):
                there[c] = ballots[i, c] - own[q, c] * is_own
            for k in range(reached + 1, min(reached + n, K) + 1):
                part, total = f32((k - reached) / n), f32(0)
                for c in range(C):
                    total += votes[c] + part * there[c]
                for c in range(C):
                    share[k - 1, c] += (votes[c] + part * there[c]) / total
            votes += there
            reached += n
            if reached >= K:
                break
        for k in range(reached, K):  # all there are
            for c in range(C):
                share[k, c] += votes[c] / votes.sum()
