"""Energies and gradients where every sample knows only the neighbours on its list: N L pairs instead of N^2.

With c_ij = N dE/dD_ij the gradient of a map is 2/N A S, S = sum_ij c_ij (x_i - x_j)(x_i - x_j)^T. Expanded,
S = X^T diag(s) X - B - B^T with B = X^T (C X) and s_i the sum of the c of all pairs that i takes part in: a pair adds a
row of X to the row of its own sample, and a number to s. Kernels are the loops over pairs; matrix products are numpy's,
for several replicas at a time.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, mantissa, nearest_integer, power
from .losses import cost
from .nearest import wide
from .rows import squared_distances, sum_of_rows

NEGLIGIBLE = np.float32(1e-6)  # of a force, beside others of order one
SAMPLES_AT_A_TIME = 4096  # of several replicas
f32, u64 = np.float32, np.uint64

Costs = Callable[[NDArray, NDArray, NDArray, NDArray, NDArray], NDArray]
"""Energies (n,) of replicas with these numbers (n,), from Z and X (n, N, :); adds forces to s and Y unless empty."""


def evaluate(A: NDArray, X: NDArray, diagonal: bool, costs: Costs, with_gradient: bool) -> tuple[NDArray, NDArray]:
    """E (R,) of maps A (R, p, d), or weights of the features (R, 1, d), and dE/dA where it is wanted.

    Replica r sees the samples r % B of X (B, N, d), whose rows are filled up.
    """
    (B, N), R = X.shape[:2], len(A)
    E, gradient, n = np.empty(R), np.empty_like(A), max(1, SAMPLES_AT_A_TIME // N)
    for first in range(0, R, n):
        some = slice(first, first + n)
        each = np.arange(R)[some]
        seen = X[some] if B == R else X[each % B]
        room = seen.shape if with_gradient else (len(each), 0, 0)
        s, Y = np.zeros(room[:2], f32), np.empty(room, f32)
        E[some] = costs(each, images(seen, A[some], diagonal), seen, s, Y)
        if with_gradient:
            gradient[some] = slopes_of(seen, A[some], diagonal, s, Y)
    return E, gradient


def images(X: NDArray, A: NDArray, diagonal: bool) -> NDArray[np.float32]:
    """Z (R, N, p) of the samples X under maps, or weights of the features; rows are filled up."""
    R, p, d = A.shape
    if diagonal:
        weights = np.zeros((R, 1, X.shape[2]), f32)
        weights[:, :, :d] = A
        return X * weights
    transposed = np.zeros((R, X.shape[2], wide(p)), f32)
    transposed[:, :d, :p] = A.swapaxes(1, 2)
    return X @ transposed


def slopes_of(X: NDArray, A: NDArray, diagonal: bool, s: NDArray, Y: NDArray) -> NDArray[np.float32]:
    """2/N A S, or of a diagonal map the weights times the diagonal of S; Y is overwritten."""
    N, d = X.shape[1], A.shape[2]
    Y *= f32(-2)
    Y += s[:, :, None] * X
    if diagonal:
        return A * (np.einsum("rik,rik->rk", X, Y)[:, None, :d] * f32(2 / N))
    S = (X.swapaxes(1, 2) @ Y)[:, :d, :d]
    return A @ ((S + S.swapaxes(1, 2)) * f32(1 / N))


@njit(fastmath=SUMS, nogil=True, cache=True)
def weigh(Z, i, lists, heavy, h):
    """Write to h the weights w_j 2**(h_ij - max h) of the neighbours of i; return their sum."""
    squared_distances(Z, i, Z, lists, i, h)
    least = f32(3e38)
    for l in range(u64(h.shape[0])):
        least = -larger(-least, -h[l])
    total = f32(0)
    for l in range(u64(h.shape[0])):
        x = LOG2E * (least - h[l])
        n = nearest_integer(x)
        h[l] = heavy[i, l] * (mantissa(x - n) * power(n))
        total += h[l]
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_forces(h, i, lists, X, s, Y):
    """Let the forces h act on i and on its neighbours, unless all are negligible: then the row of Y is zero."""
    largest, own = f32(0), f32(0)
    for l in range(u64(h.shape[0])):
        largest, own = larger(largest, abs(h[l])), own + h[l]
    n = u64(h.shape[0]) if largest > NEGLIGIBLE else u64(0)
    for l in range(n):
        s[lists[i, l]] += h[l]
    s[i] += own if n else f32(0)
    sum_of_rows(h, lists, i, n, X, Y)


@njit(fastmath=SUMS, nogil=True, cache=True)
def chances(Z, X, w, lists, same, heavy, log_floor, s, Y):
    """Sum of the costs of all samples, 1 - p_i or -log(p_i + log_floor); forces are added to s and Y unless empty."""
    N, L = lists.shape
    h, E = np.empty(L, f32), 0.0
    for i in range(u64(N)):
        total, inside = weigh(Z, i, lists, heavy, h), f32(0)
        for l in range(u64(L)):
            inside += h[l] * same[i, l]
        P, slope = inside / total, w[i] / total
        if log_floor > 0:
            E -= w[i] * np.log(P + log_floor)
            slope /= P + log_floor
        else:
            E += w[i] * (f32(1) - P)
        if s.shape[0] > 0:
            for l in range(u64(L)):
                h[l] *= slope * (same[i, l] - P)
            add_forces(h, i, lists, X, s, Y)
    return E


@njit(nogil=True, cache=True)
def chances_of_all(Z, X, w, lists, same, heavy, log_floor, s, Y, E):
    """The same for several replicas, one after another."""
    for r in range(Z.shape[0]):
        E[r] = chances(Z[r], X[r], w[r], lists[r], same[r], heavy[r], log_floor, s[r], Y[r]) / Z.shape[1]


def chance_costs(w: NDArray, rows: NDArray, same: NDArray, heavy: NDArray, log_floor: float) -> Costs:
    """Costs of the chances of stochastic neighbours.

    w (B, N) in float32; ``rows`` (R, N, L) are the neighbours of every sample, never itself, ``same`` says how far they
    are of its class or alike, ``heavy`` has their weights.
    """

    def costs(each, Z, X, s, Y):
        E, some = np.empty(len(each)), slice(each[0], each[-1] + 1)
        chances_of_all(Z, X, w[each % len(w)], rows[some], same[some], heavy[some], f32(log_floor), s, Y, E)
        return E

    return costs


@njit(fastmath=SUMS, nogil=True, cache=True)
def means_of_lists(Z, lists, heavy, t, P, means):
    """Write the chances p_ij of the neighbours to P (N, L) and the means of targets t (n, N) to means (n, N)."""
    N, L = lists.shape
    h = np.empty(L, f32)
    for i in range(u64(N)):
        share = f32(1) / weigh(Z, i, lists, heavy, h)
        for l in range(u64(L)):
            P[i, l] = h[l] * share
        for k in range(u64(t.shape[0])):
            mean = 0.0
            for l in range(u64(L)):
                mean += P[i, l] * t[k, u64(lists[i, l])]
            means[k, i] = mean


@njit(nogil=True, cache=True)
def forces_of_means(X, lists, t, P, means, slopes, s, Y):
    """Add the forces -N p_ij g_i (t_j - mu_i) of the slopes g = dE/dmu (n, N) to s and Y."""
    N, L = lists.shape
    h = np.empty(L, f32)
    for i in range(u64(N)):
        for l in range(u64(L)):
            force = 0.0
            for k in range(u64(t.shape[0])):
                force -= slopes[k, i] * (t[k, u64(lists[i, l])] - means[k, i])
            h[l] = f32(N * P[i, l] * force)
        add_forces(h, i, lists, X, s, Y)


def mean_costs(w: NDArray, rows: NDArray, heavy: NDArray, targets: Callable[[int], tuple]) -> Costs:
    """Costs of the means of targets: ``targets(b)`` are t, y, scale, the kind of loss and its quantile, see
    ``soft_means``."""

    def costs(each, Z, X, s, Y):
        return np.array([one(r, Z[k], X[k], s[k], Y[k]) for k, r in enumerate(each)])

    def one(r, Z, X, s, Y):
        t, y, scale, kind, quantile = targets(r % len(w))
        t = np.ascontiguousarray(t[:, 1:].T)
        P, means = np.empty(rows.shape[1:], f32), np.empty(t.shape)
        means_of_lists(Z, rows[r], heavy[r], t, P, means)
        slopes = np.empty(means.shape)
        E = cost(kind, quantile, means, y, w[r % len(w)], scale, slopes)
        if len(s):
            forces_of_means(X, rows[r], t, P, means, slopes, s, Y)
        return E

    return costs
