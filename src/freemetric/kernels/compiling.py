"""numba's compiler with its cache where there is a place for one, and without it where there is none."""

import warnings
from collections.abc import Callable
from typing import Any

import numba

UNCACHED: list[str] = []  # functions without a cache; the warning comes with the first


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """``numba.njit``; where neither the package's folder nor home can be written to, nothing is cached.

    Functions are then compiled by every process, with one warning that names the variable to set.
    """

    def compiled(function: Callable) -> Any:
        try:
            return numba.njit(cache=cache, **options)(function)
        except RuntimeError:  # numba: no locator available
            if not UNCACHED:
                said = "No folder for compiled functions can be written to, so every process compiles them anew"
                warnings.warn(f"{said}; NUMBA_CACHE_DIR can name one.", RuntimeWarning, stacklevel=3)
            UNCACHED.append(function.__name__)
            return numba.njit(cache=False, **options)(function)

    return compiled
