"""NCA's energy and gradient, tile by tile over the upper triangle of pairs; no N x N array.

With h_ij = -log2(e) |z_i - z_j|^2 the weight of neighbour j is w_j 2**(h_ij - m_i), m_i the largest h of row i,
so that nothing over- or underflows. The m_i are whole numbers: one polynomial serves the pair both ways. The patterns'
own weights w have mean one.

Pass 1 gathers each row's weight inside (``S``) and outside (``O``) its class; a larger m found on the way
rescales what was gathered. Pass 2 turns the tiles into W + W^T, w_i w_j W_ij = w_i P_ij (same_ij - p_i) = N dE/dD_ij,
and multiplies: dE/dZ_i = 2/N w_i sum_j (W + W^T)_ij w_j (z_i - z_j). Tiles stay in memory between the passes while
they fit the budget and are computed again beyond it.
"""

import numpy as np

from .compiling import njit
from .exp2 import EXACT, LOG2E, SUMS, larger, mantissa, nearest_integer, power

TILE = 256
FAR = np.float32(-1e30)
f32 = np.float32


@njit(nogil=True, cache=True)
def factors(X, A):
    """U, V of shape (N, p + 2) with h_ij = U_i . V_j; V_i is (z_i, 1, -q_i), q_i = log2(e) |z_i|^2."""
    Z = np.dot(X, A.T)
    N, p = Z.shape
    U = np.empty((N, p + 2), f32)
    V = np.empty((N, p + 2), f32)
    for i in range(N):
        q = f32(0)
        for k in range(p):
            U[i, k] = f32(2) * LOG2E * Z[i, k]
            V[i, k] = Z[i, k]
            q += LOG2E * Z[i, k] * Z[i, k]
        U[i, p] = V[i, p + 1] = -q
        U[i, p + 1] = V[i, p] = f32(1)
    return U, V


@njit(nogil=True, cache=True)
def tile_view(buffer, N, i0, j0):
    """A flat buffer as the tile of the rows from i0 and the columns from j0."""
    rows, columns = min(TILE, N - i0), min(TILE, N - j0)
    return buffer[: rows * columns].reshape(rows, columns)


@njit(nogil=True, cache=True)
def fill_tile(h, U, V, i0, j0):
    np.dot(U[i0 : i0 + h.shape[0]], V[j0 : j0 + h.shape[1]].T, h)


@njit(fastmath=SUMS, nogil=True, cache=True)
def row_top(h, column_top):
    """Largest h of a row; the columns' largest are updated on the way."""
    top = FAR
    for j in range(h.shape[0]):
        top = larger(top, h[j])
        column_top[j] = larger(column_top[j], h[j])
    return top


@njit(nogil=True, cache=True)
def raise_shift(i, top, m, S, O):
    """Let row i's weights be relative to a nearer neighbour."""
    top = nearest_integer(top)
    if top > m[i]:
        fade = power(m[i] - top)
        S[i] *= fade
        O[i] *= fade
        m[i] = top


@njit(nogil=True, cache=True)
def raise_shifts(h, i0, j0, m, S, O):
    rows, columns = h.shape
    column_top = np.full(columns, FAR, f32)
    for i in range(rows):
        start = max(0, i0 + i + 1 - j0)
        raise_shift(i0 + i, row_top(h[i, start:], column_top[start:]), m, S, O)
    for j in range(columns):
        raise_shift(j0 + j, column_top[j], m, S, O)


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
def gather(h, i0, j0, begin, end, w, m, S, O):
    """Pass 1 on one tile."""
    raise_shifts(h, i0, j0, m, S, O)
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
    """m, S and O of every pattern; ``tiles`` (n_tiles or 1, TILE**2) holds the pairs, or the last ones of them."""
    N = U.shape[0]
    m, S, O = np.full(N, FAR, f32), np.zeros(N, f32), np.zeros(N, f32)
    t = 0
    for i0 in range(0, N, TILE):
        for j0 in range(i0, N, TILE):
            h = tile_view(tiles[t], N, i0, j0)
            fill_tile(h, U, V, i0, j0)
            gather(h, i0, j0, begin, end, w, m, S, O)
            t += tiles.shape[0] > 1
    return m, S, O


@njit(nogil=True, cache=True)
def pull(V, U, begin, end, w, tiles, m, inside, outside):
    """F_i = sum_j (W + W^T)_ij w_j V_j, from the tiles of the first pass."""
    N = V.shape[0]
    F = np.zeros(V.shape, f32)
    heavy = w.reshape(N, 1) * V
    t = 0
    for i0 in range(0, N, TILE):
        for j0 in range(i0, N, TILE):
            h = tile_view(tiles[t], N, i0, j0)
            if tiles.shape[0] > 1:
                t += 1
            elif N > TILE:  # the one buffer holds another tile by now
                fill_tile(h, U, V, i0, j0)
            forces(h, i0, j0, begin, end, m, inside, outside)
            i1, j1 = i0 + h.shape[0], j0 + h.shape[1]
            F[i0:i1] += np.dot(h, heavy[j0:j1])
            F[j0:j1] += np.dot(h.T, heavy[i0:i1])
    return F


@njit(nogil=True, cache=True)
def energy_and_gradient(X, begin, end, w, A, log_floor, gradient, kept_bytes):
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    A row costs 1 - p, or -log(p + log_floor) where that is positive.

    X (N, d), w (N,) and A (p, d) in float32; patterns sorted by class, begin[i] <= i < end[i] the class of i.
    """
    N, p = X.shape[0], A.shape[0]
    U, V = factors(X, A)
    n = (N + TILE - 1) // TILE
    n_tiles = n * (n + 1) // 2
    kept = gradient.size > 0 and n_tiles * TILE * TILE * 4 <= kept_bytes
    tiles = np.empty((n_tiles if kept else 1, min(TILE, N) ** 2), f32)
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
        F = pull(V, U, begin, end, w, tiles, m, inside, outside)
        dZ = np.empty((N, p), f32)
        for i in range(N):
            for k in range(p):
                dZ[i, k] = w[i] * (F[i, p] * V[i, k] - F[i, k])
        gradient[:] = np.dot(dZ.T, X) * f32(2 / N)
    return E
