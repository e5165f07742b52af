"""Powers of two in float32 that the compiler can vectorise.

``math.exp`` stays a scalar library call inside a loop. Splitting x = n + r with n the
nearest integer turns 2**x into a polynomial in r and a shift of exponent bits: a dozen
vector instructions."""

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
# may be denormal, which
# processors compute a hundred times slower.
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
