"""Shares of the votes of the nearest, for many queries: one pass, nothing stored between."""

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
def add_shares(nearest, places, weights, votes, share):
    """Add weights[k - 1] times the shares of the k nearest rows, for every k; of the last place votes a part."""
    (counts, votes_there), K, C = places, weights.shape[0], votes.shape[0]
    votes[:] = f32(0)
    reached = 0
    for i in nearest:
        for k in range(reached + 1, min(reached + counts[i], K) + 1):
            if weights[k - 1] > 0:
                part, total = f32((k - reached) / counts[i]), f32(0)
                for c in range(C):
                    total += votes[c] + part * votes_there[i, c]
                for c in range(C):
                    share[c] += weights[k - 1] * (votes[c] + part * votes_there[i, c]) / total
        for c in range(C):
            votes[c] += votes_there[i, c]
        reached += counts[i]
        if reached >= K:
            break


@njit(nogil=True, cache=True)
def add_all_shares(Z, Q, candidates, places, weights, out):
    """Add to out (n, C) what the queries Q (R, n, p) get in all spaces; candidates (n, S) are rows of Z (R, M, p)."""
    K, S = weights.shape[0], candidates.shape[1]
    apart, room = np.empty(S, f32), room_for(S)
    votes = np.empty(out.shape[1], f32)
    for r in range(Z.shape[0]):
        for q in range(Q.shape[1]):
            nearest = nearest_places(Z[r], Q[r, q], candidates[q], K, apart, room)[1]
            add_shares(nearest, places, weights, votes, out[q])


@njit(nogil=True, cache=True)
def add_left_out_shares(nearest, place, own, places, numbers, out):
    """Add to out[numbers] (n, K, C) the shares of the k nearest rows for all k, where each query leaves out a row.

    ``nearest`` (n, J) are places in order of their distance, enough for K other rows where there are so many; the row
    that a query leaves out lies at ``place`` (n,) and votes ``own`` (n, C).
    """
    (counts, votes_there), K, C = places, out.shape[1], out.shape[2]
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
                there[c] = votes_there[i, c] - own[q, c] * is_own
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


NOBODY = -1  # where there are fewer places than asked for


@njit(nogil=True, cache=True)
def nearest_in_space(Z, Q, candidates, r, distances, places):
    """Write to distances and places (n, R, K) at space r the places nearest to queries Q (n, p), nearest first.

    Candidates (n, S), or (1, S) for all queries, are rows of Z (M, p).
    """
    S, K = candidates.shape[1], places.shape[2]
    apart, room = np.empty(S, f32), room_for(S)
    for q in range(Q.shape[0]):
        near, found = nearest_places(Z, Q[q], candidates[q % len(candidates)], K, apart, room)
        distances[q, r, : len(near)], places[q, r, : len(near)] = near, found


@njit(nogil=True, cache=True)
def merge(first, second, ranks, out):
    """Write the nearest of both (n, R, K), in order of distance and then rank; a place that both have counts once."""
    (near, places), (other_near, other_places), (out_near, out_places) = first, second, out
    n, R, K = places.shape
    for q in range(n):
        for r in range(R):
            a, b, k = 0, 0, 0
            while k < K:
                i = places[q, r, a] if a < K else NOBODY
                j = other_places[q, r, b] if b < K else NOBODY
                if i == NOBODY and j == NOBODY:
                    break
                is_first = j == NOBODY
                if i != NOBODY and j != NOBODY:
                    d, e = near[q, r, a], other_near[q, r, b]
                    is_first = d < e or (d == e and ranks[i] <= ranks[j])
                place, distance = (i, near[q, r, a]) if is_first else (j, other_near[q, r, b])
                a, b = a + is_first, b + (not is_first)
                is_new = True
                for seen in out_places[q, r, :k]:
                    is_new &= seen != place
                if is_new:
                    out_near[q, r, k], out_places[q, r, k] = distance, place
                    k += 1


@njit(nogil=True, cache=True)
def count_shares(nearest, places, weights, out):
    """Add to out (n, C) the shares of votes of the nearest places (n, R, K), weighted by weights (R, K)."""
    n, R, K = nearest.shape
    votes = np.empty(out.shape[1], f32)
    for q in range(n):
        for r in range(R):
            known = 0
            while known < K and nearest[q, r, known] != NOBODY:
                known += 1
            add_shares(nearest[q, r, :known], places, weights[r], votes, out[q])
