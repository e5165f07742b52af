"""Bregman projections for the LogDet divergence, a whole cycle in one call."""

import numpy as np

from ..kernels.compiling import njit


@njit(nogil=True, cache=True)
def logdet_cycle(M, V, signs, multipliers, slacks, gamma, order):
    """Project on the constraints ``order``, one after the other; M, multipliers and slacks change in place.

    Constraint c is v^T M v <= slack_c where signs[c] = 1 and >= where it is -1. Moving its multiplier by t gives
    1 / (v^T M v) + t and 1 / slack - t / gamma: they meet at t = gamma / (gamma + 1) (1 / slack - 1 / (v^T M v)).
    M (d, d) is symmetric; V (n, d) holds the differences; all float64.
    """
    d = M.shape[0]
    w = np.empty(d)
    for c in order:
        w[:] = 0.0
        for j in range(d):  # M is symmetric: by rows the sums run in parallel
            for i in range(d):
                w[i] += V[c, j] * M[j, i]
        p = 0.0
        for i in range(d):
            p += w[i] * V[c, i]
        if not p > 0.0:  # lost to rounding; the next cycle starts from a fresh M
            continue
        wish = signs[c] * gamma / (gamma + 1.0) * (1.0 / slacks[c] - 1.0 / p)
        step = max(wish, -multipliers[c])  # multipliers stay >= 0
        if step == 0.0:
            continue
        t = signs[c] * step
        multipliers[c] += step
        slacks[c] = 1.0 / (1.0 / slacks[c] - t / gamma)
        factor = t / (1.0 + t * p)
        for i in range(d):
            scaled = factor * w[i]
            for j in range(d):
                M[i, j] -= scaled * w[j]
