"""Votes that are counted where the voters live: the nearest places of some voters, merged with those of others."""

import numpy as np

from .committee_votes import add_shares, nearest_places
from .compiling import njit
from .nearest import room_for

f32 = np.float32
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
def merge(near, places, other_near, other_places, ranks, out_near, out_places):
    """Write the nearest of both (n, R, K), in order of distance and then rank; a place that both have counts once."""
    n, R, K = places.shape
    for q in range(n):
        for r in range(R):
            a, b, k = 0, 0, 0
            while k < K:
                i = places[q, r, a] if a < K else NOBODY
                j = other_places[q, r, b] if b < K else NOBODY
                if i == NOBODY and j == NOBODY:
                    break
                first = j == NOBODY
                if i != NOBODY and j != NOBODY:
                    d, e = near[q, r, a], other_near[q, r, b]
                    first = d < e or (d == e and ranks[i] <= ranks[j])
                place, distance = (i, near[q, r, a]) if first else (j, other_near[q, r, b])
                a, b = a + first, b + (not first)
                is_new = True
                for seen in out_places[q, r, :k]:
                    is_new &= seen != place
                if is_new:
                    out_near[q, r, k], out_places[q, r, k] = distance, place
                    k += 1


@njit(nogil=True, cache=True)
def count_shares(places, counts, ballots, weights, out):
    """Add to out (n, C) the shares of votes of the nearest places (n, R, K), weighted by weights (R, K)."""
    n, R, K = places.shape
    votes = np.empty(out.shape[1], f32)
    for q in range(n):
        for r in range(R):
            known = 0
            while known < K and places[q, r, known] != NOBODY:
                known += 1
            add_shares(places[q, r, :known], counts, ballots, weights[r], votes, out[q])
