"""A Monte Carlo step by element moves, whole, in one compiled function; see ``element_panels`` for its arithmetic.

The energy is NCA's or, where there are targets, that of their means over soft neighbours: the weights of four rows'
pairs are computed once and then serve every column of the targets.
"""

import numpy as np

from .compiling import njit
from .element_panels import (
    LANE,
    LARGEST,
    PANEL,
    SMALLEST,
    both_ways,
    commit,
    fill_panel,
    find_shifts,
    middle_of,
    one_way,
    padded_layout,
    panel_of,
    project,
    span,
)
from .exp2 import LOG2E, SUMS, larger
from .losses import cost
from .soft_means import means_of

f32 = np.float32


@njit(fastmath=SUMS, nogil=True, cache=True)
def row_of_one_shift(h, x, a, xi, ai, m, weights):
    for j in range(h.shape[0]):
        weights[j] = one_way(h[j] + (xi - x[j]) * (ai - a[j]), m)


@njit(fastmath=SUMS, nogil=True, cache=True)
def row_both_ways(h, x, a, xi, ai, mi, m, own, others):
    for j in range(h.shape[0]):
        own[j], others[j] = both_ways(h[j] + (xi - x[j]) * (ai - a[j]), mi, m[j])


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_panel_of_means(own, others, t, i, start, sums):
    """Add w_j t_j times the weights of four rows' pairs to the sums of the rows, and likewise of the columns."""
    o0, o1, o2, o3 = own[0, start:], own[1, start:], own[2, start:], own[3, start:]
    c0, c1, c2, c3 = others[0, start:], others[1, start:], others[2, start:], others[3, start:]
    ts, column = t[start:], sums[start:]
    t0, t1, t2, t3 = t[i], t[i + 1], t[i + 2], t[i + 3]
    r0 = r1 = r2 = r3 = f32(0)
    for j in range(ts.shape[0]):
        tj = ts[j]
        r0 += tj * o0[j]
        r1 += tj * o1[j]
        r2 += tj * o2[j]
        r3 += tj * o3[j]
        column[j] += (t0 * c0[j] + t1 * c1[j]) + (t2 * c2[j] + t3 * c3[j])
    sums[i] += r0
    sums[i + 1] += r1
    sums[i + 2] += r2
    sums[i + 3] += r3


@njit(nogil=True, cache=True)
def weigh_means(H, z, w, heavy, x, a, m, one_shift, sums):
    """Every sample's sums (n, M) of w_j (1, t_j) = ``heavy`` (n, M) after the change (x, a).

    Relative to its own shift m_i, or, with ``one_shift``, to the middle of all shifts.
    """
    M, middle = x.shape[0], middle_of(m)
    own = np.empty((PANEL, M), f32)
    others = own if one_shift else np.empty((PANEL, M), f32)
    sums[:] = f32(0)
    for i in range(0, M, PANEL):
        h, s = panel_of(H, z, i, w), i // LANE * LANE
        for k in range(PANEL):
            if one_shift:
                row_of_one_shift(h[k, s:], x[s:], a[s:], x[i + k], a[i + k], middle, own[k, s:])
            else:
                row_both_ways(h[k, s:], x[s:], a[s:], x[i + k], a[i + k], m[i + k], m[s:], own[k, s:], others[k, s:])
        for k in range(heavy.shape[0]):
            add_panel_of_means(own, others, heavy[k], i, s, sums[k])
    for i in range(M):
        if w[i] == 0:
            sums[0, i] = f32(1)  # padding


LARGEST_RISE = 60.0  # no weight overflows in a trial that lifts no h by more than this
CLOSE_SHIFTS = 40.0  # shifts that differ by less are replaced by one, which saves a quarter of the work
OUT_OF_RANGE = -1.0


@njit(fastmath=SUMS, nogil=True, cache=True)
def add_panel_of_one_shift(h, x, a, w, m, i, start, stop, sums):
    """``add_panel`` where all shifts are m: a pair weighs the same for both of its samples."""
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
    """Add the weights of four rows' pairs in [start, stop) to the sums of both samples."""
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


