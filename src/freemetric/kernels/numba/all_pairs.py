"""Energies and gradients over all pairs of N samples, a block of rows at a time; no N x
N array.

Row i of a block holds x_ij = log2(w_j) - log2(e) |z_i - z_j|^2 up to a constant, from
one matrix product. Kernels overwrite it by W_ij = dE/dD_ij, whose row sums vanish.
``formulas`` says how the gradient follows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formulas import Similarity, images, mean_loss, similarity, slopes
from .compiling import FAST, njit
from .rows import LOG2E, largest, raise_two, share_out, similarity_cost

BLOCK = 1 << 17  # pairs at a time, which stay in the cache
FAR = np.float32(-1e30)
f32 = np.float32


@njit(fastmath=FAST, nogil=True, cache=True)
def similarity_forces(x, first, similar, w, log_floor, with_forces, costs):
    """Write the costs of samples from ``first`` on to costs (N,); overwrite x (n, N) by
    dE/dD where it is wanted.
    """
    for r in range(x.shape[0]):
        i = first + r
        x[r, i] = FAR
        raise_two(x[r], largest(x[r]))
        costs[i] = similarity_cost(x[r], similar[r], w[i], log_floor, with_forces)


@njit(fastmath=FAST, nogil=True, cache=True)
def predictions(x, first, y, means, spreads):
    """Overwrite x (n, N) by chances; write means and variances (m, N) of targets y (m,
    N) among neighbours.
    """
    for r in range(x.shape[0]):
        row, i = x[r], first + r
        row[i] = FAR
        raise_two(row, largest(row))
        share_out(row)
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
    """Overwrite chances P (n, N) by dE/dD; derivatives by means and variances are (m,
    N).
    """
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
    """Overwrite x (n, N) by chances; write log2 of the sums of 2**x over all others to
    sums (N,).
    """
    for r in range(x.shape[0]):
        x[r, first + r] = FAR
        most = largest(x[r])
        raise_two(x[r], most)
        sums[first + r] = most + np.log2(share_out(x[r]))


class Rows:
    """Blocks of rows of x_ij between samples X (N, d) with log2 weights (N,) in the
    space of a map A.
    """

    def __init__(
        self, X: NDArray, A: NDArray, diagonal: bool, log_weights: NDArray
    ) -> None:
        self.X = X
        self.A = A
        self.diagonal = diagonal
        self.Z = images(X, A, diagonal)
        level = log_weights - LOG2E * np.einsum("np,np->n", self.Z, self.Z)
        self.left = np.column_stack([2 * LOG2E * self.Z, np.ones_like(level)])
        self.right = np.column_stack([self.Z, level]).T
        self.starts = range(0, len(X), max(1, BLOCK // len(X)))

    def block(self, start: int) -> NDArray:
        """Rows (n, N) from ``start`` on."""
        return self.left[start : start + self.starts.step] @ self.right

    def gradient(self, forces: Callable[[int], NDArray]) -> NDArray:
        """dE/dA; ``forces(start)`` are the rows of dE/dD from ``start`` on, whose sums
        vanish.
        """
        if 2 * self.Z.shape[1] < self.X.shape[1]:
            return self._slope_of_images(forces).T @ self.X
        WX, s = np.empty_like(self.X), np.zeros(len(self.X), f32)
        for start in self.starts:
            W = forces(start)
            WX[start : start + len(W)] = W @ self.X
            s += np.ones(len(W), f32) @ W
        return slopes(self.X, self.A, self.diagonal, s[:, None] * self.X - 2 * WX)

    def _slope_of_images(self, forces):
        """dE/dZ (N, p) = 2 (s_i z_i - sum_j (W_ij + W_ji) z_j): two products, of fewer
        columns.
        """
        pulled, s = np.zeros_like(self.Z), np.zeros(len(self.X), f32)
        for start in self.starts:
            W = forces(start)
            rows = slice(start, start + len(W))
            pulled[rows] += W @ self.Z
            pulled += W.T @ self.Z[rows]
            s += np.ones(len(W), f32) @ W
        return 2 * (s[:, None] * self.Z - pulled)


def evaluate(
    data: Any, A: NDArray, diagonal: bool, with_gradient: bool
) -> tuple[NDArray, NDArray]:
    """E (R,) and, where it is wanted, dE/dA."""
    energies, gradient = np.empty(len(A)), np.empty(A.shape)
    of_one = _similar if isinstance(data.cost, Similarity) else _predicted
    maps = A.astype(f32)
    for r in range(len(A)):
        b = r % len(data.X)
        rows = Rows(data.X[b], maps[r], diagonal, data.log_weights[b])
        energies[r], slope = of_one(data, b, rows, with_gradient)
        if with_gradient:
            gradient[r] = slope
    return energies, gradient


def _similar(data, b, rows, with_gradient):
    """The energy of similar neighbours and its gradient: one pass over the pairs."""
    y, w = data.y[b % len(data.y)], data.weights[b]
    costs, floor = np.empty(len(w), f32), f32(data.cost.log_floor)

    def forces(start):
        x = rows.block(start)
        own = y[start : start + len(x), None]
        similar = similarity(data.cost.kind, own, y[None]).astype(f32)
        similarity_forces(x, start, similar, w, floor, with_gradient, costs)
        return x

    gradient = None
    if with_gradient:
        gradient = rows.gradient(forces)
    else:
        for start in rows.starts:
            forces(start)
    return np.dot(w.astype(np.float64), costs), gradient


def _predicted(data, b, rows, with_gradient):
    """The energy of predictions and its gradient: a pass for the means, and one for
    what follows from all of them.
    """
    y = data.y[b].astype(f32)
    means, spreads = np.empty(y.shape, f32), np.empty(y.shape, f32)

    def chances(start):
        x = rows.block(start)
        predictions(x, start, y, means, spreads)
        return x

    first = chances(0)
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
        P = first if start == 0 else chances(start)  # often the only block
        prediction_forces(P, start, *parameters)
        return P

    return E[0], rows.gradient(forces) if with_gradient else None


def log_partition(
    X: NDArray, A: NDArray, counted: NDArray, block_bytes: int, gradient: NDArray
) -> float:
    """Return sum_i counted_i log sum_{j != i} exp(-|A x_i - A x_j|^2) / N, and write
    its slope by A to ``gradient``.

    X (N, d), A (p, d), counted (N,) of zeros and ones and the gradient (p, d) are in
    float32."""
    share = counted / f32(len(X))
    rows = Rows(X, A, False, np.zeros(len(X), f32))
    sums = np.empty(len(X), f32)

    def forces(start):
        x = rows.block(start)
        log_sums(x, start, sums)
        x *= -share[start : start + len(x), None]
        return x

    gradient[:] = rows.gradient(forces)
    # The sums of these rows do not vanish.
    gradient -= 2 * (share[:, None] * rows.Z).T @ X
    exponents = sums - LOG2E * np.einsum("np,np->n", rows.Z, rows.Z).astype(np.float64)
    return float(np.dot(share, exponents) * np.log(2.0))
