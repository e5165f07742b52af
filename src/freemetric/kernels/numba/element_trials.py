"""A Monte Carlo step by element moves, whole, in one compiled function.

When A[r, c] changes by delta, only row r of z = A x moves, and each h_ij = log2(w_j) - log2(e) |z_i - z_j|^2 changes
by

    (x_i - x_j) (a_i - a_j),    a_i = -log2(e) (2 delta z_ir + delta^2 x_i),    x_i short for x_ic:

a trial costs O(N^2), not O(N^2 p).
"""

import numba
import numpy as np

from .compiling import FAST, njit
from .exp2 import LOG2E, exp2

FAR = np.float32(-1e30)
f32 = np.float32


@numba.njit(inline="always")
def energy_after(H, x, a, label, w, log_floor, row):
    """The energy after the change (x, a); ``row`` (N,) is room."""
    energy = 0.0
    for i in range(H.shape[0]):
        h, xi, ai, own = H[i], x[i], a[i], label[i]
        most = FAR
        for j in range(row.shape[0]):
            row[j] = h[j] + (xi - x[j]) * (ai - a[j])
            most = row[j] if row[j] > most else most
        hit, miss = f32(0), f32(0)
        for j in range(row.shape[0]):
            chance = exp2(row[j] - most)
            hit += chance if label[j] == own else f32(0)
            miss += f32(0) if label[j] == own else chance
        if log_floor > 0:
            energy -= w[i] * np.log(hit / (hit + miss) + log_floor)
        else:
            energy += w[i] * (miss / (hit + miss))
    return energy


@njit(fastmath=FAST, nogil=True, cache=True)
def sweep(H, X, z, label, w, log_floor, A, rows, columns, deltas, allowed, ridge, accepted):
    """Trial t changes A[rows[t], columns[t]] by deltas[t]; it is kept when the energy rises by at most allowed[t].

    Returns the final energy plus ridge * |A|^2. H (N, N), A (p, d) and its images z (p, N), both in float64, are
    changed in place, accepted (n,) is filled. Trial -1 changes nothing and finds the energy of A.
    """
    N = H.shape[0]
    a, x, row = np.zeros(N, f32), np.zeros(N, f32), np.empty(N, f32)
    energy = 0.0
    for t in range(-1, rows.shape[0]):
        if t >= 0:
            x = X[columns[t]]
            for i in range(N):
                a[i] = -LOG2E * f32(deltas[t] * (2 * z[rows[t], i] + deltas[t] * x[i]))
        trial = energy_after(H, x, a, label, w, log_floor, row)
        if t < 0:
            energy = trial
            continue
        r, c, delta = rows[t], columns[t], deltas[t]
        rise = trial - energy + ridge * delta * (2 * A[r, c] + delta)
        accepted[t] = rise <= allowed[t]
        if accepted[t]:
            energy = trial
            A[r, c] += delta
            for i in range(N):
                z[r, i] += delta * x[i]
                h, xi, ai = H[i], x[i], a[i]
                for j in range(N):
                    h[j] += (xi - x[j]) * (ai - a[j])
    return energy + ridge * (A**2).sum()
