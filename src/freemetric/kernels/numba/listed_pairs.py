"""Energies and gradients where every sample knows only the L neighbours on its list: N L pairs instead of N^2.

Kernels are the two loops over pairs: what follows from their distances, and W X of W = dE/dD, from which ``maps`` makes
the gradient.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from ..costs import prediction_cost
from ..maps import images, slopes
from ..protocol import Similarity
from .compiling import FAST, njit
from .exp2 import LOG2E
from .rows import largest, raise_two, share_out, similarity_cost

LANES = 16  # numbers of the longest vectors
AT_A_TIME = 4096  # samples of several replicas, which stay in the cache
NEGLIGIBLE = np.float32(1e-6)  # of a force, beside others of order one
f32, u64 = np.float32, np.uint64  # unsigned numbers spare a check for negative ones


@numba.njit(inline="always")
def weigh(Z, rows, log_weights, W):
    """Write weights 2**x of neighbours to W (N, L), the largest of a sample being one, in a space Z (N, p)."""
    for i in range(u64(Z.shape[0])):
        own, x = Z[i], W[i]
        for l in range(u64(x.shape[0])):
            other, D = Z[u64(rows[i, l])], f32(0)
            for k in range(own.shape[0]):
                D += (own[k] - other[k]) * (own[k] - other[k])
            x[l] = log_weights[i, l] - LOG2E * D
        most = largest(x)
        for l in range(u64(x.shape[0])):
            x[l] -= most
    raise_two(W.reshape(W.size), f32(0))  # all in one: vectors are longer than lists


@njit(fastmath=FAST, nogil=True, cache=True)
def similarity_forces(Z, rows, log_weights, near, w, log_floor, with_forces, costs, W):
    """Write the costs (R, N) of all samples and, where it is wanted, W (R, N, L) of spaces Z (R, N, p)."""
    for r in range(u64(Z.shape[0])):
        weigh(Z[r], rows[r], log_weights[r], W[r])
        for i in range(u64(Z.shape[1])):
            costs[r, i] = similarity_cost(
                W[r, i], near[r, i], w[r, i], log_floor, with_forces
            )


@njit(fastmath=FAST, nogil=True, cache=True)
def chances(Z, rows, log_weights, P):
    """Write the chances P (R, N, L) of neighbours in spaces Z (R, N, p)."""
    for r in range(u64(Z.shape[0])):
        weigh(Z[r], rows[r], log_weights[r], P[r])
        for i in range(u64(Z.shape[1])):
            share_out(P[r, i])


@njit(fastmath=FAST, nogil=True, cache=True)
def pull(W, rows, X, half):
    """Write diag(s) X - 2 W X to half (R, N, d), s the column sums of W (R, N, L).

    Samples that only feel negligible forces are passed over: on a cold walk these are many.
    """
    N = u64(X.shape[1])
    s, least = np.empty(N, f32), NEGLIGIBLE / f32(N)
    for r in range(u64(X.shape[0])):
        s[:] = f32(0)
        for i in range(N):
            to = half[r, i]
            to[:] = f32(0)
            forces = W[r, i]
            most = f32(0)
            for l in range(u64(forces.shape[0])):
                most = max(most, abs(forces[l]))
            if most < least:
                continue
            for l in range(u64(forces.shape[0])):
                j, force = u64(rows[r, i, l]), forces[l]
                s[j] += force
                other = X[r, j]
                for k in range(to.shape[0]):
                    to[k] += force * other[k]
        for i in range(N):
            to, own = half[r, i], X[r, i]
            for k in range(to.shape[0]):
                to[k] = s[i] * own[k] - f32(2) * to[k]


def filled_up(A: NDArray, axes: tuple[int, ...] = (2,)) -> NDArray[np.float32]:
    """A stack in float32 with zeros behind the last two dimensions: loops over features run in whole vectors."""
    room = [(0, -A.shape[axis] % LANES if axis in axes else 0) for axis in range(3)]
    return np.pad(A.astype(f32), room)


def evaluate(
    data: Any, A: NDArray, lists: Any, diagonal: bool, with_gradient: bool
) -> tuple[NDArray, NDArray]:
    """E (R,) of maps A (R, p, d), or weights of the features (R, 1, d), and dE/dA where it is wanted."""
    (B, N, _), (R, p, d) = data.wide.shape, A.shape
    energies, gradient = np.empty(R), np.empty(A.shape)
    maps = filled_up(A, (2,) if diagonal else (1, 2))
    step = max(1, AT_A_TIME // N)
    for start in range(0, R, step):
        some = slice(start, start + step)
        b = some if B == R else np.arange(R)[some] % B
        X, A = data.wide[b], maps[some]
        Z = images(X, A, diagonal)
        energies[some], W = _cost(data, b, Z, lists, some, with_gradient)
        if with_gradient:
            half = np.empty(X.shape, f32)
            pull(W, lists.rows[some], X, half)
            gradient[some] = slopes(X, A, diagonal, half)[:, :p, :d]
    return energies, gradient


def _cost(data, b, Z, lists, some, with_gradient):
    """Energies (R,) and dE/dD (R, N, L)."""
    weights, near = data.weights[b], lists.near[some]
    W, listed = np.empty(lists.rows[some].shape, f32), (lists.rows[some], lists.log_weights[some])
    if isinstance(data.cost, Similarity):
        costs, floor = np.empty(weights.shape, f32), f32(data.cost.log_floor)
        similarity_forces(Z, *listed, near, weights, floor, with_gradient, costs, W)
        return (weights * costs).sum(axis=1, dtype=np.float64), W
    chances(Z, *listed, W)
    energies, W = prediction_cost(data.cost, W, near, data.y[b], weights, data.scale[b])
    return energies, W.astype(f32)
