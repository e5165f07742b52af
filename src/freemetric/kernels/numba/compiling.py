"""numba's compiler, with a cache that is no reason to fail.

A process that compiles and a later one that loads from the cache must compute the same
to the last bit. LLVM may sum in another order where it inlines a function, and does so
in one process and not in the other. Functions that kernels call are therefore
``numba.njit(inline="always")``, and no kernel calls another kernel."""

import warnings
from collections.abc import Callable
from functools import cache as once
from typing import Any

import numba
from numba.core.caching import FunctionCache

FAST = {"contract", "nsz", "nnan", "ninf", "reassoc"}  # sums in vector lanes


class OptionalCache(FunctionCache):
    """Compiled code in a folder, unless its disk is full."""

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            warn_that_nothing_is_kept()


@once
def warn_that_nothing_is_kept() -> None:
    warnings.warn(
        "Compiled code cannot be kept, because its folder cannot be written to: every "
        "process compiles for seconds. Set NUMBA_CACHE_DIR to another folder.",
        stacklevel=3,
    )


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """``numba.njit`` for functions that Python calls, or that are inlined.

    Where no folder can be written to, or its disk is full, every process compiles for
    itself.
    """
    options.setdefault("error_model", "numpy")

    def compiled(function: Callable) -> Any:
        kernel = numba.njit(**options)(function)
        if cache:
            try:
                kernel._cache = OptionalCache(function)
            except RuntimeError:  # numba: no locator available for the cache
                warn_that_nothing_is_kept()
        return kernel

    return compiled
