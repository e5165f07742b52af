"""numba's compiler, with a cache that is no reason to fail."""

from collections.abc import Callable
from typing import Any

import numba

try:
    from .cache import Cache, interruptible, say_once
except (ImportError, AttributeError, KeyError):  # a numba that keeps functions in another way keeps them as it likes
    Cache = None  # type: ignore[assignment,misc]


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """``numba.njit`` whose functions can be interrupted.

    Where neither the package's folder nor home can be written to, nothing is kept.
    Functions that are not there to be read are then compiled by every process, with one warning that names the
    variable to set.

    A process that compiles calls the functions that a kernel calls, a later one the copies within the kernel, which
    the compiler may have made to sum in another order. Functions are therefore inlined, so that both compute the same;
    those that only compare may say ``forceinline=False``, for the time that compiling takes.
    """
    options = {"forceinline": True, **options}

    def compiled(function: Callable) -> Any:
        if Cache is None:
            return numba.njit(cache=cache, **options)(function)
        dispatcher = interruptible(numba.njit(**options)(function))
        if cache:
            try:
                dispatcher._cache = Cache(function)
            except RuntimeError:  # numba: no locator available
                say_once(function.__name__, "no folder")
        return dispatcher

    return compiled
