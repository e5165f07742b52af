"""Energies and gradients where every sample knows only the L neighbours on its list: N
L pairs instead of N^2.

Kernels are the two loops over pairs: what follows from their distances, and W X of W =
dE/dD, from which ``formulas`` makes the gradient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formulas import Similarity, filled_up, images, prediction_cost, slopes
from .compiling import FAST, njit
from .rows import LOG2E, exp2, similarity_cost

FAR = np.float32(-1e30)
f32 = np.float32


@njit(fastmath=FAST, nogil=True, cache=True)
def weigh(Z, rows, log_weights, W, flat):
    """Write weights 2**x of neighbours to W (n, L), the largest of a sample being one;
    ``flat`` is W as one row.
    """
    for i in range(Z.shape[0]):
        own, most = Z[i], FAR
        for l in range(rows.shape[1]):
            other, D = Z[rows[i, l]], f32(0)
            for k in range(own.shape[0]):
                D += (own[k] - other[k]) * (own[k] - other[k])
            x = log_weights[i, l] - LOG2E * D
            W[i, l] = x
            most = x if x > most else most
        for l in range(rows.shape[1]):
            W[i, l] -= most
    for t in range(flat.shape[0]):  # vectors are longer than lists
        flat[t] = exp2(flat[t])


@njit(fastmath=FAST, nogil=True, cache=True)
def similarity_forces(W, near, w, log_floor, with_forces, costs):
    """Write the costs (n,) of samples; overwrite weights (n, L) by dE/dD where it is
    wanted.
    """
    for i in range(W.shape[0]):
        costs[i] = similarity_cost(W[i], near[i], w[i], log_floor, with_forces)


@njit(fastmath=FAST, nogil=True, cache=True)
def pull(W, rows, X, WX, s):
    """Write W X to WX (n, d), and add the column sums of W (n, L) to s (n,)."""
    for i in range(W.shape[0]):
        to = WX[i]
        for k in range(to.shape[0]):
            to[k] = f32(0)
        for l in range(W.shape[1]):
            j, force = rows[i, l], W[i, l]
            other = X[j]
            s[j] += force
            for k in range(to.shape[0]):
                to[k] += force * other[k]


def evaluate(
    data: Any, A: NDArray, lists: Any, diagonal: bool, with_gradient: bool
) -> tuple[NDArray, NDArray]:
    """E (R,) of maps A (R, p, d), or weights of the features (R, 1, d), and dE/dA where
    it is wanted.
    """
    R, p, d = A.shape
    maps = filled_up(A, (2,) if diagonal else (1, 2))
    b = np.arange(R) % len(data.X)
    X, w = (part if len(part) == R else part[b] for part in (data.wide, data.weights))
    W = _weights(images(X, maps, diagonal), lists)
    if isinstance(data.cost, Similarity):
        energies = _similar(data.cost, W, lists.near, w, with_gradient)
    else:
        W /= W.sum(axis=2, keepdims=True)
        y, scale = data.y[b], data.scale[b]
        energies, W = prediction_cost(data.cost, W, lists.near, y, w, scale)
    if not with_gradient:
        return energies, A
    half = _pulled(W.astype(f32, copy=False), lists.rows, X)
    return energies, slopes(X, maps, diagonal, half)[:, :p, :d].astype(np.float64)


# Kernels take the samples of all replicas one after another.


def _weights(Z, lists):
    """Weights (R, N, L) of listed neighbours, the largest of a sample being one."""
    W = np.empty(lists.rows.shape, f32)
    rows, log_weights = _joined(lists.rows), _joined(lists.log_weights)
    weigh(_joined(Z), rows, log_weights, _joined(W), W.ravel())
    return W


def _similar(cost, W, near, w, with_gradient):
    """Energies (R,) of similar neighbours; overwrites W by dE/dD where it is wanted."""
    costs, floor = np.empty(w.shape, f32), f32(cost.log_floor)
    forces = _joined(W), _joined(near), w.ravel(), floor, with_gradient
    similarity_forces(*forces, costs.ravel())
    return (w * costs).sum(axis=1, dtype=np.float64)


def _pulled(W, rows, X):
    """diag(s) X - 2 W X (R, N, d), s the column sums of W."""
    WX, s = np.empty(X.shape, f32), np.zeros(X.shape[:2], f32)
    pull(_joined(W), _joined(rows), _joined(X), _joined(WX), s.ravel())
    WX *= -2
    WX += s[:, :, None] * X
    return WX


def _joined(values):
    """A view (R * N, ...) of values (R, N, ...)."""
    return values.reshape(-1, *values.shape[2:])
