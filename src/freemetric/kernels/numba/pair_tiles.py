"""All pairs of N patterns, tile by tile over the upper triangle; no N x N array.

With h_ij = -log2(e) |z_i - z_j|^2 the weight of neighbour j is w_j 2**(h_ij - m_i), m_i the largest h of row i,
so that nothing over- or underflows. The m_i are whole numbers: one polynomial serves the pair both ways. The patterns'
own weights w have mean one.

A first pass gathers sums over every row's neighbours; a larger m found on the way rescales what was gathered. A second
one turns the tiles into forces W + W^T, w_i w_j W_ij = N dE/dD_ij, and multiplies:
dE/dZ_i = 2/N w_i sum_j (W + W^T)_ij w_j (z_i - z_j). Tiles stay in memory between the passes while they fit the budget
and are computed again beyond it.
"""

import numpy as np

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, nearest_integer, power

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
def tile_starts(N):
    """First row and first column (n_tiles, 2) of every tile."""
    n = (N + TILE - 1) // TILE
    starts = np.empty((n * (n + 1) // 2, 2), np.int64)
    t = 0
    for i0 in range(0, N, TILE):
        for j0 in range(i0, N, TILE):
            starts[t] = i0, j0
            t += 1
    return starts


@njit(nogil=True, cache=True)
def room_for_tiles(N, kept_bytes):
    """Buffers (n_tiles, TILE**2) of all tiles, or one where they take more than ``kept_bytes``."""
    n_tiles = tile_starts(N).shape[0]
    kept = n_tiles * TILE * TILE * 4 <= kept_bytes
    return np.empty((n_tiles if kept else 1, min(TILE, N) ** 2), f32)


@njit(nogil=True, cache=True)
def new_tile(tiles, t, U, V, i0, j0):
    """Tile t, computed."""
    h = tile_view(tiles[t if tiles.shape[0] > 1 else 0], U.shape[0], i0, j0)
    fill_tile(h, U, V, i0, j0)
    return h


@njit(nogil=True, cache=True)
def same_tile(tiles, t, U, V, i0, j0):
    """Tile t as ``new_tile`` left it."""
    if tiles.shape[0] == 1 and U.shape[0] > TILE:  # the one buffer holds another tile by now
        return new_tile(tiles, t, U, V, i0, j0)
    return tile_view(tiles[t], U.shape[0], i0, j0)


@njit(nogil=True, cache=True)
def raise_shift(i, top, m, sums):
    """Let row i's sums (n, N) be relative to a nearer neighbour."""
    top = nearest_integer(top)
    if top > m[i]:
        fade = power(m[i] - top)
        for k in range(sums.shape[0]):
            sums[k, i] *= fade
        m[i] = top


@njit(nogil=True, cache=True)
def raise_shifts(h, i0, j0, m, sums):
    rows, columns = h.shape
    column_top = np.full(columns, FAR, f32)
    for i in range(rows):
        start = max(0, i0 + i + 1 - j0)
        raise_shift(i0 + i, row_top(h[i, start:], column_top[start:]), m, sums)
    for j in range(columns):
        raise_shift(j0 + j, column_top[j], m, sums)


@njit(nogil=True, cache=True)
def add_pull(F, h, heavy, i0, j0):
    """Add the forces h of a tile times w_j V_j, both ways, to F."""
    i1, j1 = i0 + h.shape[0], j0 + h.shape[1]
    F[i0:i1] += np.dot(h, heavy[j0:j1])
    F[j0:j1] += np.dot(h.T, heavy[i0:i1])


@njit(nogil=True, cache=True)
def slope_of(F, V, w, X):
    """dE/dA (p, d) from F_i = sum_j (W + W^T)_ij w_j V_j."""
    N, p = X.shape[0], V.shape[1] - 2
    dZ = np.empty((N, p), f32)
    for i in range(N):
        for k in range(p):
            dZ[i, k] = w[i] * (F[i, p] * V[i, k] - F[i, k])
    return np.dot(dZ.T, X) * f32(2 / N)