@njit(nogil=True, cache=True)
def weigh(H, z, w, class_stop, x, a, m, one_shift, sums):
    """Every sample's weight inside (S) and outside (O) its class after the change (x, a).

    Relative to its own shift m_i, or, with ``one_shift``, to the middle of all shifts.
    """
    middle, S, O = middle_of(m), sums[0], sums[1]
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
def expected_error(sums, w, N):
    """1 - 1/N sum_i w_i S_i / (S_i + O_i), or OUT_OF_RANGE."""
    S, O = sums[0], sums[1]
    right = 0.0
    least = most = f32(1)
    for i in range(S.shape[0]):
        total = S[i] + O[i]
        least = -larger(-least, -total)
        most = larger(most, total)
        right += w[i] * (S[i] / total)
    return 1 - right / N if least > SMALLEST and most < LARGEST else OUT_OF_RANGE


@njit(nogil=True, cache=True)
def weigh_all(H, z, w, class_stop, numbers, x, a, m, one_shift, sums):
    """Sums over every sample's neighbours after the change (x, a)."""
    if numbers[0].shape[0] > 0:
        weigh_means(H, z, w, numbers[0], x, a, m, one_shift, sums)
    else:
        weigh(H, z, w, class_stop, x, a, m, one_shift, sums)


@njit(nogil=True, cache=True)
def energy_of(sums, w, numbers, N):
    """The energy that follows from the sums, or OUT_OF_RANGE."""
    if numbers[0].shape[0] == 0:
        return expected_error(sums, w, N)
    if not (sums[0].min() > SMALLEST and sums[0].max() < LARGEST):
        return OUT_OF_RANGE
    _, y, scale, kind, quantile = numbers
    means = means_of(sums, N)
    return cost(kind, quantile, means, y, w[:N], scale, np.empty(means.shape))


@njit(nogil=True, cache=True)
def energy_after(H, z, w, class_stop, numbers, x, a, rise, m, sums, N):
    """Energy after the change (x, a), which lifts no h by more than ``rise``.

    The shifts m (2, M): row 0 the current ones, row 1 those used here.
    """
    E = OUT_OF_RANGE
    m[1] = m[0]
    if rise < LARGEST_RISE:
        one_shift = span(m[0]) < CLOSE_SHIFTS
        weigh_all(H, z, w, class_stop, numbers, x, a, m[0], one_shift, sums)
        E = energy_of(sums, w, numbers, N)
        if E == OUT_OF_RANGE and one_shift:
            weigh_all(H, z, w, class_stop, numbers, x, a, m[0], False, sums)
            E = energy_of(sums, w, numbers, N)
    if E == OUT_OF_RANGE:
        find_shifts(H, z, w, x, a, m[1])
        weigh_all(H, z, w, class_stop, numbers, x, a, m[1], False, sums)
        E = energy_of(sums, w, numbers, N)
    return E


@njit(nogil=True, cache=True)
def sweep(X, begin, end, weights, numbers, A, rows, columns, deltas, allowed, ridge, accepted, stored_bytes):
    """Trial t changes A[rows[t], columns[t]] by deltas[t]; it is kept when the energy rises by at most allowed[t].

    The energy is that of classes, or of ``numbers`` where there are any, plus ridge * |A|^2. A (p, d) in float64 is
    changed in place, accepted (n,) is filled; returns the final energy. h is stored if it takes at most
    ``stored_bytes`` and computed again from z otherwise.
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
    sums, a = np.zeros((max(2, numbers[0].shape[0]), M), f32), np.zeros(M, f32)
    m = np.zeros((2, M), f32)
    find_shifts(H, z, w, x_all[0], a, m[0])
    E = energy_after(H, z, w, class_stop, numbers, x_all[0], a, f32(0), m, sums, N)
    for t in range(rows.shape[0]):
        r, c, delta = rows[t], columns[t], deltas[t]
        x = x_all[c]
        for i in range(M):
            a[i] = -LOG2E * f32(2 * delta * z64[r, i] + delta * delta * x[i])
        trial = energy_after(H, z, w, class_stop, numbers, x, a, x_span[c] * span(a), m, sums, N)
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
