"""Shares of the votes of the nearest, for many queries: one pass, nothing stored between."""

import numpy as np

from .compiling import njit
from .exp2 import SUMS
from .nearest import FARTHEST, GROUP, rank, take
from .rows import LANES, squared_distances

NOBODY = -1  # where there are fewer places than wanted
f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def nearest_in_space(Z, Q, candidates, r, near, places):
    """Write to near and places (n, R, K) at space r the distances and places nearest to Q (n, p), nearest first.

    Candidates (n, S), or (1, S) for all queries, are rows of Z (M, p); rows are filled up.
    """
    S = candidates.shape[1]
    apart, rooms = np.empty(S, f32), room_for(S, near[0, 0])
    for q in range(Q.shape[0]):
        squared_distances(Q, q, Z, candidates, q % candidates.shape[0], apart)  # type: ignore[call-arg]
        write_nearest(apart, candidates, rooms, q, near[q, r], places[q, r])


@njit(fastmath=SUMS, nogil=True, cache=True)
def nearest_in_diagonal_spaces(Z, Q, squares, candidates, first, near, places):
    """The same for the spaces from ``first`` on that weigh squared differences of features by squares (R, d).

    A query reads its candidates once: what they differ by in every feature, candidate beside candidate, serves all
    spaces.
    """
    S = candidates.shape[1]
    apart, rooms, squared = np.empty(S, f32), room_for(S, near[0, 0]), np.empty((Z.shape[1], S), f32)
    for q in range(Q.shape[0]):
        square_differences(Z, Q, candidates, q, squared)
        for r in range(squares.shape[0]):
            weigh(squared, squares, r, apart)
            write_nearest(apart, candidates, rooms, q, near[q, first + r], places[q, first + r])


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_shares(Z, Q, candidates, places, weights, out):
    """Add to out (n, C) the shares of votes that queries Q (R, n, p) get from the nearest of Z (R, M, p) in all spaces.

    Candidates are as for ``nearest_in_space``, votes as for ``count_shares`` with the same weights (K,) in all spaces.
    Without counts every place is one row with one vote.
    """
    apart, rooms = np.empty(candidates.shape[1], f32), room_for(candidates.shape[1], weights)
    for r in range(Z.shape[0]):
        own, others = Q[r], Z[r]
        for q in range(own.shape[0]):
            squared_distances(own, q, others, candidates, q % candidates.shape[0], apart)  # type: ignore[call-arg]
            add_nearest(apart, candidates, places, weights, rooms, out, q)


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_diagonal_shares(Z, Q, squares, candidates, places, weights, out):
    """The same for queries Q (n, d), see ``nearest_in_diagonal_spaces``."""
    S = candidates.shape[1]
    apart, rooms, squared = np.empty(S, f32), room_for(S, weights), np.empty((Z.shape[1], S), f32)
    for q in range(Q.shape[0]):
        square_differences(Z, Q, candidates, q, squared)
        for r in range(squares.shape[0]):
            weigh(squared, squares, r, apart)
            add_nearest(apart, candidates, places, weights, rooms, out, q)


@njit(fastmath=SUMS, nogil=True, cache=True)
def square_differences(Z, Q, candidates, q, squared):
    """Write to squared (d, S) how far the candidates of a query are from it in every feature."""
    row, d = q % candidates.shape[0], np.uint32(Z.shape[1])
    for s in range(np.uint32(candidates.shape[1])):
        i = np.uint32(candidates[row, s])
        for k in range(d):
            squared[k, s] = (Z[i, k] - Q[q, k]) ** 2


@njit(fastmath=SUMS, nogil=True, cache=True)
def weigh(squared, squares, r, apart):
    """Write to apart (S,) the sums of squared (d, S), weighted by squares[r]; counts are unsigned as in ``take``."""
    d, S, four = np.uint32(squared.shape[0]), np.uint32(apart.shape[0]), np.uint32(4)
    apart[:] = f32(0)
    for k in range(np.uint32(0), d - d % four, four):
        w0, w1, w2, w3 = squares[r, k], squares[r, k + 1], squares[r, k + 2], squares[r, k + 3]
        x0, x1, x2, x3 = squared[k], squared[k + 1], squared[k + 2], squared[k + 3]
        for s in range(S):
            apart[s] += (w0 * x0[s] + w1 * x1[s]) + (w2 * x2[s] + w3 * x3[s])
    for k in range(d - d % four, d):
        w0, x0 = squares[r, k], squared[k]
        for s in range(S):
            apart[s] += w0 * x0[s]


@njit(nogil=True, cache=True)
def room_for(S, weights):
    """Room for the nearest of S candidates: distances, rows, ranks, groups of them, and places in their order.

    The last is what a vote adds at every place of this order where each of them has one.
    """
    found, rows, ranks = np.empty(S + LANES, f32), np.empty(S + LANES, np.int32), np.empty(S + LANES, np.int32)
    K = weights.shape[0]
    of_vote = np.zeros(K + 1, f32)
    for k in range(min(K, S) - 1, -1, -1):
        of_vote[k] = of_vote[k + 1] + weights[k] / f32(k + 1)
    return found, rows, ranks, np.empty(S // GROUP, f32), np.full(K, NOBODY, np.int32), of_vote


@njit(nogil=True, cache=True)
def write_nearest(apart, candidates, rooms, q, near, places):
    """Write to near and places (K,) the nearest of a query's candidates, which are so far apart (S,) from it."""
    (found, rows, ranks, least, _, _), K = rooms, places.shape[0]
    n = take(apart, K, FARTHEST, found, rows, np.int64(0), least)[1]
    rank(found, rows, n, ranks)
    for j in range(n):
        if ranks[j] < K:
            near[ranks[j]], places[ranks[j]] = found[j], candidates[q % candidates.shape[0], rows[j]]


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_nearest(apart, candidates, places, weights, rooms, out, q):
    """Add to out[q] the shares of votes of the nearest of its candidates, which are so far apart (S,) from it."""
    (found, rows, ranks, least, order, of_vote), K = rooms, weights.shape[0]
    n, row = take(apart, K, FARTHEST, found, rows, np.int64(0), least)[1], q % candidates.shape[0]
    rank(found, rows, n, ranks)
    if len(places[0]) == 0:
        for j in range(np.uint32(n)):
            if ranks[j] < K:
                i, part = np.uint32(candidates[row, rows[j]]), of_vote[np.uint32(ranks[j])]
                for c in range(np.uint32(out.shape[1])):
                    out[q, c] += part * places[1][i, c]
        return
    for j in range(n):
        if ranks[j] < K:
            order[ranks[j]] = candidates[row, rows[j]]
    add_votes(order, places, weights, of_vote, out, q)


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

    The shares of the k nearest rows are their votes by the total of these, so a vote adds a sum over k, whoever it is
    for.
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
