"""Where compiled functions are kept, and how they are interrupted.

numba's own names, which no release promises: compiling.py does without them.
"""

import contextlib
import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.registry import CPUDispatcher

NOT_KEPT: list[str] = []  # functions that no place was found for; the warning comes with the first


def stamp_of(folder: Path) -> str:
    """A digest of the sources in a folder: times of files do not survive every copy of an installation."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py")))).hexdigest()


KERNELS = stamp_of(Path(__file__).parent)
PLACES: list[Any] = caching.CompileResultCacheImpl._locator_classes
NAMED = {place.__name__.lstrip("_"): place for place in PLACES}  # older releases call them private
READ_ONLY: list[Any] = [  # NUMBA_CACHE_DIR and the package's folder: an image may hold what was compiled in it
    type("Readable", (NAMED[name],), {"ensure_cache_path": lambda self: None})  # a reader needs no permission to write
    for name in ("UserProvidedCacheLocator", "InTreeCacheLocator")
]


class Impl(caching.CompileResultCacheImpl):
    """Where numba looks for a folder that it can write to, and then those that can be read."""

    _locator_classes = [*PLACES, *READ_ONLY]


class Cache(caching.FunctionCache):
    """numba's cache, which is no reason to fail: what cannot be read is compiled, what cannot be written is not kept.

    A kernel holds the code of those it calls, but numba looks at its own file alone: compiled anew where any of them
    has changed.
    """

    _impl_class = Impl

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = self._cache_file._source_stamp, KERNELS

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None; files that were cut off are begun anew."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; where that is impossible the next process compiles it again."""
        try:
            super().save_overload(sig, data)
        except OSError as problem:
            say_once(self._py_func.__name__, problem.strerror)
        except RuntimeError as problem:  # LLVM hands compiled code to a callback, in which Python overlooks Ctrl-C
            if "no compiled object" in str(problem):
                raise KeyboardInterrupt from None
            raise


def say_once(name: str, why: str | None) -> None:
    """The one warning of a process that compiles what it cannot keep."""
    if not NOT_KEPT:
        said = f"Compiled functions cannot be kept ({why}), so every process compiles them anew"
        warnings.warn(f"{said}; NUMBA_CACHE_DIR can name a folder for them.", RuntimeWarning, stacklevel=2)
    NOT_KEPT.append(name)


class Interruptible(CPUDispatcher):
    """A compiled function that raises KeyboardInterrupt where it was interrupted.

    numba calls Python for the type of every array that a function returns, and an interrupt during the function is
    noticed there. numba overlooks it for an array within a tuple; Python then finds a result with an exception set and
    raises SystemError.
    """

    def __call__(self, *args: Any, **options: Any) -> Any:
        try:
            return super().__call__(*args, **options)
        except SystemError as problem:
            if isinstance(problem.__cause__, KeyboardInterrupt):
                raise problem.__cause__ from None
            raise


def interruptible(dispatcher: Any) -> Any:
    """The compiled function, made one that can be interrupted."""
    if type(dispatcher) is CPUDispatcher:  # a plain function where numba compiles nothing
        dispatcher.__class__ = Interruptible
    return dispatcher
