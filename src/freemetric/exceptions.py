"""Warnings and errors of this package, and the error that a library is missing."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock, current_thread, main_thread
from types import FrameType
from typing import Any

# Extras of modules that have one of their own.
OWN_EXTRA = {"openpyxl": "excel", "pyarrow": "parquet"}
# Packages that a warning does not point to.
ON_THE_WAY = (__name__.split(".")[0], "sklearn", "joblib", "contextlib")
# topics of warnings with the files and lines they were shown at
SHOWN: set[tuple[str, str, int]] = set()
SHOWING = RLock()


def printable(text):
    """The text with a blank for every line break and control character.

    Examples
    --------
    >>> printable("two\\nlines")
    'two lines'
    """
    return "".join(char if char.isprintable() else " " for char in str(text))


class DataWarning(UserWarning):
    """Something in the data will make a learned metric worse or its error estimate too
    good.
    """


class VersionWarning(UserWarning):
    """A model file holds scikit-learn objects of another release than that in use."""


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message is one line that names the
    file and the problem.
    """


class ModelFileAccessError(
    OSError, ModelFileError
):  # in this order, so that OSError reads the arguments
    """The operating system refuses access to a model file.

    ``errno``, ``strerror`` and ``filename`` are those of every OSError. The usual
    reasons have classes of their own, so that ``except FileNotFoundError`` catches a
    missing model file.
    """

    access = "read"

    def __str__(self) -> str:
        return printable(f"{self.filename}: cannot be {self.access} ({self.strerror})")


class ModelFileNotFoundError(ModelFileAccessError, FileNotFoundError):
    """There is no such model file, or no such folder to write it to."""


class ModelFileIsADirectoryError(ModelFileAccessError, IsADirectoryError):
    """A folder stands where a model file should be."""


class ModelFilePermissionError(ModelFileAccessError, PermissionError):
    """The user may not read or write the model file."""


def warn_of_data(message: str, topic: str = "") -> None:
    """Give a DataWarning as ``warn_once`` does."""
    warn_once(message, DataWarning, topic)


def warn_once(message: str | Warning, category: type[Warning], topic: str = "") -> None:
    """Warn at the user's line, once where the filters show a line's warning once.

    Python forgets what it has shown whenever filters change, and scikit-learn changes
    them around every fold. Messages about the same topic, which may differ in their
    numbers, are one warning. A worker process has no line of the user: it gives the
    warning once.
    """
    frame = _callers_frame()
    line = frame.f_code.co_filename, frame.f_lineno
    text = str(message)
    module = frame.f_globals.get("__name__", "<unknown>")
    with SHOWING:
        if (topic or text, *line) in SHOWN:
            return
        registry: dict[Any, Any] = {}
        warnings.warn_explicit(message, category, *line, module, registry)
        if (text, category, frame.f_lineno) in registry:  # the action was "default"
            SHOWN.add((topic or text, *line))


def _callers_frame() -> FrameType:
    """The frame of the user's line."""
    frame = sys._getframe(1)
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").split(".")[0] in ON_THE_WAY
    ):
        frame = frame.f_back
    return frame


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Give each warning of a block or a decorated function once, after it.

    It restores the filters, too: threads that change these at the same time leave those
    of one another behind. In a thread of the user it does nothing, for this reason.
    """
    if current_thread() is not main_thread():
        yield
        return
    with warnings.catch_warnings(record=True) as found:
        yield
    for item in {str(item.message): item for item in found}.values():
        warn_once(item.message, item.category)


def require(module: str, extra: str = "bench") -> Any:
    """Import a module of an extra; ImportError, in one line with the command that
    installs it, where it is missing.

    The command names the missing package itself, which works wherever freemetric is
    from. ``extra`` has the module, unless it is in ``OWN_EXTRA``.

    Examples
    --------
    >>> require("pandas").__name__
    'pandas'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        extra = OWN_EXTRA.get(module.partition(".")[0], extra)
        advice = f"pip install {missing.name} (extra {extra!r})"
        raise ImportError(f"This needs {missing.name}: {advice}.") from None
