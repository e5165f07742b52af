"""numba's compiler with its cache where there is a place for one, and without it where there is none."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

UNCACHED: list[str] = []  # functions without a cache; the warning comes with the first


def stamp_of(folder: Path) -> tuple[tuple[str, float, int], ...]:
    """Names, times and sizes of the sources in a folder."""
    files = sorted(folder.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime, file.stat().st_size) for file in files)


KERNELS = stamp_of(Path(__file__).parent)


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """``numba.njit``; where neither the package's folder nor home can be written to, nothing is cached.

    Functions are then compiled by every process, with one warning that names the variable to set.
    """

    def compiled(function: Callable) -> Any:
        try:
            return _of_these_sources(numba.njit(cache=cache, **options)(function))
        except RuntimeError:  # numba: no locator available
            if not UNCACHED:
                said = "No folder for compiled functions can be written to, so every process compiles them anew"
                warnings.warn(f"{said}; NUMBA_CACHE_DIR can name one.", RuntimeWarning, stacklevel=3)
            UNCACHED.append(function.__name__)
            return numba.njit(cache=False, **options)(function)

    return compiled


def _of_these_sources(dispatcher):
    """A kernel holds the code of those it calls, but numba's cache looks at its own file alone: compiled anew where any
    of them has changed."""
    file = getattr(dispatcher._cache, "_cache_file", None)  # none without a cache, or where numba does it otherwise
    if file is not None:
        file._source_stamp = file._source_stamp, KERNELS
    return dispatcher
