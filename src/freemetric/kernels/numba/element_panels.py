"""The pairs of a walk by element moves: four rows at a time, right of the diagonal.

When A[r, c] changes by delta, only row r of z = A x moves and each h_ij = -log2(e) |z_i - z_j|^2 changes by

    (x_i - x_j) (a_i - a_j),    a_i = -log2(e) (2 delta z_ir + delta^2 x_ic),    x_i short for x_ic:

a trial costs O(N^2), not O(N^2 p). Samples are sorted by class and each class padded to whole vectors;
pairs are kept once, right of the diagonal, and visited four rows at a time. As in ``soft_neighbors`` every row
has a whole-number shift m_i near its largest h; it is renewed when a trial drives a row's weights out of range.
Where the shifts are close to each other one serves all rows. The samples' own weights have mean one.
"""

import platform

import numpy as np

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, mantissa, nearest_integer, power

PANEL = 4  # rows visited together
# Classes are padded to whole vectors: four floats on ARM, eight on x86.
LANE = 4 if platform.machine() in ("aarch64", "arm64") else 8
FAR = np.float32(-1e30)
SMALLEST, LARGEST = 2.0**-60, 2.0**40  # a row's total weight between these keeps full precision
f32 = np.float32


@njit(nogil=True, cache=True)
def padded_layout(X, begin, end, w):
    """Columns of x (d, M) with padding, the weights of the M places, and where each place's class stops."""
    N, d = X.shape
    position, following = np.empty(N, np.int64), 0
    for i in range(N):
        if begin[i] == i:  # every class starts on a whole vector
            following = (following + LANE - 1) // LANE * LANE
        position[i] = following
        following += 1
    M = (following + LANE - 1) // LANE * LANE
    x = np.zeros((d, M), f32)
    weight = np.zeros(M, f32)
    class_stop = np.zeros(M, np.int64)
    for i in range(N):
        weight[position[i]] = w[i]
        x[:, position[i]] = X[i]
        block = position[i] // LANE * LANE
        class_stop[block : block + LANE] = (position[end[i] - 1] + LANE) // LANE * LANE
    return x, weight, class_stop


@njit(nogil=True, cache=True)
def project(A, x):
    """z = A x in float64, (p, M)."""
    z = np.zeros((A.shape[0], x.shape[1]))
    for k in range(A.shape[0]):
        for c in range(A.shape[1]):
            for i in range(x.shape[1]):
                z[k, i] += A[k, c] * x[c, i]
    return z


@njit(fastmath=SUMS, nogil=True, cache=True)
def fill_row(h, z, i):
    """h of row i from the columns of z (p, N)."""
    h[:] = f32(0)
    for k in range(z.shape[0]):
        zk = z[k]
        zi = zk[i]
        for j in range(h.shape[0]):
            h[j] -= LOG2E * (zk[j] - zi) * (zk[j] - zi)


@njit(nogil=True, cache=True)
def fill_panel(h, z, i, w):
    """Four rows of h, pairs right of the diagonal; pairs with padding are infinitely far apart."""
    for k in range(PANEL):
        fill_row(h[k], z, i + k)
        start = i // LANE * LANE
        for j in range(start, h.shape[1]):
            if j <= i + k or w[i + k] == 0 or w[j] == 0:
                h[k, j] = FAR


@njit(nogil=True, cache=True)
def panel_of(H, z, i, w):
    """Rows i to i + 3 of h: a view of the stored square, or computed into the one panel there is."""
    if H.shape[0] > PANEL:
        return H[i : i + PANEL]
    fill_panel(H, z, i, w)
    return H


@njit(fastmath=SUMS, nogil=True, cache=True)
def both_ways(h, mi, mj):
    n = nearest_integer(h)
    w = mantissa(h - n)
    return w * power(n - mi), w * power(n - mj)


@njit(fastmath=SUMS, nogil=True, cache=True)
def one_way(h, m):
    n = nearest_integer(h)
    return mantissa(h - n) * power(n - m)


@njit(fastmath=SUMS, nogil=True, cache=True)
def span(v):
    low = high = v[0]
    for i in range(v.shape[0]):
        low = -larger(-low, -v[i])
        high = larger(high, v[i])
    return high - low


@njit(fastmath=SUMS, nogil=True, cache=True)
def row_top(h, x, a, xi, ai, column_top):
    top = FAR
    for j in range(h.shape[0]):
        v = h[j] + (xi - x[j]) * (ai - a[j])
        top = larger(top, v)
        column_top[j] = larger(column_top[j], v)
    return top


@njit(nogil=True, cache=True)
def middle_of(m):
    """One shift that may serve all rows."""
    return nearest_integer(m.min() + span(m) / f32(2))


@njit(nogil=True, cache=True)
def find_shifts(H, z, w, x, a, m):
    """m_i: the largest h of every row, rounded, after the change (x, a)."""
    m[:] = FAR
    for i0 in range(0, x.shape[0], PANEL):
        h = panel_of(H, z, i0, w)
        s = i0 // LANE * LANE
        for i in range(i0, i0 + PANEL):
            m[i] = larger(m[i], row_top(h[i - i0, s:], x[s:], a[s:], x[i], a[i], m[s:]))
    for i in range(m.shape[0]):
        m[i] = nearest_integer(m[i]) if w[i] > 0 else m[0]  # the first place is a sample


@njit(fastmath=SUMS, nogil=True, cache=True)
def commit(H, x, a):
    """The accepted change enters the stored h."""
    for i in range(H.shape[0]):
        s = i // LANE * LANE
        h, xs, as_ = H[i, s:], x[s:], a[s:]
        xi, ai = x[i], a[i]
        for j in range(h.shape[0]):
            h[j] += (xi - xs[j]) * (ai - as_[j])
