"""Shares of the votes of the nearest, for many queries: one pass, nothing stored between."""

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS
from .nearest import FARTHEST, GROUP, rank, take
from .rows import LANES, products, squared_distances

NOBODY = -1  # where there are fewer places than wanted
f32 = np.float32


@njit(nogil=True, cache=True)
def distances_in_spaces(Z, Q, candidates, first, out):
    """Write to out (R, n, S) the squared distances of queries Q (R, N, p) from ``first`` on to rows of Z (R, M, p).

    Candidates (n, S), or (1, S) for all queries, are these rows; the numbers of a row are filled up.
    """
    for r in range(out.shape[0]):
        own, others = Q[r], Z[r]
        for q in range(out.shape[1]):
            squared_distances(own, first + q, others, candidates, q % candidates.shape[0], out[r, q])  # type: ignore[call-arg]


@njit(fastmath=SUMS, nogil=True, cache=True)
def distances_in_diagonal_spaces(Z, Q, squares, candidates, squared, out):
    """The same for queries Q (n, d) and rows Z (M, d), where squares (R, d) weigh the squared differences of features.

    A query reads its candidates once: what they differ by in every feature, in the room ``squared`` (S, d), serves all
    spaces. Counts are unsigned, see ``nearest.take``.
    """
    for q in range(Q.shape[0]):
        for s in range(np.uint32(squared.shape[0])):
            i = np.uint32(candidates[q % candidates.shape[0], s])
            for k in range(np.uint32(squared.shape[1])):
                squared[s, k] = (Z[i, k] - Q[q, k]) ** 2
        for r in range(squares.shape[0]):
            products(squares, r, squared, out[r, q])  # type: ignore[call-arg]


@njit(nogil=True, cache=True)
def write_nearest(apart, candidates, rooms, first, near, places):
    """Write to near and places (n, R, K), from the space ``first`` on, the distances and places nearest to n queries.

    They are apart (R, n, S) from their candidates. The nearest come first.
    """
    (found, rows, ranks, least, _, _), K = rooms, places.shape[2]
    for r in range(apart.shape[0]):
        for q in range(apart.shape[1]):
            n = take(apart[r, q], K, FARTHEST, found, rows, np.int64(0), least)[1]
            rank(found, rows, n, ranks)
            for j in range(n):
                k, place = ranks[j], candidates[q % candidates.shape[0], rows[j]]
                if k < K:
                    near[q, first + r, k], places[q, first + r, k] = found[j], place


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_shares(apart, candidates, places, weights, rooms, out):
    """Add to out (n, C) the shares of votes of the nearest of queries that are apart (R, n, S) from their candidates.

    Votes are those of ``count_shares``, with the same weights (K,) in all spaces. Without counts every place is one
    row with one vote, and the last room says what a vote adds at every rank.
    """
    (found, rows, ranks, least, order, of_vote), K = rooms, weights.shape[0]
    for r in range(apart.shape[0]):
        for q in range(apart.shape[1]):
            row, n = q % candidates.shape[0], take(apart[r, q], K, FARTHEST, found, rows, np.int64(0), least)[1]
            rank(found, rows, n, ranks)
            for j in range(np.uint32(n)):
                if ranks[j] >= K:
                    continue
                place, k = np.uint32(candidates[row, rows[j]]), np.uint32(ranks[j])
                order[k] = place
                if len(places[0]) == 0:
                    for c in range(np.uint32(out.shape[1])):
                        out[q, c] += of_vote[k] * places[1][place, c]
            if len(places[0]) > 0:
                add_votes(order, places, weights, of_vote, out, q)


def rooms_for(S: int, weights: NDArray[np.float32]) -> tuple[NDArray, ...]:
    """Room for the nearest of S candidates: distances, rows, ranks, groups of them, and places in their order.

    The last is what a vote adds at every rank where each place has one: shares of k rows are their votes by k.
    """
    K, (found, (rows, ranks)) = len(weights), (np.empty(S + LANES, f32), np.empty((2, S + LANES), np.int32))
    of_vote = np.zeros(K + 1, f32)
    parts = (weights / np.arange(1, K + 1, dtype=f32))[:S]
    of_vote[: len(parts)] = np.cumsum(parts[::-1])[::-1]
    return found, rows, ranks, np.empty(S // GROUP, f32), np.full(K, NOBODY, np.int32), of_vote


@njit(nogil=True, cache=True)
def count_shares(nearest, places, weights, out):
    """Add to out (n, C) the shares of votes of the nearest places (n, R, K), weighted by weights (R, K).

    weights[r, k - 1] is that of the k nearest rows; of the last place votes a part.
    """
    n, R, K = nearest.shape
    of_vote = np.empty(K + 1, f32)
    for q in range(n):
        for r in range(R):
            add_votes(nearest[q, r], places, weights[r], of_vote, out, q)


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_votes(order, places, weights, of_vote, out, q):
    """Add to out[q] the shares of votes of places in their order (K,), weighted by weights (K,); room for K + 1.

    The shares of the k nearest rows are their votes by the total of these, so what a vote adds is a sum over k.
    """
    (counts, votes_there), K, one = places, np.uint32(weights.shape[0]), np.uint32(1)
    total, reached, n = f32(0), np.uint32(0), np.uint32(0)
    while n < np.uint32(order.shape[0]) and reached < K and order[n] != NOBODY:
        i, there = np.uint32(order[n]), f32(0)
        rows = np.uint32(counts[i])
        for c in range(np.uint32(out.shape[1])):
            there += votes_there[i, c]
        for k in range(reached, min(reached + rows, K)):
            of_vote[k] = total + there * f32(k + one - reached) / f32(rows)
        total, reached, n = total + there, reached + rows, n + one
    last, rest = min(reached, K), f32(0)
    for k in range(last):
        of_vote[k] = weights[k] / of_vote[k]
    for k in range(last):
        rest += of_vote[last - one - k]
        of_vote[last - one - k] = rest
    reached = np.uint32(0)
    for j in range(n):
        i, part = np.uint32(order[j]), f32(0)
        rows = np.uint32(counts[i])
        for k in range(reached, min(reached + rows, K)):
            part += of_vote[k] / f32(rows)
        for c in range(np.uint32(out.shape[1])):
            out[q, c] += part * votes_there[i, c]
        reached += rows


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
