"""numba's compiler, with a cache that is no reason to fail.

A process that compiles and a later one that loads from the cache must compute the same
to the last bit. LLVM may sum in another order where it inlines a function, and does so
in one process and not in the other. Functions that kernels call are therefore
``numba.njit(inline="always")``, and no kernel calls another kernel."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numba

FAST = {"contract", "nsz", "nnan", "ninf", "reassoc"}  # sums in vector lanes


def njit(**options: Any) -> Callable[[Callable], Any]:
    """``numba.njit`` for functions that Python calls, or that are inlined.

    Where no folder can be written to, or its disk is full, every process compiles for
    itself.
    """
    options.setdefault("error_model", "numpy")

    def compiled(function: Callable) -> Any:
        try:
            kernel = numba.njit(**options)(function)
        except RuntimeError:  # numba: no locator available for the cache
            kernel = numba.njit(**{**options, "cache": False})(function)
        if "inline" in options:
            return kernel

        @wraps(function)
        def call(*args: Any) -> Any:
            try:
                return kernel(*args)
            except OSError:  # what was compiled could not be written, but is there
                return kernel(*args)

        return call

    return compiled
