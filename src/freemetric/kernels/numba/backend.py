"""The CPU kernels: compiled once per machine, serial, without the interpreter's lock."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cho_solve, lapack
from sklearn.neighbors import NearestNeighbors as TreeSearch

from ...forking import effective_n_threads
from ..protocol import Loss, Places, Trials
from . import element_trials, listed_neighbors, losses, soft_means, soft_neighbors
from .element_panels import LANE
from .large_margin import Margin, farthest_move, kept_loss, reaches, searched_loss, triplet_loss  # noqa: F401
from .learner_loops import DualAverage, descend, logdet_cycle, mean_hinge  # noqa: F401
from .losses import quantile_place, write_levels  # noqa: F401
from .nearest import (
    Cells,  # noqa: F401 - part of the backend, like all that is not used here
    as_places,
    as_queries,
    filled_up,
    least_of,
    nearest,
    others_nearest,
    wide,
)
from .soft_neighbors import log_partition  # noqa: F401
from .trees import add_leaves, grow_tree  # noqa: F401
from .votes import (
    NOBODY,
    add_left_out_shares,  # noqa: F401
    add_shares,
    count_shares,
    distances_in_diagonal_spaces,
    distances_in_spaces,
    merge,  # noqa: F401
    parts_of_votes,
)

KEPT_BYTES = 32 << 20  # pairs a gradient keeps in memory, up to about 4,000 samples; computed twice beyond
FEW_QUERIES = 64  # for which it does not pay to wake threads
PAIRS = 1 << 18  # of queries and candidates in all spaces at a time, whose distances stay in the cache
QUERIES, SPACES = 512, 4  # with so many queries, so few spaces at a time: their rows stay in the cache, too
FEW_COORDINATES, MANY_PLACES = 4, 20_000  # where a tree is faster than comparing everything with everything
STORED_BYTES = 256 << 20  # pairs a sweep keeps, up to about 8,000 samples; computed anew in every trial beyond


def cache_folder() -> str | None:
    """Where compiled functions are kept; None where no folder can be written to."""
    return getattr(getattr(add_shares, "_cache", None), "cache_path", None)


class Data(NamedTuple):
    """Samples of classes, or where there are targets y of such that are alike."""

    X: np.ndarray  # (B, N, d) float32, centred: distances do not change and float32 keeps more of them
    weights: np.ndarray  # (B, N) float32, mean one
    log_floor: Any  # np.float32
    begin: np.ndarray  # (N,) first sample of each sample's class
    end: np.ndarray  # (N,) one past the last
    y: np.ndarray | None = None  # (B, N) float32

    def same(self, rows: NDArray, b: NDArray) -> NDArray:
        if self.y is None:
            return (self.begin[:, None] <= rows) & (rows < self.end[:, None])
        return np.exp(-((self.y[b][:, :, None] - _listed(self.y[b], rows)) ** 2))

    def costs(self, lists: "Lists") -> listed_neighbors.Costs:
        return listed_neighbors.chance_costs(self.weights, lists.rows, lists.same, lists.heavy, self.log_floor)

    def evaluate(self, b: int, A: NDArray, gradient: NDArray) -> float:
        parameters = self.X[b], self.weights[b], (self.begin, self.end), self.log_floor, KEPT_BYTES
        return soft_neighbors.energy_and_gradient(A, gradient, *parameters)


class Targets(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred
    weights: np.ndarray  # (B, N) float32, mean one
    t: np.ndarray  # (B, N, n) float32: one, y and, where the loss needs it, y^2
    y: np.ndarray  # (B, m, N) of mean zero and variance one
    scale: np.ndarray  # (B, m)
    kind: int  # of loss
    quantile: float

    def of(self, b: int) -> tuple:
        """What ``soft_means`` and ``listed_neighbors`` want to know about the targets of a data set."""
        return self.t[b], self.y[b], self.scale[b], self.kind, self.quantile

    def costs(self, lists: "Lists") -> listed_neighbors.Costs:
        return listed_neighbors.mean_costs(self.weights, lists.rows, lists.heavy, self.of)

    def evaluate(self, b: int, A: NDArray, gradient: NDArray) -> float:
        return soft_means.energy_and_gradient(A, gradient, self.X[b], self.weights[b], self.of(b), KEPT_BYTES)


def prepare(
    X: NDArray, bounds: NDArray, device: str = "cpu", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    begin, end = (np.repeat(ends, np.diff(bounds)) for ends in (bounds[:-1], bounds[1:]))
    X, weights = _samples(X, weights)
    return Data(X, weights, np.float32(log_floor), begin, end)


def prepare_alike(
    X: NDArray, y: NDArray, device: str = "cpu", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    (X, weights), nothing = _samples(X, weights), np.empty(0, dtype=np.int64)
    return Data(X, weights, np.float32(log_floor), nothing, nothing, np.ascontiguousarray(y, dtype=np.float32))


def prepare_targets(
    X: NDArray, y: NDArray, scale: NDArray, loss: Loss, device: str = "cpu", weights: NDArray | None = None
) -> Targets:
    y, scale = np.ascontiguousarray(y, dtype=np.float64), np.ascontiguousarray(scale, dtype=np.float64)
    t = np.ascontiguousarray(losses.columns(loss.name, y), dtype=np.float32)
    X, weights = _samples(X, weights)
    return Targets(X, weights, t, y, scale, losses.KINDS[loss.name], loss.quantile)


def _samples(X, weights):
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(X.shape[:2]) if weights is None else weights / np.mean(weights, axis=1, keepdims=True)
    centred = np.ascontiguousarray(X - X.mean(axis=1, keepdims=True), dtype=np.float32)
    return centred, np.ascontiguousarray(weights, dtype=np.float32)


class Lists(NamedTuple):
    rows: np.ndarray  # (R, N, L) int32, the neighbours of every sample
    same: np.ndarray  # (R, N, L) float32, whether they share its class, or how far they are alike; (R, 0, 0): unknown
    heavy: np.ndarray  # (R, N, L) float32, their weights
    X: np.ndarray  # (B, N, d') the samples, with columns of zeros as the kernel wants them


def neighbor_lists(
    data: Data | Targets, A: NDArray, size: int, diagonal: bool = False, last: tuple[NDArray, Lists] | None = None
) -> Lists:
    B, N, _ = data.X.shape
    if last is None or last[0].shape != A.shape:
        X = filled_up(data.X)
        rows = np.empty((len(A), N, size), dtype=np.int32)
        known = (len(A), 0, 0) if isinstance(data, Targets) else rows.shape
        lists = Lists(rows, np.empty(known, dtype=np.float32), np.empty(rows.shape, dtype=np.float32), X)
        changed = np.arange(len(A))
    else:
        old = last[1]
        lists = Lists(old.rows.copy(), old.same.copy(), old.heavy.copy(), old.X)
        changed = np.flatnonzero((last[0] != A).any(axis=(1, 2)))
    n = max(1, listed_neighbors.SAMPLES_AT_A_TIME // N)
    for start in range(0, len(changed), n):
        some = changed[start : start + n]
        Z = listed_neighbors.images(lists.X[some % B], np.asarray(A[some], dtype=np.float32), diagonal)
        lists.rows[some] = rows = others_nearest(Z, size)
        lists.heavy[some] = _listed(data.weights[some % B], rows)
        if isinstance(data, Data):
            lists.same[some] = data.same(rows, some % B)
    return lists


def _listed(values, rows):
    """Values (n, N) of the samples on lists (n, N, L)."""
    return values[np.arange(len(rows))[:, None, None], rows]


def energy(data: Data | Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False) -> NDArray:
    return _evaluate(data, A, lists, diagonal, False)[0]


def energy_and_gradient(
    data: Data | Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    values, gradient = _evaluate(data, A, lists, diagonal, True)
    return values, gradient.astype(np.float64)


def _evaluate(data, A, lists, diagonal, with_gradient):
    """Energies (R,), and gradients in single precision where these are wanted."""
    if lists is not None:
        maps = np.ascontiguousarray(A, dtype=np.float32)
        return listed_neighbors.evaluate(maps, lists.X, diagonal, data.costs(lists), with_gradient)
    maps = np.ascontiguousarray(A * np.eye(A.shape[2]) if diagonal else A, dtype=np.float32)
    gradient = np.empty_like(maps) if with_gradient else np.empty((len(A), 0, 0), dtype=np.float32)
    values = np.array([data.evaluate(r % len(data.X), maps[r], gradient[r]) for r in range(len(A))])
    return values, np.diagonal(gradient, axis1=1, axis2=2)[:, None] if diagonal else gradient


def element_sweep(
    data: Data | Targets, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    B, N, _ = data.X.shape
    if isinstance(data, Targets):
        heavy = np.zeros((B, data.t.shape[2], -(-N // LANE) * LANE), dtype=np.float32)
        heavy[:, :, :N] = (data.weights[:, :, None] * data.t).swapaxes(1, 2)
        targets = [(heavy[b], *data.of(b)[1:]) for b in range(B)]
        begin, end = np.zeros(N, dtype=np.int64), np.full(N, N)
    else:
        targets = [(np.empty((0, 0), dtype=np.float32), np.empty((0, 0)), np.empty(0), 0, 0.5)] * B
        begin, end = data.begin, data.end
    A, accepted = np.array(A, dtype=np.float64, order="C"), np.zeros(trials[0].shape, dtype=bool)
    values = np.empty(len(A))
    for r in range(len(A)):
        one = data.X[r % B], begin, end, data.weights[r % B], targets[r % B], A[r]
        moves = (of_all[r] for of_all in trials)
        values[r] = element_trials.sweep(*one, *moves, ridge, accepted[r], STORED_BYTES)
    return A, values, accepted


class NearestNeighbors:
    """Every query against every place, in tiles; by a tree where there are many places in very few dimensions."""

    def __init__(self, Z: NDArray, device: str = "cpu", n_jobs: int | None = None) -> None:
        self.n_jobs, self.tree = n_jobs, None
        if Z.shape[1] <= FEW_COORDINATES and len(Z) >= MANY_PLACES:
            self.tree = TreeSearch(algorithm="kd_tree").fit(Z)
        else:
            self.centre = Z.mean(axis=0)  # distances do not change and float32 keeps more of them
            self.places = as_places(Z - self.centre)

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        is_single = self.n_jobs == 1 or len(Q) <= FEW_QUERIES
        n_jobs = 1 if is_single else effective_n_threads(self.n_jobs)
        if self.tree is not None:
            self.tree.n_jobs = n_jobs
            return self.tree.kneighbors(Q, n_neighbors, return_distance=False)
        return nearest(as_queries(Q - self.centre), self.places, n_neighbors, n_jobs)


def neighbor_shares(
    Z: NDArray, Q: NDArray, candidates: NDArray, places: Places, weights: NDArray, device: str = "cpu"
) -> NDArray:
    return _shares(Z, Q, candidates, places, [len(Z)], [weights])


def diagonal_shares(
    Z: NDArray, Q: NDArray, squares: Sequence[NDArray], candidates: NDArray, places: Places, weights: Sequence[NDArray]
) -> NDArray:
    """Shares of votes (n, n_cells) as ``neighbor_shares`` gives them, for rows Z (M, d) and queries Q (n, d).

    The squared distances in spaces are sums of their ``squares`` (R, d) times squared differences. Spaces of different
    weights (K,) come together, each with its own.
    """
    return _shares(Z, Q, candidates, places, [len(some) for some in squares], weights, np.concatenate(squares))


def _shares(Z, Q, candidates, places, sizes, weights, squares=None):
    """Shares of votes in spaces of several kinds, so many of each, with weights (K,) of its own."""
    (counts, votes), S = places, candidates.shape[1]
    out = np.zeros((Q.shape[-2], votes.shape[1]), dtype=np.float32)
    one_each = len(counts) > 0 and counts.all() and np.array_equal(votes.sum(axis=1), counts)  # no row has more votes
    weights = [np.asarray(row, dtype=np.float32) for row in weights]
    kinds = [(end - n, end, row) for n, end, row in zip(sizes, np.cumsum(sizes).tolist(), weights, strict=True)]
    parts, room = [parts_of_votes(row[:S]) for row in weights], np.empty(S + 1, dtype=np.float32)
    for spaces, some, listed, apart in _distances(Z, Q, candidates, squares):
        for (start, end, row), part in zip(kinds, parts, strict=True):
            own, K = apart[max(0, start - spaces.start) : max(0, end - spaces.start)], len(part)
            if own.size and K:
                found = least_of(own.reshape(-1, S), K).reshape(*own.shape[:2], K)
                if not len(counts):
                    add_shares(found, listed, votes, part, room, out[some])
                elif one_each and len(row) == K:
                    _add_shares_of_copies(found, listed, places, part, out[some])
                else:
                    count_shares(found, listed, places, row[None], np.empty_like(row), out[some])
    return out


def shares_in_some(
    Z: NDArray,
    Q: NDArray,
    used: NDArray[np.bool_],
    candidates: NDArray,
    places: Places,
    weights: NDArray,
    squares: NDArray | None = None,
) -> NDArray[np.float32]:
    """Shares of votes (n, n_cells) as ``neighbor_shares`` gives them, or as ``diagonal_shares`` where there are
    squares; queries vote in the spaces they use (R, n)."""
    (counts, votes), S, K = places, candidates.shape[1], min(candidates.shape[1], len(weights))
    out, room = np.zeros((len(candidates), votes.shape[1]), np.float32), np.empty(max(S + 1, len(weights)), np.float32)
    for spaces, some, listed, apart in _distances(Z, Q, candidates, squares) if K else ():
        own = used[spaces, some]
        found = np.full((*own.shape, K), S, dtype=np.int32)
        found[own] = least_of(apart[own], K)
        if len(counts):
            with_nobody = np.insert(listed, S, NOBODY, axis=1)
            count_shares(found, with_nobody, places, weights[None], room[: len(weights)], out[some])
        else:
            add_shares(found, listed, votes, parts_of_votes(weights[:K]), room[: S + 1], out[some])
    return out


def _add_shares_of_copies(found, listed, places, of_vote, out):
    """``add_shares`` where several rows may lie at a place, with a vote each; nothing is compiled for it."""
    (_, n, K), S, (counts, votes) = found.shape, listed.shape[1], places
    counts, votes, numbers = counts[listed], votes[listed], found + S * np.arange(n)[:, None]
    reached = np.broadcast_to(counts, (n, S)).ravel()[numbers].cumsum(axis=2)
    added = np.append(0.0, of_vote.cumsum(dtype=np.float64))[np.minimum(reached, K)]
    part = np.bincount(numbers.ravel(), np.diff(added, axis=2, prepend=0.0).ravel(), n * S).reshape(n, S) / counts
    out += np.einsum("qs,qsc->qc", part, np.broadcast_to(votes, (n, *votes.shape[1:])))


def nearest_places(
    Z: NDArray,
    Q: NDArray,
    candidates: NDArray,
    out: tuple[NDArray, NDArray],
    first: int,
    squares: NDArray | None = None,
) -> None:
    """Write to out, from the space ``first`` on, the distances and places (n, R, K) nearest to queries.

    Rows and queries are those of ``diagonal_shares`` where there are squares, else those of ``neighbor_shares``.
    """
    K, S = min(candidates.shape[1], out[1].shape[2]), candidates.shape[1]
    near, places = (array[:, first:, :K].swapaxes(0, 1) for array in out)
    for spaces, some, listed, apart in _distances(Z, Q, candidates, squares):
        found = least_of(apart.reshape(-1, S), K).reshape(*apart.shape[:2], K)
        near[spaces, some] = np.take_along_axis(apart, found, axis=2)
        places[spaces, some] = np.take_along_axis(listed[None], found, axis=2)


def _distances(Z, Q, candidates, squares=None):
    """Some spaces, some queries, their candidates and their squared distances (R', n', S), which stay in the cache.

    The next distances overwrite them.
    """
    Z, Q = (V if V.shape[-1] == wide(V.shape[-1]) else filled_up(V) for V in (Z, Q))
    Z, Q = (np.ascontiguousarray(V, dtype=np.float32) for V in (Z, Q))
    same = candidates.strides[0] == 0  # for all queries
    candidates = np.ascontiguousarray(candidates[:1].copy() if same else candidates, dtype=np.int32)
    R, n = (len(Z), Q.shape[1]) if squares is None else (len(squares), len(Q))
    S = candidates.shape[1]
    if squares is not None:
        squares = np.ascontiguousarray(squares, dtype=np.float32)
        squared = np.empty((squares.shape[1], S), dtype=np.float32)
    n_spaces = min(R, max(1, PAIRS // S)) if squares is not None or n < QUERIES else SPACES
    n_queries = min(n, max(1, PAIRS // (n_spaces * S)))
    room = np.empty(n_spaces * n_queries * S, dtype=np.float32)  # once: new pages cost as much as the distances
    for r in range(0, R, n_spaces):
        for q in range(0, n, n_queries):
            spaces, some = slice(r, min(R, r + n_spaces)), slice(q, min(n, q + n_queries))
            listed = candidates[some] if len(candidates) > 1 else candidates
            shape = spaces.stop - r, some.stop - q, S
            apart = room[: math.prod(shape)].reshape(shape)
            if squares is None:
                distances_in_spaces(Z[spaces], Q[spaces], listed, q, apart)
            else:
                distances_in_diagonal_spaces(Z, Q[some], squares[spaces], listed, squared, apart)
            yield spaces, some, listed, apart


def weighted_squares(Q: NDArray, Z: NDArray, shares: NDArray, device: str = "cpu") -> NDArray[np.float32]:
    # one product for all spaces: nothing passes over (n, m) for each of them
    Q, Z, shares = (np.asarray(part, dtype=np.float32) for part in (Q, Z, shares))
    squares = np.tensordot(-2 * shares[:, :, None] * Q, Z, axes=((0, 2), (0, 2)))
    squares += shares.T @ np.einsum("rmp,rmp->rm", Z, Z)
    squares += np.einsum("rn,rnp,rnp->n", shares, Q, Q)[:, None]
    return np.maximum(squares, 0.0, out=squares)


FEW_ROWS = 1.5  # times fewer rows of an inverse are cheaper one by one
ROWS_OF_KERNEL = 64  # at a time, which stay in the cache


def ridge_regression(
    Z: NDArray, Y: NDArray, length: float, ridges: NDArray, some: NDArray, device: str = "cpu"
) -> tuple[NDArray, NDArray]:
    m, others = len(Z), np.delete(np.arange(len(Z)), some)
    order = np.concatenate([others, some])  # of an identity the last columns are solved without those before
    Z, K, own = Z[order], np.empty((m, m)), np.diag_indices(m)
    lengths = np.einsum("mq,mq->m", Z, Z)
    for start in range(0, m, ROWS_OF_KERNEL):  # lapack reads one triangle
        rows, before = slice(start, start + ROWS_OF_KERNEL), slice(start + ROWS_OF_KERNEL)
        part = (-2 * Z[rows]) @ Z[before].T
        part += lengths[rows, None]
        part += lengths[before]
        np.sqrt(np.maximum(part, 0.0, out=part), out=part)
        part /= -length
        np.exp(part, out=K[rows, before])
    K[own] = 1 + ridges[order]
    upper, _ = lapack.dpotrf(K.T, overwrite_a=True)  # of the transpose, which lapack need not copy
    coefficients, inverse = np.empty(Y.shape), np.empty((len(some), m))
    coefficients[order] = cho_solve((upper, False), Y[order], check_finite=False)
    if FEW_ROWS * len(some) > m:
        whole, _ = lapack.dpotri(upper, overwrite_c=True)  # its upper triangle; zeros below
        diagonal = whole[own]
        whole = whole + whole.T
        whole[own] = diagonal
        inverse[:, order] = whole[len(others) :]
    elif len(some):
        columns = np.zeros((m, len(some)), order="F")
        columns[len(others) :] = blas.dtrsm(1.0, upper[len(others) :, len(others) :], np.eye(len(some)), trans_a=1)
        inverse[:, order] = blas.dtrsm(1.0, upper, columns, overwrite_b=1).T
    return coefficients, inverse
