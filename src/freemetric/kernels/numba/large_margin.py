"""The large-margin hinge over all impostors, tile by tile over the pairs of samples of two classes; no N x N array.

With D_ij = |z_i - z_j|^2 and the reach R_ia = 1 + D_it of sample i's a-th target t, the losses are

    pull = sum_ia D_it,    push = sum_ia sum_{l of another class} max(0, R_ia - D_il).

Gradients are those of a smooth version: the hinge's kink would stop a descent before it reaches the minimum.
Few pairs are active. Tiles of distances in float32, made too small by more than their rounding error, find all that may
be; these are then computed in float64, so that the losses and their gradients are exact. The pairs found are kept:
with r_i the root of i's largest reach, those with |z_i - z_l| < max(r_i, r_l) + 2 slack contain all active ones
until a sample has moved, and its r grown, by more than the slack together.
"""

from typing import NamedTuple

import numpy as np

from .compiling import njit
from .exp2 import SUMS

TILE = 256
ROUNDING = 2.0**-24  # of float32
NO_TARGET = -1.0  # a reach below every distance
f32 = np.float32


class Margin(NamedTuple):
    """How a loss weighs pull against push, how wide the smooth hinge is, and how far samples may move."""

    regularization: float
    width: float
    slack: float = 0.0


@njit(fastmath=SUMS, nogil=True, cache=True)
def squared_distance(Z, i, Y, j):
    total = 0.0
    for k in range(Z.shape[1]):
        total += (Z[i, k] - Y[j, k]) * (Z[i, k] - Y[j, k])
    return total


@njit(fastmath=SUMS, nogil=True, cache=True)
def draw_together(Z, i, j, weight, F):
    """Add the gradient of weight * D_ij to F."""
    for k in range(Z.shape[1]):
        f = 2 * weight * (Z[i, k] - Z[j, k])
        F[i, k] += f
        F[j, k] -= f


@njit(nogil=True, cache=True)
def reaches(Z, targets):
    """R (N, k) and r (N,); a missing target is negative."""
    R, r = np.full(targets.shape, NO_TARGET), np.zeros(len(Z))
    for i in range(targets.shape[0]):
        for a in range(targets.shape[1]):
            if targets[i, a] >= 0:
                R[i, a] = 1 + squared_distance(Z, i, Z, targets[i, a])
                r[i] = max(r[i], np.sqrt(R[i, a]))
    return R, r


@njit(nogil=True, cache=True)
def farthest_move(Z, r, Z0, r0):
    """The most that a sample has moved and its r grown since they were Z0 and r0."""
    most = 0.0
    for i in range(len(Z)):
        most = max(most, np.sqrt(squared_distance(Z, i, Z0, i)) + max(0.0, r[i] - r0[i]))
    return most


@njit(nogil=True, cache=True)
def screen(Z, r, slack):
    """U, V (N, p + 2) and bound (N,): U_i . V_l <= max(bound_i, bound_l) wherever |z_i - z_l| < max(r_i, r_l) + slack.

    All are scaled alike, so that float32 neither over- nor underflows where it matters.
    """
    N, p = Z.shape
    largest = np.abs(Z).max()
    scale = 1 / largest if largest > 0 else 1.0
    shrink = 1 - 2 * (p + 5) * ROUNDING  # bounds the error of a product of p + 2 terms and of its rounded factors
    U, V, bound = np.ones((N, p + 2), f32), np.ones((N, p + 2), f32), np.empty(N, f32)
    for i in range(N):
        q = 0.0
        for k in range(p):
            z = scale * Z[i, k]
            U[i, k], V[i, k] = -2 * z, z
            q += z * z
        U[i, p] = V[i, p + 1] = q * shrink
        bound[i] = (scale * (r[i] + slack)) ** 2 * (1 + 2 * ROUNDING)
    return U, V, bound


@njit(nogil=True, cache=True)
def near_columns(h, bound_i, bound, start, near):
    """Fill ``near`` with the columns from ``start`` on that pass the screen; how many they are."""
    n = 0
    for j in range(start, h.shape[0]):
        near[n] = j
        n += (h[j] <= bound_i) | (h[j] <= bound[j])
    return n


@njit(nogil=True, cache=True)
def hinge(t, width):
    """max(0, t); its smooth version, a parabola from 0 to ``width`` and then lower by half of that; its slope."""
    if t <= 0:
        return 0.0, 0.0, 0.0
    if t < width:
        return t, t * t / (2 * width), t / width
    return t, t - width / 2, 1.0


@njit(nogil=True, cache=True)
def push_one_way(D, R, i, width, active):
    """Hinge, its smooth version and slope of an impostor at D, summed over i's targets; slopes go to ``active``."""
    total = smooth = slopes = 0.0
    for a in range(R.shape[1]):
        loss, smooth_loss, slope = hinge(R[i, a] - D, width)
        total += loss
        smooth += smooth_loss
        slopes += slope
        active[i, a] += slope
    return total, smooth, slopes


