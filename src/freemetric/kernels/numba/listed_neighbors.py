"""NCA's energy and gradient where every pattern knows only the neighbours on its list: N L pairs instead of N^2.

With c_ij = N dE/dD_ij the gradient of a map is 2/N A S, S = sum_ij c_ij (x_i - x_j)(x_i - x_j)^T. Expanded,
S = X^T diag(s) X - B - B^T with B = X^T (C X) and s_i the sum of the c of all pairs that i takes part in: a pair adds a
row of X to the row of its own pattern, which stays in the cache, and a number to s.

Rows are filled with zeros up to a multiple of 32 columns: shorter loops do not vectorise.
"""

import numpy as np

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, mantissa, nearest_integer, power

WIDTH = 32
NEGLIGIBLE = np.float32(1e-6)  # of a force, beside others of order one
f32 = np.float32


@njit(nogil=True, cache=True)
def wide(n):
    return (n + WIDTH - 1) // WIDTH * WIDTH


@njit(fastmath=SUMS, nogil=True, cache=True)
def squared_distance(Z, i, j):
    total = f32(0)
    for k in range(Z.shape[1]):
        total += (Z[i, k] - Z[j, k]) * (Z[i, k] - Z[j, k])
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def weigh(h, heavy):
    """Overwrite h_j by the weight w_j 2**(h_j - max h); return their sum."""
    top = h[0]
    for j in range(h.shape[0]):
        top = larger(top, h[j])
    total = f32(0)
    for j in range(h.shape[0]):
        n = nearest_integer(h[j] - top)
        h[j] = heavy[j] * (mantissa(h[j] - top - n) * power(n))
        total += h[j]
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def dot(u, v):
    total = f32(0)
    for j in range(u.shape[0]):
        total += u[j] * v[j]
    return total


@njit(nogil=True, cache=True)
def weigh_list(h, Z, i, list_, heavy):
    """Overwrite h by the weights of the neighbours on the list of i; return their sum."""
    for l in range(list_.shape[0]):
        h[l] = -LOG2E * squared_distance(Z, i, list_[l])
    return weigh(h, heavy)


@njit(fastmath=SUMS, nogil=True, cache=True)
def forces(h, slope, same, P):
    """Overwrite the weights h_j by c_j = slope h_j (same_j - P); return their sum."""
    total = f32(0)
    for j in range(h.shape[0]):
        h[j] *= slope * (same[j] - P)
        total += h[j]
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_row(Y, i, c, X, j):
    for k in range(X.shape[1]):
        Y[i, k] += c * X[j, k]


@njit(nogil=True, cache=True)
def add_forces(h, i, list_, X, s, Y):
    """Let the forces h act on i and those on its list, but for the sum of s_i."""
    for l in range(list_.shape[0]):
        if abs(h[l]) > NEGLIGIBLE:
            s[list_[l]] += h[l]
            add_row(Y, i, h[l], X, list_[l])


@njit(nogil=True, cache=True)
def images(X, A, diagonal):
    """Z (N, p) of the patterns X (N, d) under a map (p, d), or weights of the features (1, d); columns filled up."""
    p, d = A.shape
    if diagonal:
        weights = np.zeros(X.shape[1], f32)
        weights[:d] = A[0]
        return X * weights
    transposed = np.zeros((X.shape[1], wide(p)), f32)
    transposed[:d, :p] = A.T
    return np.dot(X, transposed)


@njit(nogil=True, cache=True)
def slope_of(X, A, diagonal, s, Y):
    """A S, or of a diagonal map the weights times the diagonal of S."""
    N, d = X.shape[0], A.shape[1]
    if diagonal:
        spread = np.zeros(d, f32)
        for i in range(N):
            for k in range(d):
                spread[k] += X[i, k] * (s[i] * X[i, k] - f32(2) * Y[i, k])
        return A * spread
    B = np.dot(X.T, Y)
    S = np.dot(X.T, s.reshape(N, 1) * X) - B - B.T
    return np.dot(A, np.ascontiguousarray(S[:d, :d]))


@njit(nogil=True, cache=True)
def in_class(lists, begin, end):
    """Whether the patterns on the lists (N, L) share the class of those whose lists they are."""
    same = np.empty(lists.shape, f32)
    for i in range(lists.shape[0]):
        for l in range(lists.shape[1]):
            same[i, l] = f32(begin[i] <= lists[i, l] < end[i])
    return same


@njit(nogil=True, cache=True)
def alike(lists, y):
    """The same for numbers y (N,): how much alike they are, exp(-(y_i - y_j)^2)."""
    same = np.empty(lists.shape, f32)
    for i in range(lists.shape[0]):
        for l in range(lists.shape[1]):
            apart = y[i] - y[lists[i, l]]
            same[i, l] = np.exp(-apart * apart)
    return same


@njit(nogil=True, cache=True)
def energy_and_gradient(X, w, lists, same, heavy, A, diagonal, log_floor, gradient):
    """E of one map on one data set; dE/dA is written to ``gradient`` unless that is empty.

    X (N, wide(d)), w (N,) and A (p, d) in float32, or A (1, d) of a diagonal map; lists (N, L) of the neighbours of
    every pattern, never itself, whether they are ``in_class`` or ``alike``, and their weights.
    """
    N, L = lists.shape
    wants_gradient = gradient.size > 0
    Z = images(X, A, diagonal)
    h = np.empty(L, f32)
    Y, s = np.zeros(X.shape if wants_gradient else (1, 1), f32), np.zeros(N, f32)
    E = 0.0
    for i in range(N):
        total = weigh_list(h, Z, i, lists[i], heavy[i])
        P = dot(h, same[i]) / total
        slope = w[i] / total
        if log_floor > 0:
            E -= w[i] * np.log(P + log_floor) / N
            slope /= P + log_floor
        else:
            E += w[i] * (f32(1) - P) / N
        if wants_gradient:
            s[i] += forces(h, slope, same[i], P)
            add_forces(h, i, lists[i], X, s, Y)
    if wants_gradient:
        gradient[:] = slope_of(X, A, diagonal, s, Y) * f32(2 / N)
    return E
