"""A Monte Carlo step of NCA's energy by element moves, whole, in one compiled function.

When A[r, c] changes by delta, only row r of z = A x moves and each h_ij = -log2(e) |z_i - z_j|^2 changes by

    (x_i - x_j) (a_i - a_j),    a_i = -log2(e) (2 delta z_ir + delta^2 x_ic),    x_i short for x_ic:

a trial costs O(N^2), not O(N^2 p). Patterns are sorted by class and each class padded to whole vectors;
pairs are kept once, right of the diagonal, and visited four rows at a time. As in ``soft_neighbors`` every row
has a whole-number shift m_i near its largest h; it is renewed when a trial drives a row's weights out of range.
Where the shifts are close to each other one serves all rows. The patterns' own weights have mean one.
"""

import platform

import numpy as np

from .compiling import njit
from .exp2 import LOG2E, SUMS, larger, mantissa, nearest_integer, power

PANEL = 4  # rows visited together
# Classes are padded to whole vectors: four floats on ARM, eight on x86.
LANE = 4 if platform.machine() in ("aarch64", "arm64") else 8
FAR = np.float32(-1e30)
SMALLEST, LARGEST = 2.0**-60, 2.0**40  # a row's total weight between these keeps full precision ...
LARGEST_RISE = 60.0  # ... and no weight overflows in a trial that lifts no h by more than this
CLOSE_SHIFTS = 40.0  # shifts that differ by less are replaced by one, which saves a quarter of the work
OUT_OF_RANGE = -1.0
f32 = np.float32


@njit(nogil=True, cache=True)
def padded_positions(begin):
    """Where each pattern goes when every class starts on a whole vector, and the padded length."""
    N = begin.shape[0]
    position = np.empty(N, np.int64)
    following = 0
    for i in range(N):
        if begin[i] == i:
            following = (following + LANE - 1) // LANE * LANE
        position[i] = following
        following += 1
    return position, (following + LANE - 1) // LANE * LANE


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
def add_panel_of_one_shift(h, x, a, w, m, i, start, stop, sums):
    """``add_panel`` where all shifts are m: a pair weighs the same for both of its patterns."""
    h0, h1, h2, h3 = h[0, start:stop], h[1, start:stop], h[2, start:stop], h[3, start:stop]
    xs, as_, ws, column = x[start:stop], a[start:stop], w[start:stop], sums[start:stop]
    x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
    a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
    w0, w1, w2, w3 = w[i], w[i + 1], w[i + 2], w[i + 3]
    r0 = r1 = r2 = r3 = f32(0)
    for j in range(stop - start):
        xj, aj, wj = xs[j], as_[j], ws[j]
        v0 = one_way(h0[j] + (x0 - xj) * (a0 - aj), m)
        v1 = one_way(h1[j] + (x1 - xj) * (a1 - aj), m)
        v2 = one_way(h2[j] + (x2 - xj) * (a2 - aj), m)
        v3 = one_way(h3[j] + (x3 - xj) * (a3 - aj), m)
        r0 += wj * v0
        r1 += wj * v1
        r2 += wj * v2
        r3 += wj * v3
        column[j] += (w0 * v0 + w1 * v1) + (w2 * v2 + w3 * v3)
    sums[i] += r0
    sums[i + 1] += r1
    sums[i + 2] += r2
    sums[i + 3] += r3


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_panel(h, x, a, w, m, i, start, stop, sums):
    """Add the weights of four rows' pairs in [start, stop) to the sums of both patterns."""
    h0, h1, h2, h3 = h[0, start:stop], h[1, start:stop], h[2, start:stop], h[3, start:stop]
    xs, as_, ws, ms, column = x[start:stop], a[start:stop], w[start:stop], m[start:stop], sums[start:stop]
    x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
    a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
    w0, w1, w2, w3 = w[i], w[i + 1], w[i + 2], w[i + 3]
    m0, m1, m2, m3 = m[i], m[i + 1], m[i + 2], m[i + 3]
    r0 = r1 = r2 = r3 = f32(0)
    for j in range(stop - start):
        xj, aj, wj, mj = xs[j], as_[j], ws[j], ms[j]
        u0, v0 = both_ways(h0[j] + (x0 - xj) * (a0 - aj), m0, mj)
        u1, v1 = both_ways(h1[j] + (x1 - xj) * (a1 - aj), m1, mj)
        u2, v2 = both_ways(h2[j] + (x2 - xj) * (a2 - aj), m2, mj)
        u3, v3 = both_ways(h3[j] + (x3 - xj) * (a3 - aj), m3, mj)
        r0 += wj * u0
        r1 += wj * u1
        r2 += wj * u2
        r3 += wj * u3
        column[j] += (w0 * v0 + w1 * v1) + (w2 * v2 + w3 * v3)
    sums[i] += r0
    sums[i + 1] += r1
    sums[i + 2] += r2
    sums[i + 3] += r3


@njit(fastmath=SUMS, nogil=True, cache=True)
def span(v):
    low = high = v[0]
    for i in range(v.shape[0]):
        low = -larger(-low, -v[i])
        high = larger(high, v[i])
    return high - low


@njit(nogil=True, cache=True)
def panel_of(H, z, i, w):
    """Rows i to i + 3 of h: a view of the stored square, or computed into the one panel there is."""
    if H.shape[0] > PANEL:
        return H[i : i + PANEL]
    fill_panel(H, z, i, w)
    return H


