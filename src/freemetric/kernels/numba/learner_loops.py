"""Inner loops of single learners: ITML's projections, SCML's dual averaging."""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from .compiling import njit

ANY_ORDER = {"reassoc", "contract", "nsz"}  # infinities and nan stay what they are
# The average weighs iterate s by about s**TAIL: old iterates fade, noise averages out.
TAIL = 3
f32 = np.float32


@njit(nogil=True, cache=True)
def logdet_cycle(M, constraints, gamma, order):
    """Project on the constraints ``order``, one after the other; M, multipliers and
    slacks change in place.

    Constraint c is v^T M v <= slack_c where signs[c] = 1 and >= where it is -1. Moving
    its multiplier by t gives 1 / (v^T M v) + t and 1 / slack - t / gamma: they meet at
    t = gamma / (gamma + 1) (1 / slack - 1 / (v^T M v)). M (d, d) is symmetric.
    Constraints are differences V (n, d), signs, multipliers and slacks (n,); all are
    float64."""
    V, signs, multipliers, slacks = constraints
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


class DualAverage(NamedTuple):
    """Arrays (n_basis,) that a run updates in place."""

    start: np.ndarray  # float64; where the proximal term pulls
    gradients: np.ndarray  # float64; sum over the steps
    squares: np.ndarray  # float64; sum of the squared gradients
    weights: np.ndarray  # float32; the iterate
    average: np.ndarray  # float64; of the iterates
    penalty: np.ndarray  # float64; on every weight
    gamma: float  # length of the steps

    @classmethod
    def at(cls, start: NDArray, penalty: NDArray, gamma: float) -> "DualAverage":
        """The state before the first step."""
        n = len(start)
        return cls(
            start.copy(),
            np.zeros(n),
            np.zeros(n),
            start.astype(f32),
            start.copy(),
            penalty,
            float(gamma),
        )


@numba.njit(inline="always")
def margin(P, a, p, n, weights, z):
    """1 + sum_i w_i z_i; fills z."""
    total = f32(1)
    for i in range(z.shape[0]):
        near, far = P[a, i] - P[p, i], P[a, i] - P[n, i]
        z[i] = near * near - far * far
        total += weights[i] * z[i]
    return total


@numba.njit(inline="always")
def batch_gradient(P, triplets, batch, weights, z, g):
    """Fills g with the mean over the batch of the hinges' gradients."""
    g[:] = f32(0)
    share = f32(1) / f32(batch.shape[0])
    for m in batch:
        if margin(P, triplets[m, 0], triplets[m, 1], triplets[m, 2], weights, z) > f32(
            0
        ):
            for i in range(z.shape[0]):
                g[i] += share * z[i]


@numba.njit(inline="always")
def update(state, g, t):
    """w = argmin_{w >= 0} <sum of g, w> + t <penalty, w> + |w - start|_H^2 / (2 gamma),
    H = diag sqrt(sum of g^2).
    """
    share = (1.0 + TAIL) / (t + TAIL)
    for i in range(g.shape[0]):
        state.gradients[i] += g[i]
        state.squares[i] += g[i] * g[i]
        H = 1e-12 + np.sqrt(state.squares[i])
        w = max(
            0.0,
            state.start[i]
            - state.gamma * (state.gradients[i] + t * state.penalty[i]) / H,
        )
        state.weights[i] = w
        state.average[i] += share * (w - state.average[i])


@njit(fastmath=ANY_ORDER, nogil=True, cache=True)
def descend(P, triplets, batches, state, t):
    """Take one step per row of ``batches`` (numbers of triplets), the first being step
    number ``t + 1``.
    """
    z, g = np.empty(P.shape[1], f32), np.empty(P.shape[1], f32)
    for s in range(batches.shape[0]):
        batch_gradient(P, triplets, batches[s], state.weights, z, g)
        update(state, g, t + s + 1)


@numba.njit(inline="always")
def squared_distance(Z, a, b):
    total = 0.0
    for i in range(Z.shape[1]):
        total += (Z[a, i] - Z[b, i]) ** 2
    return total


@njit(fastmath=ANY_ORDER, nogil=True, cache=True)
def mean_hinge(Z, triplets):
    """Mean of [1 + |z_a - z_p|^2 - |z_a - z_n|^2]_+ over the triplets, for mapped
    samples Z (N, p).
    """
    total = 0.0
    for m in range(triplets.shape[0]):
        a, p, n = triplets[m]
        total += max(0.0, 1.0 + squared_distance(Z, a, p) - squared_distance(Z, a, n))
    return total / triplets.shape[0]
