"""Shares of the votes of the nearest, for many queries: one pass, nothing stored between."""

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import SUMS
from .nearest import NOBODY
from .rows import squared_distances, weighted_sum

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


@njit(nogil=True, cache=True)
def distances_in_diagonal_spaces(Z, Q, squares, candidates, squared, out):
    """The same for queries Q (n, d) and rows Z (M, d), where squares (R, d) weigh the squared differences of features.

    A query reads its candidates once: what they differ by in every feature, in the room ``squared`` (d, S), serves all
    spaces. Counts are unsigned, see ``nearest.take``.
    """
    for q in range(Q.shape[0]):
        row = q % candidates.shape[0]
        for k in range(np.uint32(squared.shape[0])):
            for s in range(np.uint32(squared.shape[1])):
                apart = Z[np.uint32(candidates[row, s]), k] - Q[q, k]
                squared[k, s] = apart * apart
        for r in range(squares.shape[0]):
            weighted_sum(squares, r, squared, out[r, q])  # type: ignore[call-arg]


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_shares(nearest, candidates, votes_there, of_vote, part, out):
    """Add to out (n, C) the votes of places nearest to n queries, where every place is one row with one vote.

    ``nearest`` (R, n, K) are numbers among the candidates (n, S), or (1, S) for all queries, and S where nobody votes;
    a vote adds ``of_vote`` (K,) at every rank. What a candidate's vote adds in all spaces, in the room ``part``
    (S + 1,), comes first: votes are read once.
    """
    for q in range(nearest.shape[1]):
        row = q % candidates.shape[0]
        part[:] = f32(0)
        for r in range(nearest.shape[0]):
            for k in range(np.uint32(nearest.shape[2])):
                part[np.uint32(nearest[r, q, k])] += of_vote[k]
        for c in range(np.uint32(out.shape[1])):
            total = f32(0)
            for s in range(np.uint32(candidates.shape[1])):
                total += part[s] * votes_there[np.uint32(candidates[row, s]), c]
            out[q, c] += total


def parts_of_votes(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a vote adds at every rank (K,) where each place has one: shares of k rows are their votes by k."""
    parts = weights / np.arange(1, len(weights) + 1, dtype=f32)
    return np.ascontiguousarray(np.cumsum(parts[::-1])[::-1], dtype=f32)


@njit(nogil=True, cache=True)
def count_shares(nearest, candidates, places, weights, of_row, out):
    """Add to out (n, C) the shares of votes of places nearest to n queries in every space, weighted by weights (R, K).

    ``nearest`` (R, n, J), or (R, 1, J) for all queries, are numbers among candidates (n, S), or (1, S) for all;
    weights[r, k - 1] is that of the k nearest rows, and weights may be (1, K) for all spaces. Of the last place votes a
    part. The shares of k rows are their votes by the total of these, so what a row adds is a sum over k, for which
    there is the room ``of_row`` (K,).
    """
    (counts, votes_there), K = places, np.int64(weights.shape[1])
    for q in range(out.shape[0]):
        row, own = q % candidates.shape[0], q % nearest.shape[1]
        for r in range(nearest.shape[0]):
            kind, total, reached, n, rest = r % weights.shape[0], f32(0), np.int64(0), np.int64(0), f32(0)
            while n < nearest.shape[2] and reached < K:
                i, there = candidates[row, nearest[r, own, n]], f32(0)
                if i == NOBODY:
                    break
                for c in range(out.shape[1]):
                    there += votes_there[i, c]
                for k in range(reached, min(reached + counts[i], K)):
                    of_row[k] = weights[kind, k] / (total + there * f32(k + 1 - reached) / f32(counts[i]))
                total, reached, n = total + there, reached + counts[i], n + 1
            while n > 0:  # from the last place to the first
                n -= 1
                i, part = candidates[row, nearest[r, own, n]], f32(0)
                for k in range(min(reached, K) - 1, reached - counts[i] - 1, -1):
                    rest += of_row[k]
                    part += rest / f32(counts[i])  # not after the loop: of a place where nothing is left votes nobody
                reached -= counts[i]
                for c in range(out.shape[1]):
                    out[q, c] += part * votes_there[i, c]


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
