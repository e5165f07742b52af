"""NCA's energy and gradient over all pairs of N samples, tile by tile over the upper triangle; no N x N array.

With h_ij = -log2(e) |z_i - z_j|^2 the weight of neighbour j is w_j 2**(h_ij - m_i), m_i the largest h of row i,
so that nothing over- or underflows. The m_i are whole numbers: one polynomial serves the pair both ways. The samples'
own weights w have mean one.

A first pass gathers sums over every row's neighbours, here its weights inside and outside its class; a larger m found
on the way rescales what was gathered. A second one turns the tiles into forces W + W^T, w_i w_j W_ij = N dE/dD_ij,
here w_i P_ij (same_ij - p_i), and multiplies: dE/dZ_i = 2/N w_i sum_j (W + W^T)_ij w_j (z_i - z_j). Tiles stay in
memory between the passes while they fit the budget and are computed again beyond it. Matrix products are numpy's;
kernels are the passes over one tile.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import EXACT, LOG2E, SUMS, larger, mantissa, nearest_integer, power

TILE = 256
FAR = np.float32(-1e30)
f32 = np.float32


class Tiles:
    """The tiles of h_ij = U_i . V_j between the images of N samples, kept between two passes where they fit."""

    def __init__(self, X: NDArray, A: NDArray, kept_bytes: int) -> None:
        Z = X @ A.T
        q = LOG2E * np.einsum("ip,ip->i", Z, Z)
        ones = np.ones_like(q)
        self.U = np.column_stack([2 * LOG2E * Z, -q, ones])
        self.V = np.column_stack([Z, ones, -q])
        N = len(X)
        self.starts = [(i, j) for i in range(0, N, TILE) for j in range(i, N, TILE)]
        self.keeps = len(self.starts) * TILE * TILE * 4 <= kept_bytes
        self.kept: list[NDArray] = []

    def __iter__(self) -> Iterator[tuple[NDArray, int, int]]:
        """Tiles with their first row and column: those kept before, which may be overwritten, or new ones."""
        again = bool(self.kept)
        for t, (i, j) in enumerate(self.starts):
            h = self.kept[t] if again else self.U[i : i + TILE] @ self.V[j : j + TILE].T
            if self.keeps and not again:
                self.kept.append(h)
            yield h, i, j

    def slope(self, forces: Callable[[NDArray, int, int], None], w: NDArray, X: NDArray) -> NDArray:
        """dE/dA (p, d); ``forces`` overwrites a tile by W + W^T, strictly above the diagonal."""
        N, p = len(X), self.V.shape[1] - 2
        heavy, F = w[:, None] * self.V[:, : p + 1], np.zeros((N, p + 1), f32)
        for h, i, j in self:
            forces(h, i, j)
            F[i : i + TILE] += h @ heavy[j : j + TILE]
            F[j : j + TILE] += h.T @ heavy[i : i + TILE]
        dZ = w[:, None] * (F[:, p:] * self.V[:, :p] - F[:, :p])
        return dZ.T @ X * f32(2 / N)


@njit(fastmath=SUMS, nogil=True, cache=True)
def raise_shifts(h, i0, j0, m, sums):
    """Let the sums (n, N) of rows and columns of a tile be relative to their nearest neighbours, m rounded."""
    rows, columns = h.shape
    top = np.full(rows + columns, FAR, f32)
    for i in range(rows):
        most, column_top = FAR, top[rows:]
        for j in range(max(0, i0 + i + 1 - j0), columns):
            most = larger(most, h[i, j])
            column_top[j] = larger(column_top[j], h[i, j])
        top[i] = most
    for k in range(rows + columns):
        i, whole = (i0 + k if k < rows else j0 + k - rows), nearest_integer(top[k])
        if whole > m[i]:
            fade = power(m[i] - whole)
            for n in range(sums.shape[0]):
                sums[n, i] *= fade
            m[i] = whole


@njit(fastmath=SUMS, nogil=True, cache=True)
def gather(h, i0, j0, begin, end, w, m, sums):
    """Pass 1 on one tile: the weights inside the classes of its samples go to sums[0], those outside to sums[1]."""
    raise_shifts(h, i0, j0, m, sums)
    rows, columns = h.shape
    for r in range(rows):
        i = i0 + r
        start = min(max(0, i + 1 - j0), columns)
        first = min(max(begin[i] - j0, start), columns)
        last = min(max(end[i] - j0, start), columns)
        row, mi, wi = h[r], m[i], w[i]
        for part in range(3):  # before the class of i, within it, behind it
            low, high = (start, first) if part == 0 else ((first, last) if part == 1 else (last, columns))
            side = 0 if part == 1 else 1
            mj, wj, column, v = m[j0 + low :], w[j0 + low :], sums[side, j0 + low :], row[low:high]
            total = f32(0)
            for j in range(v.shape[0]):
                n = nearest_integer(v[j])
                u = mantissa(v[j] - n)
                total += wj[j] * (u * power(n - mi))
                column[j] += wi * (u * power(n - mj[j]))
            sums[side, i] += total


@njit(fastmath=EXACT, nogil=True, cache=True)
def forces(h, i0, j0, begin, end, m, c):
    """Pass 2 on one tile: 2**(h_ij - m_i) c_i + 2**(h_ij - m_j) c_j in place, c[0] inside of a class, c[1] outside."""
    rows, columns = h.shape
    for r in range(rows):
        i = i0 + r
        start = min(max(0, i + 1 - j0), columns)
        first = min(max(begin[i] - j0, start), columns)
        last = min(max(end[i] - j0, start), columns)
        row, mi = h[r], m[i]
        row[:start] = f32(0)
        for part in range(3):
            low, high = (start, first) if part == 0 else ((first, last) if part == 1 else (last, columns))
            side = 0 if part == 1 else 1
            mj, cj, v, ci = m[j0 + low :], c[side, j0 + low :], row[low:high], c[side, i]
            for j in range(v.shape[0]):
                n = nearest_integer(v[j])
                v[j] = mantissa(v[j] - n) * (power(n - mi) * ci + power(n - mj[j]) * cj[j])


def gathered(tiles: Tiles, begin: NDArray, end: NDArray, w: NDArray) -> tuple[NDArray, NDArray]:
    """Shifts m (N,) and weights (2, N) inside and outside the class of every sample."""
    m, sums = np.full(len(w), FAR), np.zeros((2, len(w)), f32)
    for h, i, j in tiles:
        gather(h, i, j, begin, end, w, m, sums)
    return m, sums


def energy_and_gradient(
    A: NDArray, gradient: NDArray, X: NDArray, w: NDArray, classes: Sequence[NDArray], log_floor: float, kept_bytes: int
) -> float:
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    A row costs 1 - p, or -log(p + log_floor) where that is positive.

    X (N, d), w (N,) and A (p, d) in float32; samples sorted by class, begin[i] <= i < end[i] the class of i.
    """
    (begin, end), tiles = classes, Tiles(X, A, kept_bytes if gradient.size else 0)
    m, sums = gathered(tiles, begin, end, w)
    total = sums.sum(axis=0)
    P, wrong = sums / total
    slope = 1 / total
    if log_floor > 0:
        E = -np.dot(w, np.log(P.astype(np.float64) + log_floor)) / len(X)
        slope /= P + log_floor
    else:
        E = np.dot(w.astype(np.float64), wrong) / len(X)
    if gradient.size:
        c = np.stack([(1 - P) * slope, -P * slope])
        gradient[:] = tiles.slope(lambda h, i, j: forces(h, i, j, begin, end, m, c), w, X)
    return E


def log_partition(X: NDArray, A: NDArray, counted: NDArray, kept_bytes: int, gradient: NDArray) -> float:
    """sum_i counted_i log sum_{j != i} exp(-|A x_i - A x_j|^2) / N; its gradient by A is written to ``gradient``.

    X (N, d), A (p, d), counted (N,) of zeros and ones and the gradient (p, d) in float32: NCA's tiles with all samples
    in one class.
    """
    N = len(X)
    begin, end, w = np.zeros(N, np.int64), np.full(N, N, np.int64), np.ones(N, f32)
    tiles = Tiles(X, A, kept_bytes)
    m, (total, none) = gathered(tiles, begin, end, w)
    c = np.stack([-counted / total, none])  # a larger distance makes the sum smaller
    gradient[:] = tiles.slope(lambda h, i, j: forces(h, i, j, begin, end, m, c), w, X)
    return np.dot(counted, np.log(total.astype(np.float64)) + np.log(2.0) * m) / N
