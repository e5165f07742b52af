"""The definition of every kernel in plain numpy and float64; never optimised."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reference_numbers import (
    Numbers,
    prepare_numbers,
    regression_element_sweep,
    regression_energy,
    regression_energy_and_gradient,
)
from .reference_pairs import chances, distances, element_sweep, slope

__all__ = [
    "Data",
    "NearestNeighbors",
    "Numbers",
    "nca_element_sweep",
    "nca_energy",
    "nca_energy_and_gradient",
    "neighbor_lists",
    "neighbor_shares",
    "prepare",
    "prepare_alike",
    "prepare_numbers",
    "regression_element_sweep",
    "regression_energy",
    "regression_energy_and_gradient",
]


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d)
    same: np.ndarray  # (N, N) or (B, N, N), whether two patterns share a class, or how far they are alike
    weights: np.ndarray  # (B, N)


def prepare(X: NDArray, bounds: NDArray, device: str = "reference", weights: NDArray | None = None) -> Data:
    label = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights, dtype=np.float64)
    return Data(X, label[:, None] == label[None, :], weights)


def prepare_alike(X: NDArray, y: NDArray, device: str = "reference", weights: NDArray | None = None) -> Data:
    """Patterns with numbers y (B, N) that are alike as far as exp(-(y_i - y_j)^2) says."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights, dtype=np.float64)
    return Data(X, np.exp(-((y[:, :, None] - y[:, None, :]) ** 2)), weights)


def neighbor_lists(
    data: Data | Numbers, A: NDArray, size: int, diagonal: bool = False, last: tuple[NDArray, NDArray] | None = None
) -> NDArray[np.bool_]:
    """Which patterns are on whose list, (R, N, N): of the others those ``size`` that are nearest under map r.

    ``last`` are maps and their lists that may be used again where a map is the same.
    """
    B, maps = len(data.X), A * np.eye(A.shape[2]) if diagonal else A
    stack = np.array([distances(data.X[r % B] @ maps[r].T) for r in range(len(A))])
    ranks = stack.argsort(axis=2, kind="stable").argsort(axis=2)
    return ranks < size


def nca_energy(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: NDArray | None = None, diagonal: bool = False
) -> NDArray:
    """The mean cost (R,), by weight, of the patterns' chances p_i = sum_j p_ij same_ij to be classified correctly.

    p_ij = softmax_j(log w_j - |A_r (x_i - x_j)|^2), j != i: a pattern is left out with all of its weight.
    The cost is 1 - p_i, or -log(p_i + log_floor) if that is positive. With ``lists`` only those j count that are on the
    list of i. If ``diagonal``, A (R, 1, d) holds the weights of diagonal maps.
    """
    return nca_energy_and_gradient(data, A, log_floor, lists, diagonal)[0]


def nca_energy_and_gradient(
    data: Data, A: NDArray, log_floor: float = 0.0, lists: NDArray | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    """E (R,) and dE/dA, of the shape of A."""
    if diagonal:
        energy, gradient = nca_energy_and_gradient(data, A * np.eye(A.shape[2]), log_floor, lists)
        return energy, np.diagonal(gradient, axis1=1, axis2=2)[:, None]
    B, N = data.X.shape[:2]
    listed = np.broadcast_to(True, (len(A), N, N)) if lists is None else lists
    same = np.broadcast_to(data.same, (B, N, N))
    pairs = [
        _one_energy_and_gradient(data.X[r % B], same[r % B], data.weights[r % B], listed[r], A[r], log_floor)
        for r in range(len(A))
    ]
    energies, gradients = zip(*pairs, strict=True)
    return np.array(energies), np.array(gradients)


def _one_energy_and_gradient(X, same, w, listed, A, log_floor):
    w = w / w.sum()
    P = chances(X, w, listed, A)
    p = (P * same).sum(axis=1)
    per_chance = 1 / (p + log_floor) if log_floor > 0 else np.ones(len(X))
    W = (w * per_chance)[:, None] * P * (same - p[:, None])  # dE/dD
    cost = -np.log(p + log_floor) if log_floor > 0 else 1 - p
    return w @ cost, slope(W, X, A)


def nca_element_sweep(
    data: Data, A: NDArray, rows: NDArray, columns: NDArray, deltas: NDArray, allowed: NDArray, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """Trial t of replica r changes A[r, rows[r, t], columns[r, t]] by deltas[r, t].

    It is kept when NCA's energy plus ridge * |A|^2 rises by at most allowed[r, t].
    Returns the new A (R, p, d), its energies (R,) and which trials were accepted (R, n).
    """
    return element_sweep(lambda A: nca_energy(data, A), A, rows, columns, deltas, allowed, ridge)


class NearestNeighbors:
    """``kneighbors(Q, n_neighbors)``: rows (n, n_neighbors) of Z (N, p) nearest to those of Q (n, p), nearest first."""

    def __init__(self, Z: NDArray, device: str = "reference", n_jobs: int | None = None) -> None:
        self.Z = np.asarray(Z, dtype=np.float64)

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        D = [((self.Z - q) ** 2).sum(axis=1) for q in np.asarray(Q, dtype=np.float64)]
        return np.argsort(np.array(D).reshape(-1, len(self.Z)), axis=1, kind="stable")[:, :n_neighbors]


def neighbor_shares(
    Z: NDArray,
    Q: NDArray,
    candidates: NDArray,
    counts: NDArray,
    ballots: NDArray,
    weights: NDArray,
    device: str = "reference",
) -> NDArray:
    """Sums over k of weights[k - 1] times the class shares (n, C) of the k rows nearest to the queries, in all spaces.

    The queries are Q (R, n, p) in the R spaces. The candidates (n, S) are places, rows of Z (R, M, p), where ``counts``
    (M,) rows lie with the class weights ``ballots`` (M, C). Of the last place only as much votes as is needed; of
    places at equal distances the first counts first.
    """
    out = np.zeros((Q.shape[1], ballots.shape[1]))
    for places, queries in zip(np.asarray(Z), np.asarray(Q, dtype=np.float64), strict=True):
        for share, q, some in zip(out, queries, candidates, strict=True):
            order = some[np.argsort(((places[some] - q) ** 2).sum(axis=1), kind="stable")]
            rows = np.repeat(order, counts[order])  # every row, with its part of the ballots
            votes = (ballots[rows] / counts[rows, None])[: len(weights)].cumsum(axis=0)
            share += np.asarray(weights)[: len(votes)] @ (votes / votes.sum(axis=1, keepdims=True))
    return out
