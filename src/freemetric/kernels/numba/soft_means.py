"""Means of numbers over soft neighbours, their cost and its gradient, over all pairs of patterns, see ``pair_tiles``.

Row i's mean of targets t is mu_i = sum_j p_ij t_j; NCA's chances are means of a class's indicator. Pass 1 gathers
sum_j w_j 2**(h_ij - m_i) (1, t_j) by matrix products. With the slopes g_i = dE/dmu_i pass 2 makes the forces

    dE/dD_ij = -p_ij g_i (t_j - mu_i) = w_i w_j 2**(h_ij - m_i) c_i (1, t_j),   c_i = (g_i mu_i, -g_i) / (w_i total_i).
"""

import numpy as np

from .compiling import njit
from .exp2 import EXACT, mantissa, nearest_integer, power
from .losses import cost
from .pair_tiles import FAR, add_pull, factors, new_tile, raise_shifts, room_for_tiles, same_tile, slope_of, tile_starts

f32 = np.float32


@njit(fastmath=EXACT, nogil=True, cache=True)
def weigh_row(h, mi, m, own, others):
    """Weights of the pairs of a row relative to its own shift, and to the others'."""
    for j in range(h.shape[0]):
        n = nearest_integer(h[j])
        v = mantissa(h[j] - n)
        own[j] = v * power(n - mi)
        others[j] = v * power(n - m[j])


@njit(fastmath=EXACT, nogil=True, cache=True)
def force_row(h, mi, m, own, others):
    """Overwrite h_j by 2**(h_j - m_i) own_j + 2**(h_j - m_j) others_j."""
    for j in range(h.shape[0]):
        n = nearest_integer(h[j])
        h[j] = mantissa(h[j] - n) * (power(n - mi) * own[j] + power(n - m[j]) * others[j])


@njit(nogil=True, cache=True)
def gather(h, i0, j0, heavy, m, sums, own, others):
    """Pass 1 on one tile; ``heavy`` (N, n) holds w_j (1, t_j)."""
    raise_shifts(h, i0, j0, m, sums)
    i1, j1 = i0 + h.shape[0], j0 + h.shape[1]
    for i in range(h.shape[0]):
        start = min(max(0, i0 + i + 1 - j0), h.shape[1])
        own[i, :start] = others[i, :start] = f32(0)
        weigh_row(h[i, start:], m[i0 + i], m[j0 + start : j1], own[i, start:], others[i, start:])
    sums[:, i0:i1] += np.dot(own, heavy[j0:j1]).T
    sums[:, j0:j1] += np.dot(others.T, heavy[i0:i1]).T


@njit(nogil=True, cache=True)
def forces(h, i0, j0, m, t, c, own, others):
    """Pass 2 on one tile: W + W^T in place, strictly above the diagonal; ``t`` (N, n) holds (1, t_j)."""
    i1, j1 = i0 + h.shape[0], j0 + h.shape[1]
    np.dot(c[i0:i1], t[j0:j1].T, own)
    np.dot(t[i0:i1], c[j0:j1].T, others)
    for i in range(h.shape[0]):
        start = min(max(0, i0 + i + 1 - j0), h.shape[1])
        h[i, :start] = f32(0)
        force_row(h[i, start:], m[i0 + i], m[j0 + start : j1], own[i, start:], others[i, start:])


@njit(nogil=True, cache=True)
def room_for_pairs(h):
    return np.empty(h.shape, f32), np.empty(h.shape, f32)


@njit(nogil=True, cache=True)
def gather_all(U, V, t, w, tiles):
    """Shifts m (N,) and sums (n, N) over every pattern's neighbours."""
    N, starts = U.shape[0], tile_starts(U.shape[0])
    m, sums = np.full(N, FAR, f32), np.zeros((t.shape[1], N), f32)
    heavy = w.reshape(N, 1) * t
    for k in range(starts.shape[0]):
        i0, j0 = starts[k]
        h = new_tile(tiles, k, U, V, i0, j0)
        own, others = room_for_pairs(h)
        gather(h, i0, j0, heavy, m, sums, own, others)
    return m, sums


@njit(nogil=True, cache=True)
def pull(V, U, t, c, w, tiles, m):
    """F_i = sum_j (W + W^T)_ij w_j V_j, from the tiles of the first pass."""
    F, starts = np.zeros(V.shape, f32), tile_starts(V.shape[0])
    heavy = w.reshape(w.shape[0], 1) * V
    for k in range(starts.shape[0]):
        i0, j0 = starts[k]
        h = same_tile(tiles, k, U, V, i0, j0)
        own, others = room_for_pairs(h)
        forces(h, i0, j0, m, t, c, own, others)
        add_pull(F, h, heavy, i0, j0)
    return F


@njit(nogil=True, cache=True)
def means_of(sums, N):
    """Means (n - 1, N) from the first N of sums (n, M), the first of which is the weight."""
    means = np.empty((sums.shape[0] - 1, N))
    for k in range(means.shape[0]):
        for i in range(means.shape[1]):
            means[k, i] = sums[k + 1, i] / np.float64(sums[0, i])
    return means


@njit(nogil=True, cache=True)
def coefficients(sums, means, slopes, w):
    """c (N, n), N times as large as in the formula so that it is of order one."""
    n, N = sums.shape
    c = np.empty((N, n), f32)
    for i in range(N):
        unit, level = N / (w[i] * np.float64(sums[0, i])), 0.0
        for k in range(1, n):
            level += slopes[k - 1, i] * means[k - 1, i]
            c[i, k] = -unit * slopes[k - 1, i]
        c[i, 0] = unit * level
    return c


@njit(nogil=True, cache=True)
def energy_and_gradient(X, t, y, scale, w, A, kind, quantile, gradient, kept_bytes):
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    X (N, d), w (N,), A (p, d) and t (N, n), the targets behind a column of ones, in float32; y and scale as in
    ``losses``.
    """
    U, V = factors(X, A)
    tiles = room_for_tiles(X.shape[0], kept_bytes if gradient.size > 0 else 0)
    m, sums = gather_all(U, V, t, w, tiles)
    means = means_of(sums, X.shape[0])
    slopes = np.empty(means.shape)
    E = cost(kind, quantile, means, y, w, scale, slopes)
    if gradient.size > 0:
        gradient[:] = slope_of(pull(V, U, t, coefficients(sums, means, slopes, w), w, tiles, m), V, w, X)
    return E
