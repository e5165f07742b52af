"""The CPU kernels: compiled once per machine, serial, without the interpreter's lock."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack
from sklearn.neighbors import NearestNeighbors as TreeSearch

from ...forking import effective_n_threads
from ..protocol import SQUARED, Loss, Places, Trials
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
    nearest,
    others_nearest,
    wide,
)
from .soft_neighbors import log_partition  # noqa: F401
from .votes import (
    NOBODY,  # noqa: F401
    add_left_out_shares,  # noqa: F401
    add_shares,
    count_shares,  # noqa: F401
    distances_in_diagonal_spaces,
    distances_in_spaces,
    merge,  # noqa: F401
    rooms_for,
    write_nearest,
)

KEPT_BYTES = 32 << 20  # pairs a gradient keeps in memory, up to about 4,000 samples; computed twice beyond
FEW_QUERIES = 64  # for which it does not pay to wake threads
PAIRS = 1 << 18  # of queries and candidates in all spaces at a time, whose distances stay in the cache
FEW_COORDINATES, MANY_PLACES = 4, 20_000  # where a tree is faster than comparing everything with everything
STORED_BYTES = 256 << 20  # pairs a sweep keeps, up to about 8,000 samples; computed anew in every trial beyond


def cache_folder() -> str | None:
    """Where compiled functions are kept; None where no folder can be written to."""
    return getattr(getattr(add_shares, "_cache", None), "cache_path", None)


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred: distances do not change and float32 keeps more of them
    begin: np.ndarray  # (N,) first sample of each sample's class
    end: np.ndarray  # (N,) one past the last
    weights: np.ndarray  # (B, N) float32, mean one

    def same(self, rows: NDArray, b: NDArray) -> NDArray:
        return (self.begin[:, None] <= rows) & (rows < self.end[:, None])


class Alike(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred
    y: np.ndarray  # (B, N) float32
    weights: np.ndarray  # (B, N) float32, mean one

    def same(self, rows: NDArray, b: NDArray) -> NDArray:
        return np.exp(-((self.y[b][:, :, None] - _listed(self.y[b], rows)) ** 2))


def prepare_alike(X: NDArray, y: NDArray, device: str = "cpu", weights: NDArray | None = None) -> Alike:
    y = np.ascontiguousarray(y, dtype=np.float32)
    return Alike(_centred(X), y, _of_mean_one(weights, X.shape[:2]))


def prepare(X: NDArray, bounds: NDArray, device: str = "cpu", weights: NDArray | None = None) -> Data:
    X, weights = _centred(X), _of_mean_one(weights, X.shape[:2])
    size = np.diff(bounds)
    return Data(X, np.repeat(bounds[:-1], size), np.repeat(bounds[1:], size), weights)


def _centred(X):
    X = np.asarray(X, dtype=np.float64)
    return np.ascontiguousarray(X - X.mean(axis=1, keepdims=True), dtype=np.float32)


def _of_mean_one(weights, shape):
    weights = np.ones(shape) if weights is None else weights / np.mean(weights, axis=1, keepdims=True)
    return np.ascontiguousarray(weights, dtype=np.float32)


class Targets(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred
    t: np.ndarray  # (B, N, n) float32: one, y and, where the loss needs it, y^2
    y: np.ndarray  # (B, m, N) of mean zero and variance one
    scale: np.ndarray  # (B, m)
    weights: np.ndarray  # (B, N) float32, mean one
    kind: int  # of loss
    quantile: float


def prepare_targets(
    X: NDArray,
    y: NDArray,
    scale: NDArray,
    loss: Loss = SQUARED,
    device: str = "cpu",
    weights: NDArray | None = None,
) -> Targets:
    y, scale = np.ascontiguousarray(y, dtype=np.float64), np.ascontiguousarray(scale, dtype=np.float64)
    t = np.ascontiguousarray(losses.columns(loss.name, y), dtype=np.float32)
    return Targets(_centred(X), t, y, scale, _of_mean_one(weights, X.shape[:2]), losses.KINDS[loss.name], loss.quantile)


class Lists(NamedTuple):
    rows: np.ndarray  # (R, N, L) int32, the neighbours of every sample
    same: np.ndarray  # (R, N, L) float32, whether they share its class, or how far they are alike; (R, 0, 0): unknown
    heavy: np.ndarray  # (R, N, L) float32, their weights
    X: np.ndarray  # (B, N, d') the samples, with columns of zeros as the kernel wants them


def neighbor_lists(
    data: Data | Alike | Targets,
    A: NDArray,
    size: int,
    diagonal: bool = False,
    last: tuple[NDArray, Lists] | None = None,
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
        if lists.same.size:
            lists.same[some] = data.same(rows, some % B)  # type: ignore[union-attr]
    return lists


def _listed(values, rows):
    """Values (n, N) of the samples on lists (n, N, L)."""
    return values[np.arange(len(rows))[:, None, None], rows]


def nca_energy(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: Lists | None = None, diagonal: bool = False
) -> NDArray:
    return _evaluate(_nca(data, log_floor, lists, diagonal), A, diagonal and lists is None)


def nca_energy_and_gradient(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    return _differentiate(_nca(data, log_floor, lists, diagonal), A, diagonal and lists is None)


def regression_energy(data: Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False) -> NDArray:
    return _evaluate(_regression(data, lists, diagonal), A, diagonal and lists is None)


def regression_energy_and_gradient(
    data: Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    return _differentiate(_regression(data, lists, diagonal), A, diagonal and lists is None)


def _nca(data, log_floor, lists, diagonal):
    """A function of maps A (R, p, d): energies (R,), and gradients where these are wanted."""
    if lists is not None:
        costs = listed_neighbors.chance_costs(data.weights, lists.rows, lists.same, lists.heavy, log_floor)
        return lambda A, wanted: listed_neighbors.evaluate(A, lists.X, diagonal, costs, wanted)
    B, floor, classes = len(data.X), np.float32(log_floor), (data.begin, data.end) if isinstance(data, Data) else ()
    return _one_by_one(
        soft_neighbors.energy_and_gradient,
        lambda r: (data.X[r % B], data.weights[r % B], classes, floor, KEPT_BYTES),
    )


def _regression(data, lists, diagonal):
    B = len(data.X)

    def targets(b):
        return data.t[b], data.y[b], data.scale[b], data.kind, data.quantile

    if lists is not None:
        costs = listed_neighbors.mean_costs(data.weights, lists.rows, lists.heavy, targets)
        return lambda A, wanted: listed_neighbors.evaluate(A, lists.X, diagonal, costs, wanted)
    return _one_by_one(
        soft_means.energy_and_gradient,
        lambda r: (data.X[r % B], data.weights[r % B], targets(r % B), KEPT_BYTES),
    )


def _one_by_one(function, arguments):
    """A function of all maps from one of a map, room for its gradient, which may be empty, and ``arguments(r)``."""

    def evaluate(A, wanted):
        gradient = np.empty_like(A) if wanted else np.empty((len(A), 0, 0), dtype=np.float32)
        return np.array([function(A[r], gradient[r], *arguments(r)) for r in range(len(A))]), gradient

    return evaluate


def _evaluate(energy, A, fill_up):
    """Energies (R,) of maps, or where ``fill_up`` of diagonal ones (R, 1, d) by an energy that knows only maps."""
    return energy(_maps(A, fill_up), False)[0]


def _differentiate(energy, A, fill_up):
    values, gradient = energy(_maps(A, fill_up), True)
    gradient = gradient.astype(np.float64)
    return values, np.diagonal(gradient, axis1=1, axis2=2)[:, None] if fill_up else gradient


def _maps(A, fill_up):
    return np.ascontiguousarray(A * np.eye(A.shape[2]) if fill_up else A, dtype=np.float32)


def nca_element_sweep(data: Data, A: NDArray, trials: Trials, ridge: float = 0.0) -> tuple[NDArray, NDArray, NDArray]:
    nothing = np.empty((0, 0), dtype=np.float32), np.empty((0, 0)), np.empty(0), 0, 0.5
    return _sweep((data.X, data.begin, data.end, data.weights), [nothing], A, trials, ridge)


def regression_element_sweep(
    data: Targets, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    B, N, n = data.t.shape
    heavy = np.zeros((B, n, -(-N // LANE) * LANE), dtype=np.float32)
    heavy[:, :, :N] = (data.weights[:, :, None] * data.t).swapaxes(1, 2)
    targets = [(heavy[b], data.y[b], data.scale[b], data.kind, data.quantile) for b in range(B)]
    everyone = data.X, np.zeros(N, dtype=np.int64), np.full(N, N), data.weights
    return _sweep(everyone, targets, A, trials, ridge)


def _sweep(samples, targets, A, trials, ridge):
    X, begin, end, weights = samples
    A = np.array(A, dtype=np.float64, order="C")
    accepted = np.zeros(trials[0].shape, dtype=bool)
    energy = np.empty(len(A))
    for r in range(len(A)):
        one = X[r % len(X)], begin, end, weights[r % len(X)], targets[r % len(targets)], A[r]
        moves = (values[r] for values in trials)
        energy[r] = element_trials.sweep(*one, *moves, ridge, accepted[r], STORED_BYTES)
    return A, energy, accepted


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
        queries = as_queries(Q - self.centre)
        parts = np.array_split(queries, n_jobs)
        found = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(nearest)(part, self.places, n_neighbors) for part in parts
        )
        return np.concatenate(list(found))


def neighbor_shares(
    Z: NDArray,
    Q: NDArray,
    candidates: NDArray,
    places: Places,
    weights: NDArray,
    device: str = "cpu",
) -> NDArray:
    candidates, weights = np.asarray(candidates, dtype=np.int32), np.asarray(weights, dtype=np.float32)
    out = np.zeros((Q.shape[1], places[1].shape[1]), dtype=np.float32)
    rooms = rooms_for(candidates.shape[1], weights)
    for _, some, listed, apart in _distances(Z, Q, candidates):
        add_shares(apart, listed, places, weights, rooms, out[some])
    return out


def diagonal_shares(
    Z: NDArray,
    Q: NDArray,
    squares: Sequence[NDArray],
    candidates: NDArray,
    places: Places,
    weights: Sequence[NDArray],
) -> NDArray:
    """Shares of votes (n, n_cells) as ``neighbor_shares`` gives them, for rows Z (M, d) and queries Q (n, d).

    The squared distances in spaces are sums of their ``squares`` (R, d) times squared differences. Spaces of different
    weights (K,) come together, each with its own.
    """
    candidates = np.asarray(candidates, dtype=np.int32)
    out = np.zeros((len(Q), places[1].shape[1]), dtype=np.float32)
    ends = np.cumsum([len(some) for some in squares]).tolist()
    weights = [np.asarray(row, dtype=np.float32) for row in weights]
    kinds = list(
        zip([0, *ends[:-1]], ends, weights, [rooms_for(candidates.shape[1], row) for row in weights], strict=True)
    )
    for spaces, some, listed, apart in _distances(Z, Q, candidates, np.concatenate(squares)):
        for start, end, row, rooms in kinds:
            own = apart[max(0, start - spaces.start) : max(0, end - spaces.start)]
            add_shares(own, listed, places, row, rooms, out[some])
    return out


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
    near, places = out
    rooms = rooms_for(candidates.shape[1], np.zeros(places.shape[2], dtype=np.float32))
    for spaces, some, listed, apart in _distances(Z, Q, candidates, squares):
        write_nearest(apart, listed, rooms, first + spaces.start, near[some], places[some])


def _distances(Z, Q, candidates, squares=None):
    """Some spaces, some queries, their candidates and their squared distances (R', n', S), which stay in the cache."""
    Z, Q = (V if V.shape[-1] == wide(V.shape[-1]) else filled_up(V) for V in (Z, Q))
    Z, Q = (np.ascontiguousarray(V, dtype=np.float32) for V in (Z, Q))
    R, n = (len(Z), Q.shape[1]) if squares is None else (len(squares), len(Q))
    S, (_, d) = candidates.shape[1], Z.shape[-2:]
    if squares is not None:
        squares, squared = filled_up(squares), np.empty((S, d), dtype=np.float32)
    n_spaces = min(R, max(1, PAIRS // S))
    n_queries = min(n, max(1, PAIRS // (n_spaces * S)))
    for r in range(0, R, n_spaces):
        for q in range(0, n, n_queries):
            spaces, some = slice(r, min(R, r + n_spaces)), slice(q, min(n, q + n_queries))
            listed = candidates[some] if len(candidates) > 1 else candidates
            apart = np.empty((spaces.stop - r, some.stop - q, S), dtype=np.float32)
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


FEW_ROWS = 3  # times fewer rows of an inverse are cheaper one by one


def ridge_regression(
    Z: NDArray, Y: NDArray, length: float, ridges: NDArray, some: NDArray, device: str = "cpu"
) -> tuple[NDArray, NDArray]:
    K, lengths, own = (-2 * Z) @ Z.T, np.einsum("mq,mq->m", Z, Z), np.diag_indices(len(Z))
    K += lengths[:, None]
    K += lengths
    np.sqrt(np.maximum(K, 0.0, out=K), out=K)
    K /= -length
    np.exp(K, out=K)
    K[own] = 1 + ridges
    upper, _ = lapack.dpotrf(K.T, overwrite_a=True)  # of the transpose, which lapack need not copy
    if FEW_ROWS * len(some) > len(K):
        inverse, _ = lapack.dpotri(upper, overwrite_c=True)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        return inverse @ Y, inverse[some]
    sides = np.zeros((len(K), len(some)), order="F")
    sides[some, np.arange(len(some))] = 1.0
    return cho_solve((upper, False), Y), cho_solve((upper, False), sides, overwrite_b=True).T
