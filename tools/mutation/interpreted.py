"""Compiled kernels as the Python that they are written in: mutants need no compiler, and coverage sees their lines."""

import numba
import numba.extending
import numpy as np


def squared_distances(Z, i, Q, lists, row, out):
    out[:] = np.square(Z[i] - Q[lists[row]]).sum(axis=1)


def sum_of_rows(c, lists, i, n, X, Y):
    Y[i] = c[: int(n)] @ X[lists[i, : int(n)]]


def products(W, i, D, out):
    out[:] = D @ W[i]


def count_smaller(near, rows, n, ranks):
    ranks[:n] = (near[:n] < near[:n, None]).sum(axis=1)


def count_before(near, rows, n, ranks):
    ranks[np.lexsort((rows[:n], near[:n]))] = np.arange(n)


INSTRUCTIONS = {
    "nearest_integer": np.rint,
    "larger": max,
    "mantissa": lambda r: np.float32(2.0**r),
    "power": lambda n: np.float32(2.0**n if n > -127 else 0),
    "squared_distances": squared_distances,
    "sum_of_rows": sum_of_rows,
    "products": products,
    "count_within": lambda h, n, bound: np.int32((h[:n] <= bound).sum()),
    "count_smaller": count_smaller,
    "count_before": count_before,
}
"""What LLVM's instructions do that kernels/numba/exp2.py and rows.py ask for by name."""


def interpret() -> None:
    """Before freemetric is imported: its kernels will not be compiled."""
    numba.config.DISABLE_JIT = True
    numba.extending.intrinsic = lambda function: INSTRUCTIONS[function.__name__]
