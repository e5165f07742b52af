"""NCA's energy and gradient over all pairs of patterns, see ``pair_tiles``.

Pass 1 gathers each row's weight inside (``S``) and outside (``O``) its class. Pass 2 makes the forces
w_i w_j W_ij = w_i P_ij (same_ij - p_i).
"""

import numpy as np

from .compiling import njit
from .exp2 import EXACT, SUMS, mantissa, nearest_integer, power
from .pair_tiles import FAR, add_pull, factors, new_tile, raise_shifts, room_for_tiles, same_tile, slope_of, tile_starts

f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_weights(h, mi, wi, m, w, column):
    """Add w_i 2**(h_j - m_j) to the columns; return the row's sum of w_j 2**(h_j - m_i)."""
    total = f32(0)
    for j in range(h.shape[0]):
        n = nearest_integer(h[j])
        v = mantissa(h[j] - n)
        total += w[j] * (v * power(n - mi))
        column[j] += wi * (v * power(n - m[j]))
    return total


@njit(fastmath=EXACT, nogil=True, cache=True)
def pair_forces(h, mi, ci, m, c):
    """Overwrite h_j by 2**(h_j - m_i) c_i + 2**(h_j - m_j) c_j."""
    for j in range(h.shape[0]):
        n = nearest_integer(h[j])
        h[j] = mantissa(h[j] - n) * (power(n - mi) * ci + power(n - m[j]) * c[j])


@njit(nogil=True, cache=True)
def own_class(i, begin, end, j0, columns):
    """The tile columns right of the diagonal, split where the class of i begins and ends."""
    start = min(max(0, i + 1 - j0), columns)
    b = min(max(begin[i] - j0, start), columns)
    e = min(max(end[i] - j0, start), columns)
    return start, b, e


@njit(nogil=True, cache=True)
def gather(h, i0, j0, begin, end, w, m, sums):
    """Pass 1 on one tile."""
    raise_shifts(h, i0, j0, m, sums)
    S, O = sums[0], sums[1]
    mj, wj, Sj, Oj = m[j0:], w[j0:], S[j0:], O[j0:]
    for i in range(i0, i0 + h.shape[0]):
        row = h[i - i0]
        s, b, e = own_class(i, begin, end, j0, row.shape[0])
        outside = add_weights(row[s:b], m[i], w[i], mj[s:b], wj[s:b], Oj[s:b])
        inside = add_weights(row[b:e], m[i], w[i], mj[b:e], wj[b:e], Sj[b:e])
        outside += add_weights(row[e:], m[i], w[i], mj[e:], wj[e:], Oj[e:])
        S[i] += inside
        O[i] += outside


@njit(nogil=True, cache=True)
def forces(h, i0, j0, begin, end, m, inside, outside):
    """Pass 2 on one tile: W + W^T in place, strictly above the diagonal."""
    mj, cj, oj = m[j0:], inside[j0:], outside[j0:]
    for i in range(i0, i0 + h.shape[0]):
        row = h[i - i0]
        s, b, e = own_class(i, begin, end, j0, row.shape[0])
        row[:s] = f32(0)
        pair_forces(row[s:b], m[i], outside[i], mj[s:b], oj[s:b])
        pair_forces(row[b:e], m[i], inside[i], mj[b:e], cj[b:e])
        pair_forces(row[e:], m[i], outside[i], mj[e:], oj[e:])


@njit(nogil=True, cache=True)
def gather_all(U, V, begin, end, w, tiles):
    """m, S and O of every pattern."""
    N, starts = U.shape[0], tile_starts(U.shape[0])
    m, sums = np.full(N, FAR, f32), np.zeros((2, N), f32)
    for t in range(starts.shape[0]):
        i0, j0 = starts[t]
        gather(new_tile(tiles, t, U, V, i0, j0), i0, j0, begin, end, w, m, sums)
    return m, sums[0], sums[1]


@njit(nogil=True, cache=True)
def pull(V, U, begin, end, w, tiles, m, inside, outside):
    """F_i = sum_j (W + W^T)_ij w_j V_j, from the tiles of the first pass."""
    F, starts = np.zeros(V.shape, f32), tile_starts(V.shape[0])
    heavy = w.reshape(w.shape[0], 1) * V
    for t in range(starts.shape[0]):
        i0, j0 = starts[t]
        h = same_tile(tiles, t, U, V, i0, j0)
        forces(h, i0, j0, begin, end, m, inside, outside)
        add_pull(F, h, heavy, i0, j0)
    return F


@njit(nogil=True, cache=True)
def energy_and_gradient(X, begin, end, w, A, log_floor, gradient, kept_bytes):
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    A row costs 1 - p, or -log(p + log_floor) where that is positive.

    X (N, d), w (N,) and A (p, d) in float32; patterns sorted by class, begin[i] <= i < end[i] the class of i.
    """
    N = X.shape[0]
    U, V = factors(X, A)
    tiles = room_for_tiles(N, kept_bytes if gradient.size > 0 else 0)
    m, S, O = gather_all(U, V, begin, end, w, tiles)
    E = 0.0
    inside, outside = np.zeros(N, f32), np.zeros(N, f32)
    for i in range(N):
        total = S[i] + O[i]
        P = S[i] / total
        slope = f32(1) / total
        if log_floor > 0:
            E -= w[i] * np.log(P + log_floor) / N
            slope /= P + log_floor
        else:
            E += w[i] * (O[i] / total) / N
        inside[i] = (f32(1) - P) * slope
        outside[i] = -P * slope
    if gradient.size > 0:
        gradient[:] = slope_of(pull(V, U, begin, end, w, tiles, m, inside, outside), V, w, X)
    return E
