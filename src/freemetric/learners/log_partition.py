"""The logarithm of every pattern's sum over all others of exp(-|z_i - z_j|^2), tile by tile; no N x N array.

The tiles are those of NCA, see ``kernels.pair_tiles``, with all patterns in one class.
"""

import numpy as np

from ..kernels.compiling import njit
from ..kernels.pair_tiles import factors, room_for_tiles, slope_of
from ..kernels.soft_neighbors import gather_all, pull

f32 = np.float32
KEPT_BYTES = 32 * 2**20  # of tiles between the two passes


@njit(nogil=True, cache=True)
def log_partition(X, A, counted, kept_bytes, gradient):
    """sum_i counted_i log sum_{j != i} exp(-|A x_i - A x_j|^2) / N; its gradient by A is written to ``gradient``.

    X (N, d), A (p, d), counted (N,) of zeros and ones and the gradient (p, d) in float32.
    """
    N = X.shape[0]
    begin, end, w = np.zeros(N, np.int64), np.full(N, N, np.int64), np.ones(N, f32)
    U, V = factors(X, A)
    tiles = room_for_tiles(N, kept_bytes)
    m, sums, none = gather_all(U, V, begin, end, w, tiles)
    value = 0.0
    for i in range(N):
        value += counted[i] * (np.log(sums[i]) + np.log(2.0) * m[i])
    forces = -counted / sums  # a larger distance makes the sum smaller
    gradient[:] = slope_of(pull(V, U, begin, end, w, tiles, m, forces, none), V, w, X)
    return value / N
