"""The definition of every kernel in plain numpy and float64; never optimised."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .devices import Trials
from .formulas import (
    Loss,
    Similarity,
    constant_loss,
    prediction_cost,
    similarity,
    similarity_cost,
)


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d)
    weights: np.ndarray  # (B, N), of sum one
    y: np.ndarray
    cost: Similarity | Loss
    scale: np.ndarray  # (B, m), what a constant prediction costs


def prepare(
    X: NDArray,
    y: NDArray,
    cost: Similarity | Loss,
    device: str = "reference",
    weights: NDArray | None = None,
) -> Data:
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    scale = np.ones((len(X), 1))
    if isinstance(cost, Loss):
        scale = constant_loss(cost, y, weights)
    return Data(X, weights, np.asarray(y), cost, scale)


def distances(Z: NDArray) -> NDArray:
    """Squared distances (N, N) of samples Z (N, p), infinite to the sample itself."""
    D = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    return D


def neighbor_lists(
    data: Data,
    A: NDArray,
    size: int,
    diagonal: bool = False,
    last: NDArray | None = None,
) -> NDArray[np.bool_]:
    """Which samples are on whose list, (R, N, N)."""
    maps = A * np.eye(A.shape[2]) if diagonal else A
    lists = []
    for r in range(len(A)):
        D = distances(data.X[r % len(data.X)] @ maps[r].T)
        ranks = D.argsort(axis=1, kind="stable").argsort(axis=1)
        lists.append(ranks < size)
    return np.array(lists)


def energy(
    data: Data, A: NDArray, lists: NDArray | None = None, diagonal: bool = False
) -> NDArray:
    r"""The mean cost (R,), by weight, of what every sample's neighbours say about it.

    The neighbours of i are p_ij = softmax_j(log w_j - |A_r (x_i - x_j)|^2), j != i.
    With ``lists`` only those j count that are on the list of i.

    With a ``Similarity`` s a sample costs 1 - p_i or -log(p_i + log_floor), p_i = sum_j
    p_ij s_ij. With a ``Loss`` its neighbours predict a mean mu_i = sum_j p_ij y_j and a
    variance v_i = LEAST_VARIANCE + sum_j p_ij (y_j - mu_i)^2. With r_i = y_i - mu_i it
    costs, as a mean over outputs,

    - "squared": r_i^2
    - "log_likelihood": (log(v_i / LEAST_VARIANCE) + r_i^2 / v_i) / 2
    - "absolute": |r_i| / scale
    - "pinball": max(q u, (q - 1) u) / scale, u = r_i - c sqrt(v_i), with the c of
      lowest mean cost,

    where scale is what the best constant prediction costs.
    """
    return energy_and_gradient(data, A, lists, diagonal)[0]


def energy_and_gradient(
    data: Data, A: NDArray, lists: NDArray | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    """E (R,) and dE/dA, of the shape of A."""
    if diagonal:
        maps = A * np.eye(A.shape[2])
        values, gradient = energy_and_gradient(data, maps, lists)
        return values, np.diagonal(gradient, axis1=1, axis2=2)[:, None]
    values, gradients = np.empty(len(A)), np.empty(A.shape)
    for r in range(len(A)):
        X = data.X[r % len(data.X)]
        Z = X @ A[r].T
        D = distances(Z)
        if lists is not None:
            D[~lists[r]] = np.inf
        P = data.weights[r % len(data.X)] * np.exp(D.min(axis=1, keepdims=True) - D)
        P /= P.sum(axis=1, keepdims=True)
        values[r], W = _cost(data, r % len(data.X), P)
        W = W + W.T
        gradients[r] = 2 * (W.sum(axis=1, keepdims=True) * Z - W @ Z).T @ X
    return values, gradients


def _cost(data, b, P):
    """Energy of chances P (N, N), and dE/dD."""
    y, w = data.y[b % len(data.y)], data.weights[b]
    if isinstance(data.cost, Similarity):
        similar = similarity(data.cost.kind, y[:, None], y[None])
        return similarity_cost(data.cost, P, similar.astype(np.float64), w)
    near = np.broadcast_to(y[None, :, None, :], (1, len(y), *P.shape))
    energies, W = prediction_cost(
        data.cost, P[None], near, y[None], w[None], data.scale[b][None]
    )
    return energies[0], W[0]


def can_sweep(data: Data) -> bool:
    """Whether ``element_sweep`` takes such data."""
    return True


def element_sweep(
    data: Data, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """Change A[r, rows[r, t], columns[r, t]] by deltas[r, t], one trial t after
    another.

    A change is kept where the energy plus ridge * |A|^2 rises by at most allowed[r, t].
    Returns the new A (R, p, d), its energies (R,) and which trials were accepted (R,
    n)."""
    rows, columns, deltas, allowed = trials
    A, accepted = A.copy(), np.zeros(rows.shape, dtype=bool)
    values = energy(data, A) + ridge * (A**2).sum(axis=(1, 2))
    for t in range(rows.shape[1]):
        B = A.copy()
        B[np.arange(len(A)), rows[:, t], columns[:, t]] += deltas[:, t]
        trial = energy(data, B) + ridge * (B**2).sum(axis=(1, 2))
        keep = trial - values <= allowed[:, t]
        A[keep], values[keep] = B[keep], trial[keep]
        accepted[:, t] = keep
    return A, values, accepted


def others_in_order(Z: NDArray, n_neighbors: int) -> NDArray[np.intp]:
    """Rows (R, N, n_neighbors) of the samples nearest to every sample but itself in
    spaces Z (R, N, p), nearest first.

    Of samples at equal distances the first comes first.
    """
    orders = [distances(space).argsort(axis=1, kind="stable") for space in Z]
    return np.array(orders)[:, :, :n_neighbors]
