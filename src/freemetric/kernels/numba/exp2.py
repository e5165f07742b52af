"""Powers of two in float32 that LLVM can vectorise, and the flags under which it may.

``math.exp`` stays a scalar library call inside a loop. Splitting h = n + r with n the nearest integer
turns 2**h into a polynomial in r and a shift of exponent bits: a dozen vector instructions on NEON or AVX2.
All functions are instructions of LLVM, which cost a kernel nothing to compile. They carry the flags of the kernel:
the exponent is an integer, which no reassociation can move.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

EXACT = {"contract", "nsz", "nnan", "ninf"}
SUMS = EXACT | {"reassoc"}  # sums of many terms may be taken in vector lanes

LOG2E = np.float32(np.log2(np.e))
# Minimax fit of 2**r on [-1/2, 1/2], relative error below 2e-7; the highest power first.
COEFFICIENTS = (
    0.0013276466802037699,
    0.009675541293060497,
    0.05550713289554669,
    0.24022119724870686,
    0.6931469670549282,
    1.0000000716543693,
)
BIAS = 127  # of the exponent field of a float32
FLOAT, BITS = ir.FloatType(), ir.IntType(32)


def _constant(value):
    return ir.Constant(FLOAT, float(np.float32(value)))


def _call(builder, name, *args):
    """A float32 function that is one LLVM instruction; numba's own min and max do not vectorise in reductions."""
    function = builder.module.declare_intrinsic(name, [FLOAT], ir.FunctionType(FLOAT, [FLOAT] * len(args)))
    return builder.call(function, args, fastmath=("fast",))


@intrinsic
def nearest_integer(typing_context, x):
    def generate(context, builder, signature, args):
        return _call(builder, "llvm.rint", *args)

    return types.float32(types.float32), generate


@intrinsic
def larger(typing_context, x, y):
    def generate(context, builder, signature, args):
        return _call(builder, "llvm.maxnum", *args)

    return types.float32(types.float32, types.float32), generate


@intrinsic
def mantissa(typing_context, r):
    """2**r for r in [-1/2, 1/2]."""

    def generate(context, builder, signature, args):
        value = _constant(COEFFICIENTS[0])
        for coefficient in COEFFICIENTS[1:]:
            value = builder.fadd(builder.fmul(value, args[0]), _constant(coefficient))
        return value

    return types.float32(types.float32), generate


@intrinsic
def power(typing_context, n):
    """2**n for a whole n of at most 127; zero below float32's normal range."""

    def generate(context, builder, signature, args):
        whole = builder.fptosi(_call(builder, "llvm.maxnum", args[0], _constant(-BIAS)), BITS)
        field = builder.shl(builder.add(whole, ir.Constant(BITS, BIAS)), ir.Constant(BITS, 23))
        return builder.bitcast(field, FLOAT)

    return types.float32(types.float32), generate
