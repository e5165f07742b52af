"""What kernels do with one row of exponents x_j, and of weights 2**x_j: the neighbours
of one sample.
"""

import numba
import numpy as np

from .exp2 import exp2

f32 = np.float32


@numba.njit(inline="always")
def largest(row):
    """The largest of a row."""
    most = row[0]
    for j in range(row.shape[0]):
        most = row[j] if row[j] > most else most
    return most


@numba.njit(inline="always")
def raise_two(row, most):
    """Overwrite x by 2**(x - most)."""
    for j in range(row.shape[0]):
        row[j] = exp2(row[j] - most)


@numba.njit(inline="always")
def share_out(row):
    """Divide weights by their sum, which is returned."""
    total = f32(0)
    for j in range(row.shape[0]):
        total += row[j]
    share = f32(1) / total
    for j in range(row.shape[0]):
        row[j] *= share
    return total


@numba.njit(inline="always")
def similarity_cost(row, similar, w, log_floor, with_forces):
    """Return what a sample of weight w costs; overwrite weights by its dE/dD where
    these are wanted.
    """
    hit, miss = f32(0), f32(0)
    for j in range(row.shape[0]):
        hit += row[j] * similar[j]
        miss += row[j] * (f32(1) - similar[j])
    share = f32(1) / (hit + miss)
    p, cost, slope = hit * share, miss * share, w * share
    if log_floor > 0:
        cost = -np.log(p + log_floor)
        slope /= p + log_floor
    if with_forces:
        for j in range(row.shape[0]):
            row[j] *= slope * (similar[j] - p)
    return cost
