"""Means of numbers over soft neighbours after a trial of one element, see ``element_panels``.

The weights of four rows' pairs are computed once and then serve every column of the targets.
"""

import numpy as np

from .compiling import njit
from .element_panels import LANE, PANEL, both_ways, middle_of, one_way, panel_of
from .exp2 import SUMS
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
def add_panel(own, others, t, i, start, sums):
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
    """Every pattern's sums (n, M) of w_j (1, t_j) = ``heavy`` (n, M) after the change (x, a).

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
            add_panel(own, others, heavy[k], i, s, sums[k])
    for i in range(M):
        if w[i] == 0:
            sums[0, i] = f32(1)  # padding


@njit(nogil=True, cache=True)
def energy_of_means(sums, w, numbers):
    """E of the patterns, the first places of the sums (n, M)."""
    _, y, scale, kind, quantile = numbers
    means = means_of(sums, y.shape[1])
    return cost(kind, quantile, means, y, w, scale, np.empty(means.shape))
