"""All pairs of N samples, tile by tile over the upper triangle; no N x N array.

With h_ij = -log2(e) |z_i - z_j|^2 the weight of neighbour j is w_j 2**(h_ij - m_i), m_i the largest h of row i,
so that nothing over- or underflows. The m_i are whole numbers: one polynomial serves the pair both ways. The samples'
own weights w have mean one.

A first pass gathers sums over every row's neighbours; a larger m found on the way rescales what was gathered. A second
one turns the tiles into forces W + W^T, w_i w_j W_ij = N dE/dD_ij, and multiplies:
dE/dZ_i = 2/N w_i sum_j (W + W^T)_ij w_j (z_i - z_j). Tiles stay in memory between the passes while they fit the budget
and are computed again beyond it. Matrix products are numpy's; kernels are the passes over one tile.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, nearest_integer, power

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