@njit(nogil=True, cache=True)
def weigh(H, z, w, class_stop, x, a, m, one_shift, S, O):
    """Every pattern's weight inside (S) and outside (O) its class after the change (x, a).

    Relative to its own shift m_i, or, with ``one_shift``, to the middle of all shifts.
    """
    middle = nearest_integer(m.min() + span(m) / f32(2))
    for i in range(x.shape[0]):
        S[i] = f32(0)
        O[i] = f32(0) if w[i] > 0 else f32(1)  # padding weighs nothing: it adds nothing to the mean
    for i in range(0, x.shape[0], PANEL):
        h = panel_of(H, z, i, w)
        start, stop, end = i // LANE * LANE, class_stop[i], x.shape[0]
        if one_shift:
            add_panel_of_one_shift(h, x, a, w, middle, i, start, stop, S)
            add_panel_of_one_shift(h, x, a, w, middle, i, stop, end, O)
        else:
            add_panel(h, x, a, w, m, i, start, stop, S)
            add_panel(h, x, a, w, m, i, stop, end, O)


@njit(fastmath=SUMS, nogil=True, cache=True)
def row_top(h, x, a, xi, ai, column_top):
    top = FAR
    for j in range(h.shape[0]):
        v = h[j] + (xi - x[j]) * (ai - a[j])
        top = larger(top, v)
        column_top[j] = larger(column_top[j], v)
    return top


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
        m[i] = nearest_integer(m[i]) if w[i] > 0 else m[0]  # the first place is a pattern


@njit(fastmath=SUMS, nogil=True, cache=True)
def expected_error(S, O, w, N):
    """1 - 1/N sum_i w_i S_i / (S_i + O_i), or OUT_OF_RANGE."""
    right = 0.0
    least = most = f32(1)
    for i in range(S.shape[0]):
        total = S[i] + O[i]
        least = -larger(-least, -total)
        most = larger(most, total)
        right += w[i] * (S[i] / total)
    return 1 - right / N if least > SMALLEST and most < LARGEST else OUT_OF_RANGE


@njit(nogil=True, cache=True)
def energy_after(H, z, w, class_stop, x, a, rise, m, S, O, N):
    """Energy after the change (x, a), which lifts no h by more than ``rise``.

    The shifts m (2, M): row 0 the current ones, row 1 those used here.
    """
    E = OUT_OF_RANGE
    m[1] = m[0]
    if rise < LARGEST_RISE:
        one_shift = span(m[0]) < CLOSE_SHIFTS
        weigh(H, z, w, class_stop, x, a, m[0], one_shift, S, O)
        E = expected_error(S, O, w, N)
        if E == OUT_OF_RANGE and one_shift:
            weigh(H, z, w, class_stop, x, a, m[0], False, S, O)
            E = expected_error(S, O, w, N)
    if E == OUT_OF_RANGE:
        find_shifts(H, z, w, x, a, m[1])
        weigh(H, z, w, class_stop, x, a, m[1], False, S, O)
        E = expected_error(S, O, w, N)
    return E


@njit(fastmath=SUMS, nogil=True, cache=True)
def commit(H, x, a):
    """The accepted change enters the stored h."""
    for i in range(H.shape[0]):
        s = i // LANE * LANE
        h, xs, as_ = H[i, s:], x[s:], a[s:]
        xi, ai = x[i], a[i]
        for j in range(h.shape[0]):
            h[j] += (xi - xs[j]) * (ai - as_[j])


@njit(nogil=True, cache=True)
def padded_layout(X, begin, end, w):
    """Columns of x (d, M) with padding, the weights of the M places, and where each place's class stops."""
    N, d = X.shape
    position, M = padded_positions(begin)
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


@njit(nogil=True, cache=True)
def sweep(X, begin, end, weights, A, rows, columns, deltas, allowed, ridge, accepted, stored_bytes):
    """Trial t changes A[rows[t], columns[t]] by deltas[t]; it is kept when the energy rises by at most allowed[t].

    The energy is NCA's plus ridge * |A|^2. A (p, d) in float64 is changed in place, accepted (n,) is filled;
    returns the final energy. h is stored if it takes at most ``stored_bytes`` and computed again from z otherwise.
    """
    N = X.shape[0]
    x_all, w, class_stop = padded_layout(X, begin, end, weights)
    M = x_all.shape[1]
    x_span = np.array([span(x) for x in x_all])
    z64 = project(A, x_all)
    z = z64.astype(f32)
    stored = stored_bytes >= M * M * 4 and M > PANEL
    H = np.empty((M if stored else PANEL, M), f32)
    if stored:
        for i in range(0, M, PANEL):
            fill_panel(H[i : i + PANEL], z, i, w)
    S, O, a = np.zeros(M, f32), np.zeros(M, f32), np.zeros(M, f32)
    m = np.zeros((2, M), f32)
    find_shifts(H, z, w, x_all[0], a, m[0])
    E = energy_after(H, z, w, class_stop, x_all[0], a, f32(0), m, S, O, N)
    for t in range(rows.shape[0]):
        r, c, delta = rows[t], columns[t], deltas[t]
        x = x_all[c]
        for i in range(M):
            a[i] = -LOG2E * f32(2 * delta * z64[r, i] + delta * delta * x[i])
        trial = energy_after(H, z, w, class_stop, x, a, x_span[c] * span(a), m, S, O, N)
        rise = trial - E + ridge * delta * (2 * A[r, c] + delta)
        accepted[t] = rise <= allowed[t]
        if accepted[t]:
            E = trial
            m[0] = m[1]
            A[r, c] += delta
            for i in range(M):
                z64[r, i] += delta * x[i]
                z[r, i] = f32(z64[r, i])
            if stored:
                commit(H, x, a)
    return E + ridge * (A**2).sum()
