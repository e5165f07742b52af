"""The CPU kernels: compiled once per machine, serial, without the interpreter's lock."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors as TreeSearch

from . import committee_votes, element_trials, listed_neighbors, nearest, soft_neighbors

KEPT_BYTES = 32 << 20  # pairs a gradient keeps in memory, up to about 4,000 patterns; computed twice beyond
FEW_QUERIES = 64  # for which it does not pay to wake threads
FEW_COORDINATES, MANY_PLACES = 4, 20_000  # where a tree is faster than comparing everything with everything
STORED_BYTES = 256 << 20  # pairs a sweep keeps, up to about 8,000 patterns; computed anew in every trial beyond


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred: distances do not change and float32 keeps more of them
    begin: np.ndarray  # (N,) first pattern of each pattern's class
    end: np.ndarray  # (N,) one past the last
    weights: np.ndarray  # (B, N) float32, mean one


def prepare(X: NDArray, bounds: NDArray, device: str = "cpu", weights: NDArray | None = None) -> Data:
    X = np.asarray(X, dtype=np.float64)
    X = np.ascontiguousarray(X - X.mean(axis=1, keepdims=True), dtype=np.float32)
    size = np.diff(bounds)
    weights = np.ones(X.shape[:2]) if weights is None else weights / np.mean(weights, axis=1, keepdims=True)
    weights = np.ascontiguousarray(weights, dtype=np.float32)
    return Data(X, np.repeat(bounds[:-1], size), np.repeat(bounds[1:], size), weights)


def _each_replica(data: Data, work: Callable[..., float], n_replicas: int) -> np.ndarray:
    """Values work(r, X_r, w_r) of every replica."""
    B = len(data.X)
    return np.array([work(r, data.X[r % B], data.weights[r % B]) for r in range(n_replicas)])


class Lists(NamedTuple):
    rows: np.ndarray  # (R, N, L) int32, the neighbours of every pattern
    same: np.ndarray  # (R, N, L) float32, whether they share its class
    heavy: np.ndarray  # (R, N, L) float32, their weights
    X: np.ndarray  # (B, N, d') the patterns, with columns of zeros as the kernel wants them


def neighbor_lists(
    data: Data, A: NDArray, size: int, diagonal: bool = False, last: tuple[NDArray, Lists] | None = None
) -> Lists:
    B, N, d = data.X.shape
    if last is None or last[0].shape != A.shape:
        X = np.zeros((B, N, listed_neighbors.wide(d)), dtype=np.float32)
        X[:, :, :d] = data.X
        rows = np.empty((len(A), N, size), dtype=np.int32)
        lists = Lists(rows, np.empty(rows.shape, dtype=np.float32), np.empty(rows.shape, dtype=np.float32), X)
        changed = np.arange(len(A))
    else:
        old = last[1]
        lists = Lists(old.rows.copy(), old.same.copy(), old.heavy.copy(), old.X)
        changed = np.flatnonzero((last[0] != A).any(axis=(1, 2)))
    everyone = np.arange(N)[:, None]
    for r in changed:
        map_ = np.ascontiguousarray(A[r], dtype=np.float32)
        Z = listed_neighbors.images(lists.X[r % B], map_, diagonal)[:, : d if diagonal else len(map_)]
        found = nearest.nearest(nearest.as_queries(Z), nearest.as_places(Z), size + 1, ordered=False)
        others = found != everyone
        others[others.all(axis=1), -1] = False  # lost among others at the same point, any of whom may go instead
        lists.rows[r] = found[others].reshape(-1, size)
        known = listed_neighbors.on_lists(lists.rows[r], data.begin, data.end, data.weights[r % B])
        lists.same[r], lists.heavy[r] = known
    return lists


def nca_energy(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: Lists | None = None, diagonal: bool = False
) -> NDArray:
    none = [np.empty((0, 0), dtype=np.float32)] * len(A)
    return _evaluate(data, np.ascontiguousarray(A, dtype=np.float32), log_floor, none, lists, diagonal)


def nca_energy_and_gradient(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    A = np.ascontiguousarray(A, dtype=np.float32)
    gradient = np.empty_like(A)
    return _evaluate(data, A, log_floor, gradient, lists, diagonal), gradient.astype(np.float64)


def _evaluate(data, A, log_floor, gradient, lists, diagonal):
    """Energies (R,); gradients are written where there is room for them."""
    floor = np.float32(log_floor)
    if lists is None and diagonal:
        matrices = A * np.eye(A.shape[2], dtype=np.float32)
        if not gradient[0].size:
            return _evaluate(data, matrices, log_floor, gradient, None, False)
        slopes = np.empty_like(matrices)
        values = _evaluate(data, matrices, log_floor, slopes, None, False)
        gradient[:] = np.diagonal(slopes, axis1=1, axis2=2)[:, None]
        return values

    def all_pairs(r, X, w):
        return soft_neighbors.energy_and_gradient(X, data.begin, data.end, w, A[r], floor, gradient[r], KEPT_BYTES)

    def on_lists(r, X, w):
        X, known = lists.X[r % len(lists.X)], (lists.rows[r], lists.same[r], lists.heavy[r])
        return listed_neighbors.energy_and_gradient(X, w, *known, A[r], diagonal, floor, gradient[r])

    return _each_replica(data, all_pairs if lists is None else on_lists, len(A))


def nca_element_sweep(
    data: Data, A: NDArray, rows: NDArray, columns: NDArray, deltas: NDArray, allowed: NDArray, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    A = np.array(A, dtype=np.float64, order="C")
    accepted = np.zeros(rows.shape, dtype=bool)

    def work(r, X, w):
        trials = rows[r], columns[r], deltas[r], allowed[r]
        return element_trials.sweep(X, data.begin, data.end, w, A[r], *trials, ridge, accepted[r], STORED_BYTES)

    energy = _each_replica(data, work, len(A))
    return A, energy, accepted


class NearestNeighbors:
    """Every query against every place, in tiles; by a tree where there are many places in very few dimensions."""

    def __init__(self, Z: NDArray, device: str = "cpu", n_jobs: int | None = None) -> None:
        self.n_jobs, self.tree = n_jobs, None
        if Z.shape[1] <= FEW_COORDINATES and len(Z) >= MANY_PLACES:
            self.tree = TreeSearch(algorithm="kd_tree").fit(Z)
        else:
            self.centre = Z.mean(axis=0)  # distances do not change and float32 keeps more of them
            self.places = nearest.as_places(Z - self.centre)

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        n_jobs = effective_n_jobs(self.n_jobs) if len(Q) > FEW_QUERIES else 1
        if self.tree is not None:
            self.tree.n_jobs = n_jobs
            return self.tree.kneighbors(Q, n_neighbors, return_distance=False)
        queries = nearest.as_queries(Q - self.centre)
        parts = np.array_split(queries, n_jobs)
        found = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(nearest.nearest)(part, self.places, n_neighbors) for part in parts
        )
        return np.concatenate(list(found))


def neighbor_shares(
    Z: NDArray,
    Q: NDArray,
    candidates: NDArray,
    counts: NDArray,
    ballots: NDArray,
    weights: NDArray,
    device: str = "cpu",
) -> NDArray:
    Z, Q = (np.ascontiguousarray(V, dtype=np.float32) for V in (Z, Q))
    out = np.zeros((Q.shape[1], ballots.shape[1]), dtype=np.float32)
    candidates = np.asarray(candidates, dtype=np.int32)
    committee_votes.add_all_shares(Z, Q, candidates, counts, ballots, np.asarray(weights, dtype=np.float32), out)
    return out
