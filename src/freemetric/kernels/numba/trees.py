"""Regression trees of a fixed depth on binned features, and sums of their leaves."""

import numpy as np

from .compiling import njit

f32 = np.float32


@njit(nogil=True, cache=True)
def grow_tree(bins, columns, force, weights, n_bins, limits, splits, node):
    """Write to splits (2, n_inner) the feature and the last bin on the left of every
    inner node, level by level.

    A split is the one of some columns that lowers the squared error of a force (N,) the
    most, of rows with weights (N,) and bins (d, N); ``limits`` are the least weight of
    a side and the ridge on its mean. A node that no split improves sends all rows to
    the left. ``node`` (N,) is the leaf of every row in the end.
    """
    N, n_inner, (least, ridge), first = len(force), splits.shape[1], limits, 0
    sums = np.empty(((n_inner + 1) // 2, n_bins, 2), f32)
    total, best = (
        np.empty(((n_inner + 1) // 2, 2), f32),
        np.empty((n_inner + 1) // 2, f32),
    )
    node[:] = 0
    while first < n_inner:
        width = first + 1
        total[:] = f32(0)
        for i in range(N):
            there = total[node[i] - first]
            there[0] += force[i]
            there[1] += weights[i]
        for k in range(width):
            best[k] = (
                f32(1.00001) * total[k, 0] * total[k, 0] / (total[k, 1] + ridge)
            )  # rounding is no gain
            splits[0, first + k], splits[1, first + k] = columns[0], n_bins
        for j in columns:
            sums[:width] = f32(0)
            for i in range(N):
                there = sums[node[i] - first, bins[j, i]]
                there[0] += force[i]
                there[1] += weights[i]
            for k in range(width):
                left, below = f32(0), f32(0)
                for b in range(n_bins - 1):
                    left, below = left + sums[k, b, 0], below + sums[k, b, 1]
                    right, above = total[k, 0] - left, total[k, 1] - below
                    if above < least:
                        break
                    if below >= least and sums[k, b, 1] > f32(0):
                        gain = left * left / (below + ridge) + right * right / (
                            above + ridge
                        )
                        if gain > best[k]:
                            best[k] = gain
                            splits[0, first + k], splits[1, first + k] = j, b
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
