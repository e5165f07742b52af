"""Means of targets over soft neighbours, their cost and its gradient, over all pairs of samples.

The tiles are those of ``soft_neighbors``. Row i's mean of targets t is mu_i = sum_j p_ij t_j; NCA's chances are means
of a class's indicator. Pass 1 gathers sum_j w_j 2**(h_ij - m_i) (1, t_j) by matrix products. With the slopes
g_i = dE/dmu_i pass 2 makes the forces

    dE/dD_ij = -p_ij g_i (t_j - mu_i) = w_i w_j 2**(h_ij - m_i) c_i (1, t_j),   c_i = (g_i mu_i, -g_i) / (w_i total_i).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import EXACT, mantissa, nearest_integer, power
from .losses import cost
from .soft_neighbors import FAR, TILE, Tiles, raise_shifts

f32 = np.float32


@njit(fastmath=EXACT, nogil=True, cache=True)
def weigh(h, i0, j0, m, own, others):
    """Weights of the pairs right of the diagonal relative to the shifts of the rows, and to those of the columns."""
    rows, columns = h.shape
    for i in range(rows):
        start = min(max(0, i0 + i + 1 - j0), columns)
        own[i, :start] = others[i, :start] = f32(0)
        for j in range(start, columns):
            n = nearest_integer(h[i, j])
            v = mantissa(h[i, j] - n)
            own[i, j] = v * power(n - m[i0 + i])
            others[i, j] = v * power(n - m[j0 + j])


@njit(fastmath=EXACT, nogil=True, cache=True)
def forces(h, i0, j0, m, own, others):
    """Overwrite h by 2**(h - m_i) own + 2**(h - m_j) others right of the diagonal, zero elsewhere."""
    rows, columns = h.shape
    for i in range(rows):
        start = min(max(0, i0 + i + 1 - j0), columns)
        h[i, :start] = f32(0)
        for j in range(start, columns):
            n = nearest_integer(h[i, j])
            h[i, j] = mantissa(h[i, j] - n) * (power(n - m[i0 + i]) * own[i, j] + power(n - m[j0 + j]) * others[i, j])


@njit(nogil=True, cache=True)
def means_of(sums, N):
    """Means (n - 1, N) from the first N of sums (n, M), the first of which is the weight."""
    means = np.empty((sums.shape[0] - 1, N))
    for k in range(means.shape[0]):
        for i in range(means.shape[1]):
            means[k, i] = sums[k + 1, i] / np.float64(sums[0, i])
    return means


def energy_and_gradient(
    A: NDArray, gradient: NDArray, X: NDArray, w: NDArray, targets: Sequence, kept_bytes: int
) -> float:
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    X (N, d), w (N,), A (p, d) and t (N, n), the targets behind a column of ones, in float32; y, scale, the kind of loss
    and its quantile as in ``losses``.
    """
    t, y, scale, kind, quantile = targets
    N, tiles = len(X), Tiles(X, A, kept_bytes if gradient.size else 0)
    m, sums = np.full(N, FAR), np.zeros((t.shape[1], N))  # in float64: a variance is a difference of means
    t = t.astype(np.float64)
    heavy = w[:, None] * t
    for h, i, j in tiles:
        raise_shifts(h, i, j, m, sums)
        own, others = np.empty_like(h), np.empty_like(h)
        weigh(h, i, j, m, own, others)
        sums[:, i : i + TILE] += (own @ heavy[j : j + TILE]).T
        sums[:, j : j + TILE] += (others.T @ heavy[i : i + TILE]).T
    means = sums[1:] / sums[0]
    slopes = np.empty(means.shape)
    E = cost(kind, quantile, means, y, w, scale, slopes)
    if gradient.size:
        # c is N times as large as in the formula, so that it is of order one
        unit = N / (w * sums[0].astype(np.float64))
        c = (unit * np.vstack([(slopes * means).sum(axis=0), -slopes])).T

        def overwrite(h, i, j):
            own, others = c[i : i + TILE] @ t[j : j + TILE].T, t[i : i + TILE] @ c[j : j + TILE].T
            forces(h, i, j, m, own.astype(f32), others.astype(f32))

        gradient[:] = tiles.slope(overwrite, w, X)
    return E
