"""numba's compiler, with a cache that is no reason to fail.

A process that compiles and a later one that loads from the cache must compute the same
to the last bit. LLVM may sum in another order where it inlines a function, and does so
in one process and not in the other. Functions that kernels call are therefore
``numba.njit(inline="always")``, and no kernel calls another kernel."""

from collections.abc import Callable
from typing import Any

import numba

FAST = {"contract", "nsz", "nnan", "ninf", "reassoc"}  # sums in vector lanes


def njit(**options: Any) -> Callable[[Callable], Any]:
    """``numba.njit``; where no folder can be written to, every process compiles for
    itself.
    """

    def compiled(function: Callable) -> Any:
        options.setdefault("error_model", "numpy")
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # numba: no locator available for the cache
            return numba.njit(**{**options, "cache": False})(function)

    return compiled
