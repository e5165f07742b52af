"""Energies and gradients over all pairs of N samples, a block of rows at a time; no N x N array.

Row i of a block holds x_ij = log2(w_j) - log2(e) |z_i - z_j|^2 up to a constant, from one matrix product. Kernels
overwrite it by the chances p_ij and then by W_ij = dE/dD_ij, whose row sums vanish. The gradient is

    dE/dz_i = 2 sum_j (W_ij + W_ji) (z_i - z_j) = 2 (s_i z_i - sum_j (W_ij + W_ji) z_j),    s_i = sum_j W_ji.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import mean_loss, similarity
from ..protocol import Similarity
from .compiling import FAST, njit
from .exp2 import LOG2E, soften

BLOCK = 1 << 17  # pairs at a time, which stay in the cache
FAR = np.float32(-1e30)
f32 = np.float32


@njit(fastmath=FAST, nogil=True, cache=True)
def similarity_forces(x, first, similar, w, log_floor, costs):
    """Overwrite x (n, N) by dE/dD; write the costs of samples from ``first`` on to costs (N,)."""
    for r in range(x.shape[0]):
        row, same, i = x[r], similar[r], first + r
        row[i] = FAR
        soften(row)
        hit, miss = f32(0), f32(0)
        for j in range(row.shape[0]):
            hit += row[j] * same[j]
            miss += row[j] * (f32(1) - same[j])
        slope = w[i]
        if log_floor > 0:
            costs[i] = -np.log(hit + log_floor)
            slope /= hit + log_floor
        else:
            costs[i] = miss
        for j in range(row.shape[0]):
            row[j] *= slope * (same[j] - hit)


@njit(fastmath=FAST, nogil=True, cache=True)
def predictions(x, first, y, means, spreads):
    """Overwrite x (n, N) by chances; write means and variances (m, N) of targets y (m, N) among neighbours."""
    for r in range(x.shape[0]):
        row, i = x[r], first + r
        row[i] = FAR
        soften(row)
        for o in range(y.shape[0]):
            target, mean, spread = y[o], f32(0), f32(0)
            for j in range(row.shape[0]):
                mean += row[j] * target[j]
            for j in range(row.shape[0]):
                spread += row[j] * (target[j] - mean) * (target[j] - mean)
            means[o, i] = mean
            spreads[o, i] = spread


@njit(fastmath=FAST, nogil=True, cache=True)
def prediction_forces(P, first, y, means, spreads, by_mean, by_variance):
    """Overwrite chances P (n, N) by dE/dD; derivatives by means and variances are (m, N)."""
    pull = np.empty(P.shape[1], f32)
    for r in range(P.shape[0]):
        row, i = P[r], first + r
        pull[:] = f32(0)
        for o in range(y.shape[0]):
            target, mean, spread = y[o], means[o, i], spreads[o, i]
            a, b = by_mean[o, i], by_variance[o, i]
            for j in range(row.shape[0]):
                apart = target[j] - mean
                pull[j] += a * apart + b * (apart * apart - spread)
        for j in range(row.shape[0]):
            row[j] *= -pull[j]


@njit(fastmath=FAST, nogil=True, cache=True)
def log_sums(x, first, sums):
    """Overwrite x (n, N) by chances; write log2 of the sums of 2**x over all others to sums (N,)."""
    for r in range(x.shape[0]):
        x[r, first + r] = FAR
        sums[first + r] = soften(x[r])


class Rows:
    """Blocks of rows of x_ij between the images Z (N, p) of samples with log2 weights (N,)."""

    def __init__(self, Z: NDArray, log_weights: NDArray) -> None:
        self.Z = Z
        ones = np.ones((len(Z), 1), f32)
        level = log_weights - LOG2E * np.einsum("np,np->n", Z, Z)
        self.left = np.hstack([2 * LOG2E * Z, ones])
        self.right = np.hstack([Z, level[:, None]]).T
        self.starts = range(0, len(Z), max(1, BLOCK // len(Z)))

    def block(self, start: int) -> NDArray:
        """Rows (n, N) from ``start`` on."""
        return self.left[start : start + self.starts.step] @ self.right

    def slope(self, forces: Callable[[int], NDArray]) -> NDArray:
        """dE/dZ (N, p); ``forces(start)`` are the rows of dE/dD from ``start`` on."""
        N, p = self.Z.shape
        beside = np.hstack([self.Z, np.ones((N, 1), f32)])
        pulled = np.zeros((N, p + 1), f32)
        for start in self.starts:
            W = forces(start)
            rows = slice(start, start + len(W))
            pulled[rows, :p] += W @ self.Z
            pulled += W.T @ beside[rows]
        return 2 * (pulled[:, p:] * self.Z - pulled[:, :p])


def evaluate(
    data: Any, A: NDArray, diagonal: bool, with_gradient: bool
) -> tuple[NDArray, NDArray]:
    """E (R,) and, where it is wanted, dE/dA."""
    energies, gradient = np.empty(len(A)), np.empty(A.shape)
    of_one = _similar if isinstance(data.cost, Similarity) else _predicted
    for r in range(len(A)):
        b, a = r % len(data.X), np.asarray(A[r], dtype=f32)
        X = data.X[b]
        rows = Rows(X * a if diagonal else X @ a.T, data.log_weights[b])
        energies[r], slope = of_one(data, b, rows, with_gradient)
        if with_gradient:
            gradient[r] = (slope * X).sum(axis=0) if diagonal else slope.T @ X
    return energies, gradient


def _similar(data, b, rows, with_gradient):
    """The energy of similar neighbours, and dE/dZ: one pass over the pairs."""
    y, w = data.y[b % len(data.y)], data.weights[b]
    costs, floor = np.empty(len(w), f32), f32(data.cost.log_floor)

    def forces(start):
        x = rows.block(start)
        own = y[start : start + len(x), None]
        similar = similarity(data.cost.kind, own, y[None]).astype(f32)
        similarity_forces(x, start, similar, w, floor, costs)
        return x

    slope = None
    if with_gradient:
        slope = rows.slope(forces)
    else:
        for start in rows.starts:
            forces(start)
    return np.dot(w.astype(np.float64), costs), slope


def _predicted(data, b, rows, with_gradient):
    """The energy of predictions, and dE/dZ: a pass for the means, and one for what follows from all of them."""
    y = data.y[b].astype(f32)
    means, spreads = np.empty(y.shape, f32), np.empty(y.shape, f32)

    def chances(start):
        x = rows.block(start)
        predictions(x, start, y, means, spreads)
        return x

    kept = [chances(start) for start in rows.starts[:1]]  # often the only block
    for start in rows.starts[1:]:
        chances(start)
    E, by_mean, by_variance = mean_loss(
        data.cost,
        data.y[b][None],
        data.weights[b][None].astype(np.float64),
        means[None],
        spreads[None],
        data.scale[b][None],
    )
    parameters = y, means, spreads, by_mean[0].astype(f32), by_variance[0].astype(f32)

    def forces(start):
        P = kept.pop() if start == 0 else chances(start)
        prediction_forces(P, start, *parameters)
        return P

    return E[0], rows.slope(forces) if with_gradient else None


def log_partition(
    X: NDArray, A: NDArray, counted: NDArray, kept_bytes: int, gradient: NDArray
) -> float:
    """Return sum_i counted_i log sum_{j != i} exp(-|A x_i - A x_j|^2) / N, and write its slope by A to ``gradient``.

    X (N, d), A (p, d), counted (N,) of zeros and ones and the gradient (p, d) are in float32.
    """
    N = len(X)
    Z = X @ A.T
    rows, sums = Rows(Z, np.zeros(N, f32)), np.empty(N, f32)

    def forces(start):
        x = rows.block(start)
        log_sums(x, start, sums)
        x *= -counted[start : start + len(x), None] / f32(N)
        return x

    F = rows.slope(forces)
    # dlog/dD_ij = -p_ij has row sums: every row pulls at its own sample, too
    own = -counted / f32(N)
    gradient[:] = (F + 2 * own[:, None] * Z).T @ X
    sums = sums.astype(np.float64) - LOG2E * np.einsum("np,np->n", Z, Z)
    return float(np.dot(counted, sums) * np.log(2.0) / N)
