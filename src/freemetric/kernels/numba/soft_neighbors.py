"""NCA's energy and gradient over all pairs of samples, see ``pair_tiles``.

Pass 1 gathers each row's weight inside and outside its class. Pass 2 makes the forces
w_i w_j W_ij = w_i P_ij (same_ij - p_i).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import EXACT, SUMS, mantissa, nearest_integer, power
from .pair_tiles import FAR, Tiles, raise_shifts

f32 = np.float32


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
