"""Energies and gradients where every sample knows only the neighbours on its list: N L pairs instead of N^2.

With c_ij = N dE/dD_ij the gradient of a map is 2/N A S, S = sum_ij c_ij (x_i - x_j)(x_i - x_j)^T. Expanded,
S = X^T diag(s) X - B - B^T with B = X^T (C X) and s_i the sum of the c of all pairs that i takes part in: a pair adds a
row of X to the row of its own sample, which stays in the cache, and a number to s. Kernels are the loops over pairs;
matrix products are numpy's.

Rows are filled with zeros up to a multiple of 32 columns: shorter loops do not vectorise.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, mantissa, nearest_integer, power
from .losses import cost

WIDTH = 32
NEGLIGIBLE = np.float32(1e-6)  # of a force, beside others of order one
f32 = np.float32


def images(X: NDArray, A: NDArray, diagonal: bool) -> NDArray[np.float32]:
    """Z of the samples X under a map (p, d), or weights of the features (1, d); rows are filled up."""
    p, d = A.shape
    if diagonal:
        weights = np.zeros(X.shape[1], f32)
        weights[:d] = A[0]
        return X * weights
    transposed = np.zeros((X.shape[1], -(-p // WIDTH) * WIDTH), f32)
    transposed[:d, :p] = A.T
    return X @ transposed


def slope_of(X: NDArray, A: NDArray, diagonal: bool, s: NDArray, Y: NDArray) -> NDArray[np.float32]:
    """2/N A S, or of a diagonal map the weights times the diagonal of S; Y is overwritten."""
    N, d = len(X), A.shape[1]
    Y *= f32(-2)
    Y += s[:, None] * X
    if diagonal:
        return A * (np.einsum("ik,ik->k", X, Y)[:d] * f32(2 / N))
    S = (X.T @ Y)[:d, :d]
    return A @ ((S + S.T) * f32(1 / N))


@njit(fastmath=SUMS, nogil=True, cache=True)
def weigh(Z, i, neighbors, heavy, h):
    """Write to h the weights w_j 2**(h_ij - max h) of the neighbours of i; return their sum."""
    top = f32(-3e38)
    for l in range(h.shape[0]):
        j, apart = neighbors[l], f32(0)
        for k in range(Z.shape[1]):
            apart += (Z[i, k] - Z[j, k]) * (Z[i, k] - Z[j, k])
        h[l] = -LOG2E * apart
        top = larger(top, h[l])
    total = f32(0)
    for l in range(h.shape[0]):
        n = nearest_integer(h[l] - top)
        h[l] = heavy[l] * (mantissa(h[l] - top - n) * power(n))
        total += h[l]
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_forces(c, i, neighbors, X, s, Y):
    """Let the forces c act on i and on its neighbours."""
    for l in range(c.shape[0]):
        if abs(c[l]) > NEGLIGIBLE:
            j = neighbors[l]
            s[i] += c[l]
            s[j] += c[l]
            for k in range(X.shape[1]):
                Y[i, k] += c[l] * X[j, k]


@njit(fastmath=SUMS, nogil=True, cache=True)
def chances(Z, X, w, lists, same, heavy, log_floor, s, Y):
    """Sum of the costs of all samples, 1 - p_i or -log(p_i + log_floor); forces are added to s and Y unless empty."""
    N, L = lists.shape
    h = np.empty(L, f32)
    E = 0.0
    for i in range(N):
        total, inside = weigh(Z, i, lists[i], heavy[i], h), f32(0)
        for l in range(L):
            inside += h[l] * same[i, l]
        P, slope = inside / total, w[i] / total
        if log_floor > 0:
            E -= w[i] * np.log(P + log_floor)
            slope /= P + log_floor
        else:
            E += w[i] * (f32(1) - P)
        if s.shape[0] > 0:
            for l in range(L):
                h[l] *= slope * (same[i, l] - P)
            add_forces(h, i, lists[i], X, s, Y)
    return E


def energy_and_gradient(
    A: NDArray, gradient: NDArray, X: NDArray, w: NDArray, lists: Sequence[NDArray], diagonal: bool, log_floor: float
) -> float:
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    X (N, d) with rows filled up, w (N,) and A (p, d) in float32, or A (1, d) of a diagonal map; ``lists`` (N, L) are
    the neighbours of every sample, never itself, how far they are of its class or alike, and their weights.
    """
    s, Y = room_for_forces(X, gradient)
    E = chances(images(X, A, diagonal), X, w, *lists, log_floor, s, Y)
    if gradient.size:
        gradient[:] = slope_of(X, A, diagonal, s, Y)
    return E / len(X)


def room_for_forces(X: NDArray, gradient: NDArray) -> tuple[NDArray, NDArray]:
    """s (N,) and Y (N, d) of zeros; empty where no gradient is wanted."""
    N = len(X) if gradient.size else 0
    return np.zeros(N, f32), np.zeros((N, X.shape[1]), f32)


@njit(fastmath=SUMS, nogil=True, cache=True)
def means_of_lists(Z, lists, heavy, t, P, means):
    """Write the chances p_ij of the neighbours to P (N, L) and the means of targets t (n, N) to means (n, N)."""
    N, L = lists.shape
    for i in range(N):
        total = weigh(Z, i, lists[i], heavy[i], P[i])
        for l in range(L):
            P[i, l] /= total
        for k in range(t.shape[0]):
            mean = 0.0
            for l in range(L):
                mean += P[i, l] * t[k, lists[i, l]]
            means[k, i] = mean


@njit(nogil=True, cache=True)
def forces_of_means(X, lists, t, P, means, slopes, s, Y):
    """Add the forces -N p_ij g_i (t_j - mu_i) of the slopes g = dE/dmu (n, N) to s and Y."""
    N, L = lists.shape
    c = np.empty(L, f32)
    for i in range(N):
        for l in range(L):
            force = 0.0
            for k in range(t.shape[0]):
                force -= slopes[k, i] * (t[k, lists[i, l]] - means[k, i])
            c[l] = f32(N * P[i, l] * force)
        add_forces(c, i, lists[i], X, s, Y)


def means_energy_and_gradient(
    A: NDArray, gradient: NDArray, X: NDArray, w: NDArray, lists: Sequence[NDArray], diagonal: bool, targets: Sequence
) -> float:
    """The same for targets t, y, scale and the kind of loss with its quantile, see ``soft_means``."""
    (rows, heavy), (t, y, scale, kind, quantile) = lists, targets
    t = np.ascontiguousarray(t[:, 1:].T)
    P, means = np.empty(rows.shape, f32), np.empty(t.shape)
    means_of_lists(images(X, A, diagonal), rows, heavy, t, P, means)
    slopes = np.empty(means.shape)
    E = cost(kind, quantile, means, y, w, scale, slopes)
    if gradient.size:
        s, Y = room_for_forces(X, gradient)
        forces_of_means(X, rows, t, P, means, slopes, s, Y)
        gradient[:] = slope_of(X, A, diagonal, s, Y)
    return E