@njit(nogil=True, cache=True)
def push_pair(Z, R, i, l, margin, forces):
    """The push of i and l on each other, exact and smooth; the latter's gradient is added to the forces."""
    active, F = forces
    D = squared_distance(Z, i, Z, l)
    push_i, smooth_i, slope_i = push_one_way(D, R, i, margin.width, active)
    push_l, smooth_l, slope_l = push_one_way(D, R, l, margin.width, active)
    if slope_i + slope_l > 0:
        draw_together(Z, i, l, (margin.regularization - 1) * (slope_i + slope_l), F)
    return push_i + push_l, smooth_i + smooth_l


@njit(nogil=True, cache=True)
def push_all(Z, reach, end, margin, kept, forces):
    """The push, exact and smooth, and how many pairs were found; the first of them are written to ``kept``."""
    N, (R, r) = Z.shape[0], reach
    U, V, bound = screen(Z, r, 2 * margin.slack)
    buffer, near = np.empty(min(TILE, N) ** 2, f32), np.empty(TILE, np.int64)
    push, smooth, found = 0.0, 0.0, 0
    for i0 in range(0, N, TILE):
        for j0 in range(i0, N, TILE):
            rows, columns = min(TILE, N - i0), min(TILE, N - j0)
            if end[i0] >= j0 + columns:  # all of one class
                continue
            h = buffer[: rows * columns].reshape(rows, columns)
            np.dot(U[i0 : i0 + rows], V[j0 : j0 + columns].T, h)
            for i in range(i0, i0 + rows):  # classes are sorted: other ones begin at end[i]
                n = near_columns(h[i - i0], bound[i], bound[j0:], max(0, end[i] - j0), near)
                for j in near[:n]:
                    exact_push, smooth_push = push_pair(Z, R, i, j0 + j, margin, forces)
                    push += exact_push
                    smooth += smooth_push
                    if found < kept.shape[0]:
                        kept[found, 0], kept[found, 1] = i, j0 + j
                    found += 1
    return push, smooth, found


@njit(nogil=True, cache=True)
def with_pull(Z, targets, R, margin, pushes, forces):
    """L, smooth L and its gradient, L = regularization * pull + (1 - regularization) * push."""
    (push, smooth), (active, F), weight = pushes, forces, 1 - margin.regularization
    pull = 0.0
    for i in range(targets.shape[0]):
        for a in range(targets.shape[1]):
            if targets[i, a] >= 0:
                pull += R[i, a] - 1
                draw_together(Z, i, targets[i, a], margin.regularization + weight * active[i, a], F)
    return margin.regularization * pull + weight * push, margin.regularization * pull + weight * smooth, F


@njit(nogil=True, cache=True)
def searched_loss(Z, targets, reach, end, margin, kept):
    """L, smooth L and its gradient by Z (N, p), and how many pairs were found; the first go to ``kept`` (n, 2).

    Samples are sorted by class, which ends before end[i]; targets (N, k) are negative where there is none; ``reach`` is
    what ``reaches`` gives. More found than ``kept`` can hold are not all there.
    """
    forces = np.zeros(targets.shape), np.zeros(Z.shape)
    push, smooth, found = push_all(Z, reach, end, margin, kept, forces)
    exact, smooth, F = with_pull(Z, targets, reach[0], margin, (push, smooth), forces)
    return exact, smooth, F, found


@njit(nogil=True, cache=True)
def kept_loss(Z, targets, reach, margin, kept):
    """L, smooth L and its gradient by Z (N, p), of the pairs ``kept`` (n, 2)."""
    forces, push, smooth = (np.zeros(targets.shape), np.zeros(Z.shape)), 0.0, 0.0
    for t in range(kept.shape[0]):
        exact_push, smooth_push = push_pair(Z, reach[0], kept[t, 0], kept[t, 1], margin, forces)
        push += exact_push
        smooth += smooth_push
    return with_pull(Z, targets, reach[0], margin, (push, smooth), forces)


@njit(nogil=True, cache=True)
def triplet_loss(Z, pairs, triplets, margin):
    """L, smooth L and its gradient of given pairs (n, 2), which are pulled, and triplets (m, 3), which are pushed."""
    F, regularization, width = np.zeros(Z.shape), margin.regularization, margin.width
    weight = 1 - regularization
    pull = push = smooth = 0.0
    for t in range(pairs.shape[0]):
        i, j = pairs[t, 0], pairs[t, 1]
        pull += squared_distance(Z, i, Z, j)
        draw_together(Z, i, j, regularization, F)
    for t in range(triplets.shape[0]):
        i, j, l = triplets[t, 0], triplets[t, 1], triplets[t, 2]
        loss, smooth_loss, slope = hinge(1 + squared_distance(Z, i, Z, j) - squared_distance(Z, i, Z, l), width)
        if slope > 0:
            push += loss
            smooth += smooth_loss
            draw_together(Z, i, j, weight * slope, F)
            draw_together(Z, i, l, -weight * slope, F)
    return regularization * pull + weight * push, regularization * pull + weight * smooth, F
