"""What kernels do with one row of exponents x_j, and of weights 2**x_j: the neighbours
of one sample.

``math.exp`` stays a scalar library call inside a loop. Splitting x = n + r with n the
nearest integer turns 2**x into a polynomial in r and a shift of exponent bits: a dozen
vector instructions in float32."""

import numba
import numpy as np

LOG2E = np.float32(np.log2(np.e))
# Minimax fit of 2**r on [-1/2, 1/2], relative error below 2e-7.
C0, C1, C2, C3, C4, C5 = np.array(
    [
        1.0000000716543693,
        0.6931469670549282,
        0.24022119724870686,
        0.05550713289554669,
        0.009675541293060497,
        0.0013276466802037699,
    ],
    dtype=np.float32,
)
BIAS = np.int32(127)  # of the exponent in a float32
DIGITS = np.int32(23)  # bits below the exponent
# What is less is negligible beside a largest power of one. Products of smaller numbers
# may be denormal, which processors compute a hundred times slower.
LEAST = np.float32(-60)
f32, i32 = np.float32, np.int32


@numba.njit(inline="always")
def mantissa(r):
    """2**r for a float32 r in [-1/2, 1/2]."""
    return ((((C5 * r + C4) * r + C3) * r + C2) * r + C1) * r + C0


@numba.njit(inline="always")
def power(n):
    """2**n for a whole float32 n of at most 127; zero below 2**LEAST."""
    n = n if n > LEAST else f32(-127)
    bits = i32((i32(n) + BIAS) << DIGITS)
    return bits.view(f32)


@numba.njit(inline="always")
def exp2(x):
    """2**x for a float32 x of at most 127; zero below 2**LEAST."""
    n = np.rint(x)
    return mantissa(x - n) * power(n)


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
