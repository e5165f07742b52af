"""Energies and gradients where every sample knows only the L neighbours on its list: N L pairs instead of N^2.

Kernels are the two loops over pairs: chances from distances, and W X of W = dE/dD, from which ``maps`` makes the
gradient.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import prediction_cost, similarity_cost
from ..maps import images, slopes
from ..protocol import Similarity
from .compiling import FAST, njit
from .exp2 import LOG2E, soften

AT_A_TIME = 4096  # samples of several replicas, which stay in the cache
f32, u64 = np.float32, np.uint64


@njit(fastmath=FAST, nogil=True, cache=True)
def chances(Z, lists, P):
    """Overwrite the log2 weights P (R, N, L) of listed neighbours by their chances in spaces Z (R, N, p)."""
    for r in range(u64(Z.shape[0])):
        for i in range(u64(Z.shape[1])):
            own, x = Z[r, i], P[r, i]
            for l in range(u64(x.shape[0])):
                other, D = Z[r, u64(lists[r, i, l])], f32(0)
                for k in range(own.shape[0]):
                    D += (own[k] - other[k]) * (own[k] - other[k])
                x[l] -= LOG2E * D
            soften(x)


@njit(fastmath=FAST, nogil=True, cache=True)
def pull(W, lists, X, WX, s):
    """Write W X to WX (R, N, d) and the column sums of W to s (R, N)."""
    for r in range(u64(X.shape[0])):
        for i in range(u64(X.shape[1])):
            to = WX[r, i]
            to[:] = f32(0)
            for l in range(u64(W.shape[2])):
                j, force = u64(lists[r, i, l]), W[r, i, l]
                s[r, j] += force
                other = X[r, j]
                for k in range(to.shape[0]):
                    to[k] += force * other[k]


def evaluate(
    data: Any, A: NDArray, lists: Any, diagonal: bool, with_gradient: bool
) -> tuple[NDArray, NDArray]:
    """E (R,) of maps A (R, p, d), or weights of the features (R, 1, d), and dE/dA where it is wanted."""
    B, N, _ = data.X.shape
    energies, gradient = np.empty(len(A)), np.empty(A.shape)
    step = max(1, AT_A_TIME // N)
    for start in range(0, len(A), step):
        r = np.arange(start, min(start + step, len(A)))
        maps, X, rows = A[r].astype(f32), data.X[r % B], lists.rows[r]
        P = lists.log_weights[r]
        chances(images(X, maps, diagonal), rows, P)
        energies[r], W = _cost(data, r % B, P, lists.near[r])
        if with_gradient:
            WX, s = np.empty(X.shape, f32), np.zeros(X.shape[:2], f32)
            pull(W, rows, X, WX, s)
            gradient[r] = slopes(X, maps, diagonal, WX, s)
    return energies, gradient


def _cost(data, b, P, near):
    """Energies (R,) and dE/dD (R, N, L) in float32."""
    weights = data.weights[b]
    if isinstance(data.cost, Similarity):
        energies, W = similarity_cost(data.cost, P, near, weights)
    else:
        energies, W = prediction_cost(
            data.cost, P, near, data.y[b], weights.astype(np.float64), data.scale[b]
        )
    return energies, W.astype(f32)
