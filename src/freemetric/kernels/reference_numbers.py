"""The definition of the energies of numbers in plain numpy and float64; never optimised."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reference_pairs import chances, element_sweep, slope

LEAST_VARIANCE = 1e-2  # of numbers: neighbours that agree by chance are not certain beyond


class Numbers(NamedTuple):
    X: np.ndarray  # (B, N, d)
    y: np.ndarray  # (B, m, N) of mean zero and variance one
    scale: np.ndarray  # (B, m)
    weights: np.ndarray  # (B, N)
    loss: str
    quantile: float


def prepare_numbers(
    X: NDArray,
    y: NDArray,
    scale: NDArray,
    loss: str = "squared",
    quantile: float = 0.5,
    device: str = "reference",
    weights: NDArray | None = None,
) -> Numbers:
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights, dtype=np.float64)
    return Numbers(np.asarray(X, dtype=np.float64), y, scale, weights, loss, quantile)


def regression_energy(data: Numbers, A: NDArray, lists: NDArray | None = None, diagonal: bool = False) -> NDArray:
    """The mean cost (R,), by weight and over outputs, of what every pattern's neighbours say about its numbers.

    They say a mean mu_i = sum_j p_ij y_j and a variance v_i = LEAST_VARIANCE + sum_j p_ij (y_j - mu_i)^2, p_ij as in
    ``nca_energy``. With r_i = y_i - mu_i a pattern costs

    - "squared": r_i^2
    - "log_likelihood": (log(v_i / LEAST_VARIANCE) + r_i^2 / v_i) / 2
    - "absolute": |r_i| / scale
    - "pinball": max(q u, (q - 1) u) / scale, u = r_i - c sqrt(v_i), with the c of lowest mean cost.
    """
    return regression_energy_and_gradient(data, A, lists, diagonal)[0]


def regression_energy_and_gradient(
    data: Numbers, A: NDArray, lists: NDArray | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    """E (R,) and dE/dA, of the shape of A."""
    if diagonal:
        energy, gradient = regression_energy_and_gradient(data, A * np.eye(A.shape[2]), lists)
        return energy, np.diagonal(gradient, axis1=1, axis2=2)[:, None]
    B, N = data.X.shape[:2]
    listed = np.broadcast_to(True, (len(A), N, N)) if lists is None else lists
    pairs = [_one_regression(data, r % B, listed[r], A[r]) for r in range(len(A))]
    energies, gradients = zip(*pairs, strict=True)
    return np.array(energies), np.array(gradients)


def _one_regression(data, b, listed, A):
    X, w = data.X[b], data.weights[b] / data.weights[b].sum()
    P = chances(X, w, listed, A)
    energy, W = 0.0, np.zeros_like(P)
    for y, scale in zip(data.y[b], data.scale[b], strict=True):
        mean = P @ y
        apart = y - mean[:, None]  # y_j - mu_i
        cost, per_mean, per_variance = _losses(data, w, y - mean, LEAST_VARIANCE + (P * apart**2).sum(axis=1), scale)
        energy += w @ cost / len(data.y[b])
        # mu_i and v_i are means over j, and v_i does not change with mu_i
        of_j = per_mean[:, None] * apart + per_variance[:, None] * (apart**2 - (P * apart**2).sum(axis=1)[:, None])
        W -= w[:, None] * P * of_j / len(data.y[b])
    return energy, slope(W, X, A)


def _losses(data, w, r, v, scale):
    """Costs (N,) of residuals and variances, and their derivatives by mean and variance."""
    if data.loss == "squared":
        return r**2, -2 * r, 0 * r
    if data.loss == "log_likelihood":
        return (np.log(v / LEAST_VARIANCE) + r**2 / v) / 2, -r / v, (1 - r**2 / v) / (2 * v)
    if data.loss == "absolute":
        return np.abs(r) / scale, -np.sign(r) / scale, 0 * r
    q, s = data.quantile, np.sqrt(v)
    lines = r / s  # the best line goes through a pattern
    means = [w @ np.maximum(q * (r - c * s), (q - 1) * (r - c * s)) for c in lines]
    on = int(np.argmin(means))
    u = r - lines[on] * s
    pull = np.where(u > 0, q, q - 1)
    pull[on] -= w @ (pull * s) / (w[on] * s[on])  # dE/dc = 0
    return pull * u / scale, -pull / scale, -pull * lines[on] / (2 * s) / scale


def regression_element_sweep(
    data: Numbers, A: NDArray, rows: NDArray, columns: NDArray, deltas: NDArray, allowed: NDArray, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """The same with the energy of numbers."""
    return element_sweep(lambda A: regression_energy(data, A), A, rows, columns, deltas, allowed, ridge)
