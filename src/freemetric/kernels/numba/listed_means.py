"""Means of numbers over the neighbours on lists, their cost and its gradient; see ``listed_neighbors``."""

import numpy as np

from .compiling import njit
from .exp2 import SUMS
from .listed_neighbors import add_forces, images, slope_of, weigh_list
from .losses import cost

f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def weighted_mean(P, list_, t):
    total = 0.0
    for l in range(list_.shape[0]):
        total += P[l] * t[list_[l]]
    return total


@njit(nogil=True, cache=True)
def forces(c, P, list_, t, slope, mean, N):
    """Add -N p_j g (t_j - mu) to c_j; return the sum of what was added."""
    total = 0.0
    for l in range(list_.shape[0]):
        force = -N * P[l] * slope * (t[list_[l]] - mean)
        c[l] += f32(force)
        total += force
    return total


@njit(nogil=True, cache=True)
def energy_and_gradient(X, t, y, scale, w, lists, heavy, A, diagonal, kind, quantile, gradient):
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    X (N, wide(d)), w (N,) and A (p, d) in float32, or A (1, d) of a diagonal map; lists (N, L) of the neighbours of
    every pattern, never itself, and their weights; targets t (n, N) behind a row of ones.
    """
    N, L = lists.shape
    Z, P = images(X, A, diagonal), np.empty((N, L), f32)
    means = np.empty((t.shape[0] - 1, N))
    for i in range(N):
        total = weigh_list(P[i], Z, i, lists[i], heavy[i])
        P[i] /= total
        for k in range(means.shape[0]):
            means[k, i] = weighted_mean(P[i], lists[i], t[k + 1])
    slopes = np.empty(means.shape)
    E = cost(kind, quantile, means, y, w, scale, slopes)
    if gradient.size > 0:
        c, Y, s = np.empty(L, f32), np.zeros(X.shape, f32), np.zeros(N, f32)
        for i in range(N):
            c[:] = f32(0)
            for k in range(means.shape[0]):
                s[i] += f32(forces(c, P[i], lists[i], t[k + 1], slopes[k, i], means[k, i], N))
            add_forces(c, i, lists[i], X, s, Y)
        gradient[:] = slope_of(X, A, diagonal, s, Y) * f32(2 / N)
    return E
