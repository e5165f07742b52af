"""Regression trees of a fixed depth on binned features, and sums of their leaves."""

import numba
import numpy as np

from .compiling import njit

f32 = np.float32
ROUNDING = f32(1.00001)  # a gain by less is none


@numba.njit(inline="always")
def add_row(sums, force, weight):
    """Add the force and the weight of a row to sums (2,)."""
    sums[0] += force
    sums[1] += weight


@numba.njit(inline="always")
def best_bin(sums, total, limits, best):
    """The gain of a node's best split by one feature, and its last bin on the left.

    ``sums`` (n_bins, 2) are those of the bins, ``total`` (2,) that of the node. The bin
    is -1 where no split gains more than ``best``.
    """
    least, ridge = limits
    last = -1
    left, below = f32(0), f32(0)
    for b in range(sums.shape[0] - 1):
        left += sums[b, 0]
        below += sums[b, 1]
        right, above = total[0] - left, total[1] - below
        if above < least:
            break
        if below >= least and sums[b, 1] > f32(0):
            gain = left * left / (below + ridge) + right * right / (above + ridge)
            if gain > best:
                best = f32(gain)
                last = b
    return best, last


@njit(nogil=True, cache=True)
def grow_tree(bins, columns, force, weights, n_bins, limits, splits, node):
    """Write to splits (2, n_inner) the feature and the last bin on the left of every
    inner node, level by level.

    A split is the one of some columns that lowers the squared error of a force (N,) the
    most, of rows with weights (N,) and bins (d, N); ``limits`` are the least weight of
    a side and the ridge on its mean. A node that no split improves sends all rows to
    the left. ``node`` (N,) is the leaf of every row in the end.
    """
    N, n_inner, ridge = len(force), splits.shape[1], limits[1]
    n_leaves = n_inner + 1
    sums = np.empty((n_leaves // 2, n_bins, 2), f32)
    total, best = np.empty((n_leaves // 2, 2), f32), np.empty(n_leaves // 2, f32)
    node[:] = 0
    first = 0
    while first < n_inner:
        width = first + 1
        total[:] = f32(0)
        for i in range(N):
            add_row(total[node[i] - first], force[i], weights[i])
        for k in range(width):
            best[k] = ROUNDING * total[k, 0] * total[k, 0] / (total[k, 1] + ridge)
            splits[0, first + k], splits[1, first + k] = columns[0], n_bins
        for j in columns:
            sums[:width] = f32(0)
            for i in range(N):
                add_row(sums[node[i] - first, bins[j, i]], force[i], weights[i])
            for k in range(width):
                best[k], last = best_bin(sums[k], total[k], limits, best[k])
                if last >= 0:
                    splits[0, first + k], splits[1, first + k] = j, last
        for i in range(N):
            k = node[i]
            node[i] = 2 * k + 1 + (bins[splits[0, k], i] > splits[1, k])
        first = 2 * first + 1
    node -= n_inner


@njit(nogil=True, cache=True)
def add_leaves(X, features, thresholds, leaves, out):
    """Add to out (n, C) the leaves (T, n_leaves, C) that samples X (n, d) reach."""
    n_inner = features.shape[1]
    for i in range(X.shape[0]):
        for t in range(features.shape[0]):
            k = 0
            while k < n_inner:
                k = 2 * k + 1 + (X[i, features[t, k]] > thresholds[t, k])
            for c in range(out.shape[1]):
                out[i, c] += leaves[t, k - n_inner, c]
