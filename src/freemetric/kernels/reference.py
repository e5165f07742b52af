"""The definition of every kernel in plain numpy and float64; never optimised."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .protocol import Loss, Trials

LEAST_VARIANCE = 1e-2  # of numbers: neighbours that agree by chance are not certain beyond


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d)
    weights: np.ndarray  # (B, N)
    same: np.ndarray  # (B, N, N), whether two samples share a class, or how far they are alike
    log_floor: float


class Targets(NamedTuple):
    X: np.ndarray  # (B, N, d)
    weights: np.ndarray  # (B, N)
    y: np.ndarray  # (B, m, N) of mean zero and variance one
    scale: np.ndarray  # (B, m)
    loss: Loss


def prepare(
    X: NDArray, bounds: NDArray, device: str = "reference", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    """Data of classes."""
    label = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    same = np.broadcast_to(label[:, None] == label, (len(X), len(label), len(label)))
    X, weights = _samples(X, weights)
    return Data(X, weights, same, log_floor)


def prepare_alike(
    X: NDArray, y: NDArray, device: str = "reference", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    """Data of targets (B, N), alike as far as exp(-(y_i - y_j)^2) says."""
    X, weights = _samples(X, weights)
    return Data(X, weights, np.exp(-((y[:, :, None] - y[:, None, :]) ** 2)), log_floor)


def prepare_targets(
    X: NDArray, y: NDArray, scale: NDArray, loss: Loss, device: str = "reference", weights: NDArray | None = None
) -> Targets:
    """Data of targets whose means among neighbours are taken."""
    X, weights = _samples(X, weights)
    return Targets(X, weights, y, scale, loss)


def _samples(X, weights):
    return np.asarray(X, dtype=np.float64), np.ones(X.shape[:2]) if weights is None else np.asarray(weights, float)


def distances(Z: NDArray) -> NDArray:
    """Squared, infinite from a sample to itself."""
    D = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    return D


def neighbor_lists(
    data: Data | Targets, A: NDArray, size: int, diagonal: bool = False, last: tuple[NDArray, NDArray] | None = None
) -> NDArray[np.bool_]:
    """Which samples are on whose list, (R, N, N): of the others those ``size`` that are nearest under map r.

    ``last`` are maps and their lists that may be used again where a map is the same.
    """
    B, maps = len(data.X), A * np.eye(A.shape[2]) if diagonal else A
    stack = np.array([distances(data.X[r % B] @ maps[r].T) for r in range(len(A))])
    ranks = stack.argsort(axis=2, kind="stable").argsort(axis=2)
    return ranks < size


def others_nearest(Z: NDArray, n_neighbors: int) -> NDArray[np.intp]:
    """Rows (R, N, n_neighbors) of the samples nearest to every sample but itself in spaces Z (R, N, p), nearest first.

    Of samples at equal distances the first comes first.
    """
    return np.array([distances(space).argsort(axis=1, kind="stable")[:, :n_neighbors] for space in Z])


def energy(data: Data | Targets, A: NDArray, lists: NDArray | None = None, diagonal: bool = False) -> NDArray:
    """The mean cost (R,), by weight, of what every sample's neighbours say about its class or its targets.

    The neighbours of i are p_ij = softmax_j(log w_j - |A_r (x_i - x_j)|^2), j != i: a sample is left out with all of
    its weight. With ``lists`` only those j count that are on the list of i. If ``diagonal``, A (R, 1, d) holds the
    weights of diagonal maps.

    Of classes the cost is 1 - p_i, or -log(p_i + log_floor) if that is positive, p_i = sum_j p_ij same_ij the chance to
    be classified correctly. Of targets they say a mean mu_i = sum_j p_ij y_j and a variance
    v_i = LEAST_VARIANCE + sum_j p_ij (y_j - mu_i)^2. With r_i = y_i - mu_i a sample costs, as a mean over outputs,

    - "squared": r_i^2
    - "log_likelihood": (log(v_i / LEAST_VARIANCE) + r_i^2 / v_i) / 2
    - "absolute": |r_i| / scale
    - "pinball": max(q u, (q - 1) u) / scale, u = r_i - c sqrt(v_i), with the c of lowest mean cost.
    """
    return energy_and_gradient(data, A, lists, diagonal)[0]


def energy_and_gradient(
    data: Data | Targets, A: NDArray, lists: NDArray | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    """E (R,) and dE/dA, of the shape of A."""
    if diagonal:
        values, gradient = energy_and_gradient(data, A * np.eye(A.shape[2]), lists)
        return values, np.diagonal(gradient, axis1=1, axis2=2)[:, None]
    energies, gradients, (B, N) = [], [], data.X.shape[:2]
    for r, listed in enumerate(np.broadcast_to(True, (len(A), N, N)) if lists is None else lists):
        b = r % B
        X, w = data.X[b], data.weights[b] / data.weights[b].sum()
        Z = X @ A[r].T
        D = np.where(listed, distances(Z), np.inf)
        P = w * np.exp(D.min(axis=1, keepdims=True) - D)
        P /= P.sum(axis=1, keepdims=True)
        value, W = (_of_classes if isinstance(data, Data) else _of_targets)(data, b, w, P)  # W = dE/dD
        W = W + W.T
        energies.append(value)
        gradients.append(2 * (W.sum(axis=1, keepdims=True) * Z - W @ Z).T @ X)
    return np.array(energies), np.array(gradients)


def _of_classes(data, b, w, P):
    same, floor = data.same[b], data.log_floor
    p = (P * same).sum(axis=1)
    cost, per_chance = (-np.log(p + floor), 1 / (p + floor)) if floor > 0 else (1 - p, np.ones(len(p)))
    return w @ cost, (w * per_chance)[:, None] * P * (same - p[:, None])


def _of_targets(data, b, w, P):
    energy, W = 0.0, np.zeros_like(P)
    for y, scale in zip(data.y[b], data.scale[b], strict=True):
        mean = P @ y
        apart = y - mean[:, None]  # y_j - mu_i
        cost, per_mean, per_variance = _losses(data, w, y - mean, LEAST_VARIANCE + (P * apart**2).sum(axis=1), scale)
        energy += w @ cost / len(data.y[b])
        # mu_i and v_i are means over j, and v_i does not change with mu_i
        of_j = per_mean[:, None] * apart + per_variance[:, None] * (apart**2 - (P * apart**2).sum(axis=1)[:, None])
        W -= w[:, None] * P * of_j / len(data.y[b])
    return energy, W


def _losses(data, w, r, v, scale):
    """Costs (N,) of residuals and variances, and their derivatives by mean and variance."""
    if data.loss.name == "squared":
        return r**2, -2 * r, 0 * r
    if data.loss.name == "log_likelihood":
        return (np.log(v / LEAST_VARIANCE) + r**2 / v) / 2, -r / v, (1 - r**2 / v) / (2 * v)
    if data.loss.name == "absolute":
        return np.abs(r) / scale, -np.sign(r) / scale, 0 * r
    q, s = data.loss.quantile, np.sqrt(v)
    lines = r / s  # the best line goes through a sample
    means = [w @ np.maximum(q * (r - c * s), (q - 1) * (r - c * s)) for c in lines]
    on = int(np.argmin(means))
    u = r - lines[on] * s
    pull = np.where(u > 0, q, q - 1)
    pull[on] -= w @ (pull * s) / (w[on] * s[on])  # dE/dc = 0
    return pull * u / scale, -pull / scale, -pull * lines[on] / (2 * s) / scale


def element_sweep(
    data: Data | Targets, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """Trial t of replica r changes A[r, rows[r, t], columns[r, t]] by deltas[r, t]; see :class:`Trials`.

    It is kept when the energy plus ridge * |A|^2 rises by at most allowed[r, t].
    Returns the new A (R, p, d), its energies (R,) and which trials were accepted (R, n).
    """
    rows, columns, deltas, allowed = trials
    A, accepted = A.copy(), np.zeros(rows.shape, dtype=bool)
    values = energy(data, A) + ridge * (A**2).sum(axis=(1, 2))
    for t in range(rows.shape[1]):
        B = A.copy()
        B[np.arange(len(A)), rows[:, t], columns[:, t]] += deltas[:, t]
        trial = energy(data, B) + ridge * (B**2).sum(axis=(1, 2))
        accepted[:, t] = ok = trial - values <= allowed[:, t]
        A[ok], values[ok] = B[ok], trial[ok]
    return A, values, accepted


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
    places: tuple[NDArray, NDArray],
    weights: NDArray,
    device: str = "reference",
) -> NDArray:
    """Sums over k of weights[k - 1] times the class shares (n, C) of the k rows nearest to the queries, in all spaces.

    The queries are Q (R, n, p) in the R spaces. The candidates (n, S) are places, rows of Z (R, M, p); ``places``
    says how many samples lie there, (M,), and what they vote for, (M, C). Of the last place only as much votes as is
    needed; of places at equal distances the first counts first.
    """
    counts, votes_there = places
    out = np.zeros((Q.shape[1], votes_there.shape[1]))
    for rows_of_space, queries in zip(np.asarray(Z), np.asarray(Q, dtype=np.float64), strict=True):
        for share, q, some in zip(out, queries, candidates, strict=True):
            order = some[np.argsort(((rows_of_space[some] - q) ** 2).sum(axis=1), kind="stable")]
            rows = np.repeat(order, counts[order])  # every row, with its part of the votes
            votes = (votes_there[rows] / counts[rows, None])[: len(weights)].cumsum(axis=0)
            share += np.asarray(weights)[: len(votes)] @ (votes / votes.sum(axis=1, keepdims=True))
    return out


def weighted_squares(Q: NDArray, Z: NDArray, shares: NDArray, device: str = "reference") -> NDArray:
    """Squared distances (n, m) of Q (R, n, p) and Z (R, m, p), summed over R spaces by shares (R, n)."""
    return sum(share[:, None] * cdist(q, z, "sqeuclidean") for q, z, share in zip(Q, Z, shares, strict=True))


def ridge_regression(
    Z: NDArray, Y: NDArray, length: float, ridges: NDArray, some: NDArray, device: str = "reference"
) -> tuple[NDArray, NDArray]:
    """G Y (m, C), and the rows ``some`` (r,) of G (m, m), the inverse of K + diag(ridges).

    K are the kernels exp(-|z - z'| / length) of samples Z (m, q) with targets Y (m, C) and ridges (m,).
    """
    inverse = np.linalg.inv(np.exp(cdist(Z, Z) / -length) + np.diag(ridges))
    return inverse @ Y, inverse[some]
