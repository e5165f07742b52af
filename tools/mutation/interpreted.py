"""Compiled kernels as the Python that they are written in: mutants need no compiler, and coverage sees their lines."""

import numba
import numba.extending
import numpy as np

INSTRUCTIONS = {
    "nearest_integer": np.rint,
    "larger": max,
    "_as_float": lambda bits: np.int32(bits).view(np.float32),
    "_as_bits": lambda value: np.float32(value).view(np.int32),
}
"""What LLVM's instructions do that kernels/numba/exp2.py asks for by name."""


def interpret() -> None:
    """Before freemetric is imported: its kernels will not be compiled."""
    numba.config.DISABLE_JIT = True
    numba.extending.intrinsic = lambda function: INSTRUCTIONS[function.__name__]
