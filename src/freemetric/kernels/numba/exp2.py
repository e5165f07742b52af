"""Powers of two in float32 that LLVM can vectorise, and the flags under which it may.

``math.exp`` stays a scalar library call inside a loop. Splitting h = n + r with n the nearest integer
turns 2**h into a polynomial in r and a shift of exponent bits: a dozen vector instructions on NEON or AVX2.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compiling import njit

# No reassociation: it would let the compiler undo the split h = n + r.
EXACT = {"contract", "nsz", "nnan", "ninf"}
# Sums of many terms may be taken in vector lanes.
SUMS = EXACT | {"reassoc"}

LOG2E = np.float32(np.log2(np.e))
# Minimax fit of 2**r on [-1/2, 1/2], relative error below 2e-7.
C0, C1, C2, C3, C4, C5 = (
    np.float32(c)
    for c in (
        1.0000000716543693,
        0.6931469670549282,
        0.24022119724870686,
        0.05550713289554669,
        0.009675541293060497,
        0.0013276466802037699,
    )
)
# Adding 2**23 + 127 to a whole number leaves its float32 exponent field in the lowest bits of the sum.
BIAS = np.float32(2**23 + 127)
ZERO = np.float32(2**23)  # the field of 0.0


def _llvm(name, arity):
    """A float32 function that is one LLVM instruction; numba's own min and max do not vectorise in reductions."""

    def generate(context, builder, signature, args):
        float_ = ir.FloatType()
        function = builder.module.declare_intrinsic(name, [float_], ir.FunctionType(float_, [float_] * arity))
        return builder.call(function, args, fastmath=("fast",))

    return types.float32(*[types.float32] * arity), generate


@intrinsic
def nearest_integer(typing_context, x):
    return _llvm("llvm.rint", 1)


@intrinsic
def larger(typing_context, x, y):
    return _llvm("llvm.maxnum", 2)


@intrinsic
def _as_float(typing_context, bits):
    return types.float32(types.int32), lambda context, builder, signature, args: builder.bitcast(
        args[0], ir.FloatType()
    )


@intrinsic
def _as_bits(typing_context, value):
    return types.int32(types.float32), lambda context, builder, signature, args: builder.bitcast(
        args[0], ir.IntType(32)
    )


@njit(fastmath=EXACT, cache=True)
def mantissa(r):
    """2**r for r in [-1/2, 1/2]."""
    return ((((C5 * r + C4) * r + C3) * r + C2) * r + C1) * r + C0


@njit(fastmath=EXACT, cache=True)
def power(n):
    """2**n for a whole n of at most 127; zero below float32's normal range."""
    return _as_float(np.int32(_as_bits(larger(n + BIAS, ZERO)) << np.int32(23)))
