"""The CPU kernels: compiled once per machine, serial, without the interpreter's lock."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors as Search

from . import committee_votes, element_trials, soft_neighbors

KEPT_BYTES = 32 << 20  # pairs a gradient keeps in memory, up to about 4,000 patterns; computed twice beyond
FEW_QUERIES = 64  # for which it does not pay to wake threads
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


def nca_energy(data: Data, A: NDArray, log_floor: float = 0.0) -> NDArray:
    A = np.ascontiguousarray(A, dtype=np.float32)
    none = np.empty((0, 0), dtype=np.float32)

    def work(r, X, w):
        return soft_neighbors.energy_and_gradient(
            X, data.begin, data.end, w, A[r], np.float32(log_floor), none, KEPT_BYTES
        )

    return _each_replica(data, work, len(A))


def nca_energy_and_gradient(data: Data, A: NDArray, log_floor: float = 0.0) -> tuple[NDArray, NDArray]:
    A = np.ascontiguousarray(A, dtype=np.float32)
    gradient = np.empty_like(A)

    def work(r, X, w):
        return soft_neighbors.energy_and_gradient(
            X, data.begin, data.end, w, A[r], np.float32(log_floor), gradient[r], KEPT_BYTES
        )

    return _each_replica(data, work, len(A)), gradient.astype(np.float64)


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
    """scikit-learn's search; ``kneighbors`` as there, without distances."""

    def __init__(self, Z: NDArray, device: str = "cpu", n_jobs: int | None = None) -> None:
        self.search, self.n_jobs = Search(n_jobs=n_jobs).fit(Z), n_jobs

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        self.search.n_jobs = self.n_jobs if len(Q) > FEW_QUERIES else None
        return self.search.kneighbors(Q, n_neighbors, return_distance=False)


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
    out = np.zeros((len(Q), ballots.shape[1]), dtype=np.float32)
    committee_votes.add_all_shares(Z, Q, candidates, counts, ballots, np.asarray(weights, dtype=np.float32), out)
    return out
