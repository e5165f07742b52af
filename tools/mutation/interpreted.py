"""Compiled kernels as the Python that they are written in: mutants need no compiler, and coverage sees their lines."""

import numba
import numba.extending
import numpy as np

INSTRUCTIONS = {
    "nearest_integer": np.rint,
    "larger": max,
    "mantissa": lambda r: np.float32(2.0**r),
    "power": lambda n: np.float32(2.0**n if n > -127 else 0),
}
"""What LLVM's instructions do that kernels/numba/exp2.py asks for by name."""


def interpret() -> None:
    """Before freemetric is imported: its kernels will not be compiled."""
    numba.config.DISABLE_JIT = True
    numba.extending.intrinsic = lambda function: INSTRUCTIONS[function.__name__]
