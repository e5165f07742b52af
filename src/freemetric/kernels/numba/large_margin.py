"""The large-margin hinge over all impostors, a block of samples at a time; no N x N
array.

With D_ij = |z_i - z_j|^2 and the reach R_ia = 1 + D_it of sample i's a-th target t, the
losses are

    pull = sum_ia D_it,    push = sum_ia sum_{l of another class} max(0, R_ia - D_il).

Gradients are those of a smooth version: the hinge's kink would stop a descent before it
reaches the minimum. Few pairs are active. Distances in float32, made too small by more
than their rounding error, find all that may be; these are then computed in float64, so
that the losses and their gradients are exact. The pairs found are kept: with r_i the
root of i's largest reach, those with |z_i - z_l| < max(r_i, r_l) + 2 slack contain all
active ones until a sample has moved, and its r grown, by more than the slack together.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from .compiling import FAST, njit

PAIRS = 1 << 18  # of a block
ROUNDING = 2.0**-24  # of float32
NO_TARGET = -1.0  # a reach below every distance
f32 = np.float32


class Margin(NamedTuple):
    """How a loss weighs pull against push, how wide the smooth hinge is, and how far
    samples may move.
    """

    regularization: float
    width: float
    slack: float = 0.0


@numba.njit(inline="always")
def hinge(t, width):
    """max(0, t); its smooth version, a parabola from 0 to ``width`` and then lower by
    half of that; its slope.
    """
    loss, smooth, slope = 0.0, 0.0, 0.0
    if t > 0:
        loss, smooth, slope = t, t - width / 2, 1.0
        if t < width:
            smooth, slope = t * t / (2 * width), t / width
    return loss, smooth, slope


@njit(fastmath=FAST, nogil=True, cache=True)
def add_pulls(Z, pairs, weights, F):
    """Add the gradient of sum_t weights_t D_ij over pairs (n, 2) to F (N, p)."""
    for t in range(pairs.shape[0]):
        i, j = pairs[t, 0], pairs[t, 1]
        if weights[t] != 0:
            for k in range(Z.shape[1]):
                f = 2 * weights[t] * (Z[i, k] - Z[j, k])
                F[i, k] += f
                F[j, k] -= f


@njit(nogil=True, cache=True)
def push_pairs(Z, R, pairs, width, active, slopes):
    """Return the push of pairs (n, 2) on each other, exact and smooth.

    The smooth one's slopes by the distances go to ``slopes`` (n,); those by the reaches
    are added to ``active`` (N, k)."""
    exact, smooth = 0.0, 0.0
    for t in range(pairs.shape[0]):
        D, slopes[t] = 0.0, 0.0
        for k in range(Z.shape[1]):
            D += (Z[pairs[t, 0], k] - Z[pairs[t, 1], k]) ** 2
        for side in range(2):
            i = pairs[t, side]
            for a in range(R.shape[1]):
                loss, smooth_loss, slope = hinge(R[i, a] - D, width)
                exact += loss
                smooth += smooth_loss
                slopes[t] += slope
                active[i, a] += slope
    return exact, smooth


def squared_distances(Z: NDArray, pairs: NDArray) -> NDArray:
    """D (n,) of pairs (n, 2)."""
    apart = Z[pairs[:, 0]] - Z[pairs[:, 1]]
    return np.einsum("np,np->n", apart, apart)


def target_pairs(targets: NDArray) -> tuple[NDArray, NDArray]:
    """Pairs (n, 2) of samples and their targets, and where these stand in targets (N,
    k); -1 is none.
    """
    is_there = targets >= 0
    rows = np.nonzero(is_there)[0]
    return np.column_stack([rows, targets[is_there]]), is_there


def reaches(Z: NDArray, targets: NDArray) -> tuple[NDArray, NDArray]:
    """R (N, k) and r (N,); a missing target is negative."""
    pairs, is_there = target_pairs(targets)
    R = np.full(targets.shape, NO_TARGET)
    R[is_there] = 1 + squared_distances(Z, pairs)
    return R, np.sqrt(np.maximum(R.max(axis=1, initial=0.0), 0.0))


def farthest_move(Z: NDArray, r: NDArray, Z0: NDArray, r0: NDArray) -> float:
    """The most that a sample has moved and its r grown since they were Z0 and r0."""
    moved = np.linalg.norm(Z - Z0, axis=1) + np.maximum(0.0, r - r0)
    return float(moved.max())


def screen(Z: NDArray, r: NDArray, slack: float) -> tuple[NDArray, NDArray, NDArray]:
    """U, V (N, p + 2) and bound (N,): U_i . V_l <= max(bound_i, bound_l) wherever |z_i
    - z_l| < max(r_i, r_l) + slack.

    All are scaled alike, so that float32 neither over- nor underflows where it matters.
    """
    largest = np.abs(Z).max()
    scale = 1 / largest if largest > 0 else 1.0
    # It bounds the error of a product of p + 2 terms and of its rounded factors.
    shrink = 1 - 2 * (Z.shape[1] + 5) * ROUNDING
    S, ones = scale * Z, np.ones(len(Z))
    q = shrink * np.einsum("np,np->n", S, S)
    U = np.column_stack([-2 * S, q, ones])
    V = np.column_stack([S, ones, q])
    bound = (scale * (r + slack)) ** 2 * (1 + 2 * ROUNDING)
    return U.astype(f32), V.astype(f32), bound.astype(f32)


def searched_loss(
    Z: NDArray,
    targets: NDArray,
    reach: tuple,
    end: NDArray,
    margin: Margin,
    kept: NDArray,
) -> tuple[float, float, NDArray, int]:
    """L, smooth L and its gradient by Z (N, p), and how many pairs were found; the
    first go to ``kept`` (n, 2).

    Samples are sorted by class, which ends before end[i]; targets (N, k) are negative
    where there is none; ``reach`` is what ``reaches`` gives. More found than ``kept``
    can hold are not all there."""
    N, (R, r) = len(Z), reach
    U, V, bound = screen(Z, r, 2 * margin.slack)
    pushes = _Pushes(Z, targets, R, margin)
    found, step = 0, max(1, PAIRS // N)
    for start in range(0, N, step):
        rows, first = slice(start, start + step), end[start]  # other classes follow
        D = U[rows] @ V[first:].T
        is_near = (bound[rows, None] >= D) | (bound[first:] >= D)
        is_near &= np.arange(first, N) >= end[rows, None]
        i, j = np.nonzero(is_near)
        pairs = np.column_stack([i + start, j + first])
        pushes.add(pairs)
        room = max(0, len(kept) - found)
        kept[found : found + len(pairs)] = pairs[:room]
        found += len(pairs)
    return *pushes.loss(), found


def kept_loss(
    Z: NDArray, targets: NDArray, reach: tuple, margin: Margin, kept: NDArray
) -> tuple[float, float, NDArray]:
    """L, smooth L and its gradient by Z (N, p), of the pairs ``kept`` (n, 2)."""
    pushes = _Pushes(Z, targets, reach[0], margin)
    pushes.add(kept)
    return pushes.loss()


class _Pushes:
    """The push so far, and what it does to the samples; L = regularization * pull + (1
    - regularization) * push.
    """

    def __init__(self, Z, targets, R, margin):
        self.Z = Z
        self.targets = targets
        self.R = R
        self.margin = margin
        self.exact = 0.0
        self.smooth = 0.0
        self.active = np.zeros(R.shape)
        self.F = np.zeros(Z.shape)

    def add(self, pairs):
        """The push of pairs (n, 2)."""
        slopes = np.empty(len(pairs))
        exact, smooth = push_pairs(
            self.Z, self.R, pairs, self.margin.width, self.active, slopes
        )
        self.exact += exact
        self.smooth += smooth
        add_pulls(self.Z, pairs, (self.margin.regularization - 1) * slopes, self.F)

    def loss(self):
        """L, smooth L and its gradient."""
        share = self.margin.regularization
        pairs, is_there = target_pairs(self.targets)
        pull = share * (self.R[is_there] - 1).sum()
        weights = share + (1 - share) * self.active[is_there]
        add_pulls(self.Z, pairs, weights, self.F)
        return pull + (1 - share) * self.exact, pull + (1 - share) * self.smooth, self.F


def triplet_loss(
    Z: NDArray, pairs: NDArray, triplets: NDArray, margin: Margin
) -> tuple[float, float, NDArray]:
    """L, smooth L and its gradient of pairs (n, 2), which are pulled, and triplets (m,
    3), which are pushed.
    """
    near, far = triplets[:, :2], triplets[:, ::2]
    share, width = margin.regularization, margin.width
    t = 1 + squared_distances(Z, near) - squared_distances(Z, far)
    is_flat = t >= width
    smooth = np.where(is_flat, t - width / 2, np.maximum(t, 0) ** 2 / (2 * width or 1))
    slope = np.where(is_flat, 1.0, np.maximum(t, 0) / (width or 1)) * (t > 0)
    F = np.zeros(Z.shape)
    add_pulls(Z, pairs, np.full(len(pairs), share), F)
    add_pulls(Z, near, (1 - share) * slope, F)
    add_pulls(Z, far, (share - 1) * slope, F)
    pull = share * squared_distances(Z, pairs).sum()
    exact = np.maximum(t, 0).sum()
    smooth = (smooth * (t > 0)).sum()
    return pull + (1 - share) * exact, pull + (1 - share) * smooth, F
