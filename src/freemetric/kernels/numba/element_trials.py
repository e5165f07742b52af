"""A Monte Carlo step by element moves, whole, in one compiled function.

When A[r, c] changes by delta, only row r of z = A x moves, and each h_ij = -log2(e)
|z_i - z_j|^2 changes by

    (x_i - x_j) (a_i - a_j),    a_i = -log2(e) (2 delta z_ir + delta^2 x_i),    x_i
    short for x_ic:

a trial costs O(N^2), not O(N^2 p). A pair is visited once, for both of its samples.
Sample i sums 2**(h_ij - m_i) with a whole number m_i near its largest h: one polynomial
serves the pair both ways."""

import numba
import numpy as np

from .compiling import FAST, njit
from .rows import LOG2E, mantissa, power

LARGEST_RISE = 60.0  # no weight overflows in a trial that lifts no h by more than this
# The total weight of a sample has full precision between these.
SMALLEST = 2.0**-40
LARGEST = 2.0**40
OUT_OF_RANGE = -1.0  # no energy is as low
FAR = np.float32(-1e30)
f32 = np.float32


@numba.njit(inline="always")
def add_pairs(h, x, a, w, m, i, start, stop, sums):
    """Add the weights of sample i and samples [start, stop) for each other to the sums
    (N,) of both.
    """
    row, xs, as_, ws = h[start:stop], x[start:stop], a[start:stop], w[start:stop]
    ms, others = m[start:stop], sums[start:stop]
    xi, ai, wi, mi, total = x[i], a[i], w[i], m[i], f32(0)
    for j in range(row.shape[0]):
        v = row[j] + (xi - xs[j]) * (ai - as_[j])
        n = np.rint(v)
        u = mantissa(v - n)
        total += ws[j] * (u * power(n - mi))
        others[j] += wi * (u * power(n - ms[j]))
    sums[i] += total


@numba.njit(inline="always")
def find_shifts(H, x, a, m):
    """Write every sample's largest h after the change (x, a) to m (N,), rounded."""
    for i in range(m.shape[0]):
        h, xi, ai, most = H[i], x[i], a[i], FAR
        for j in range(h.shape[0]):
            v = h[j] + (xi - x[j]) * (ai - a[j])
            most = v if v > most else most
        m[i] = np.rint(most)


@numba.njit(inline="always")
def energy_of(hits, misses, w, log_floor, is_safe):
    """The energy of weights inside and outside the classes; OUT_OF_RANGE where these
    may have lost digits.
    """
    energy = 0.0
    for i in range(w.shape[0]):
        total = hits[i] + misses[i]
        if not is_safe and not SMALLEST < total < LARGEST:
            return OUT_OF_RANGE
        if log_floor > 0:
            energy -= w[i] * np.log(hits[i] / total + log_floor)
        else:
            energy += w[i] * (misses[i] / total)
    return energy


@numba.njit(inline="always")
def span(v):
    """The largest less the smallest of some values."""
    low = high = v[0]
    for i in range(v.shape[0]):
        low = v[i] if v[i] < low else low
        high = v[i] if v[i] > high else high
    return high - low


@njit(fastmath=FAST, nogil=True, cache=True)
def sweep(
    H, X, z, end, w, log_floor, A, rows, columns, deltas, allowed, ridge, accepted
):
    """Change A[rows[t], columns[t]] by deltas[t] where the energy rises by at most
    allowed[t], one t after another.

    Returns the final energy plus ridge * |A|^2. Samples are sorted by class, which ends
    before end[i]. X (d, N); H (N, N), A (p, d) and its images z (p, N), both in
    float64, are changed in place, accepted (n,) is filled. Trial -1 changes nothing and
    finds the energy of A."""
    N = H.shape[0]
    a, shifts, m = np.zeros(N, f32), np.zeros(N, f32), np.zeros(N, f32)
    hits, misses = np.empty(N, f32), np.empty(N, f32)
    energy = 0.0
    for t in range(-1, rows.shape[0]):
        r, c, delta = (rows[t], columns[t], deltas[t]) if t >= 0 else (0, 0, 0.0)
        x = X[c]
        for i in range(N):
            a[i] = -LOG2E * f32(delta * (2 * z[r, i] + delta * x[i]))
            m[i] = shifts[i]
        trial = OUT_OF_RANGE
        is_far = t < 0 or span(x) * span(a) > LARGEST_RISE
        while trial == OUT_OF_RANGE:
            if is_far:
                find_shifts(H, x, a, m)
            for i in range(N):
                hits[i] = misses[i] = f32(0)
            for i in range(N):
                add_pairs(H[i], x, a, w, m, i, i + 1, end[i], hits)
                add_pairs(H[i], x, a, w, m, i, end[i], N, misses)
            trial = energy_of(hits, misses, w, log_floor, is_far)
            is_far = True
        rise = trial - energy + ridge * delta * (2 * A[r, c] + delta)
        is_accepted = t < 0 or rise <= allowed[t]
        if is_accepted:
            energy = trial
            A[r, c] += delta
            for i in range(N):
                shifts[i] = m[i]
                z[r, i] += delta * x[i]
                h, xi, ai = H[i], x[i], a[i]
                for j in range(N):
                    h[j] += (xi - x[j]) * (ai - a[j])
        if t >= 0:
            accepted[t] = is_accepted
    return energy + ridge * (A**2).sum()
