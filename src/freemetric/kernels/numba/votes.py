"""Shares of the votes of the nearest, for many queries: one pass, nothing stored between."""

import numpy as np

from .compiling import njit
from .exp2 import SUMS
from .nearest import FARTHEST, GROUP, sort_nearest, take
from .rows import squared_distances

NOBODY = -1  # where there are fewer places than wanted
f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def nearest_in_space(Z, Q, candidates, r, near, places):
    """Write to near and places (n, R, K) at space r the distances and places nearest to Q (n, p), nearest first.

    Candidates (n, S), or (1, S) for all queries, are rows of Z (M, p); rows are filled up.
    """
    S, K, nothing = candidates.shape[1], places.shape[2], np.int64(0)
    apart, found, rows = np.empty(S, f32), np.empty(S + 1, f32), np.empty(S + 1, np.int32)
    least = np.empty(S // GROUP, f32)
    for q in range(Q.shape[0]):
        row = q % candidates.shape[0]
        squared_distances(Q, q, Z, candidates, row, apart)  # type: ignore[call-arg]
        n = take(apart, K, FARTHEST, found, rows, nothing, least)[1]
        sort_nearest(found, rows, n, min(K, n))
        for k in range(min(K, n)):
            near[q, r, k], places[q, r, k] = found[k], candidates[row, rows[k]]


@njit(nogil=True, cache=True)
def count_shares(nearest, places, weights, out):
    """Add to out (n, C) the shares of votes of the nearest places (n, R, K), weighted by weights (R, K).

    weights[r, k - 1] is that of the k nearest rows; of the last place votes a part.
    """
    (counts, votes_there), (n, R, K), C = places, nearest.shape, out.shape[1]
    votes = np.empty(C, f32)
    for q in range(n):
        for r in range(R):
            votes[:] = f32(0)
            reached = 0
            for place in range(K):
                i = nearest[q, r, place]
                if i == NOBODY or reached >= K:
                    break
                for k in range(reached + 1, min(reached + counts[i], K) + 1):
                    if weights[r, k - 1] > 0:
                        part, total = f32((k - reached) / counts[i]), f32(0)
                        for c in range(C):
                            total += votes[c] + part * votes_there[i, c]
                        for c in range(C):
                            out[q, c] += weights[r, k - 1] * (votes[c] + part * votes_there[i, c]) / total
                for c in range(C):
                    votes[c] += votes_there[i, c]
                reached += counts[i]


@njit(nogil=True, cache=True)
def add_left_out_shares(nearest, place, own, places, numbers, out):
    """Add to out[numbers] (n, K, C) the shares of the k nearest rows for all k, where each query leaves out a row.

    ``nearest`` (n, J) are places in order of their distance, enough for K other rows where there are so many; the row
    that a query leaves out lies at ``place`` (n,) and votes ``own`` (n, C).
    """
    (counts, votes_there), K, C = places, out.shape[1], out.shape[2]
    votes, there = np.empty(C, f32), np.empty(C, f32)
    for q in range(nearest.shape[0]):
        row, reached = numbers[q], 0
        votes[:] = f32(0)
        for j in range(nearest.shape[1]):
            i = nearest[q, j]
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
                    out[row, k - 1, c] += (votes[c] + part * there[c]) / total
            for c in range(C):
                votes[c] += there[c]
            reached += n
            if reached >= K:
                break
        total = f32(0)
        for c in range(C):
            total += votes[c]
        for k in range(reached, K):  # all there are
            for c in range(C):
                out[row, k, c] += votes[c] / total


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
