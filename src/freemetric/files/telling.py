"""Messages about files and models that cannot be read or saved: one line, safe to show."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.base import BaseEstimator

from ..exceptions import (
    ModelFileAccessError,
    ModelFileError,
    ModelFileIsADirectoryError,
    ModelFileNotFoundError,
    ModelFilePermissionError,
)
from ..printable import printable

LONGEST_REASON, LONGEST_PLACE = 300, 80  # letters
ACCESS: dict[type[OSError], type[ModelFileAccessError]] = {
    FileNotFoundError: ModelFileNotFoundError,
    IsADirectoryError: ModelFileIsADirectoryError,
    PermissionError: ModelFilePermissionError,
}


@contextmanager
def told_in_one_line(path: str | os.PathLike) -> Iterator[None]:
    """Turn every error into one about the file: its content is not trusted, so neither are its errors."""
    try:
        yield
    except Exception as problem:
        if isinstance(problem, OSError) and problem.filename is not None:
            raise refused_access(problem, path, "read") from problem
        reason = shortened(str(problem) or type(problem).__name__, LONGEST_REASON)
        if not isinstance(problem, ModelFileError):
            reason = f"damaged, incomplete or altered ({reason})"
        raise ModelFileError(printable(f"{path}: {reason}")) from problem


def refused_access(problem: OSError, path: str | os.PathLike, access: str) -> ModelFileAccessError:
    """The error of a model file for an error of the operating system; ``access`` is "read" or "written"."""
    made = next((ours for theirs, ours in ACCESS.items() if isinstance(problem, theirs)), ModelFileAccessError)
    error = made(problem.errno, problem.strerror or str(problem), os.fspath(path))
    error.access = access
    return error


def subject(model: Any, where: str) -> str:
    """The beginning of a sentence about a part of a model that cannot be saved."""
    if not where:
        return f"{type(model).__name__} cannot be saved: it"
    where = shortened(where.removeprefix("."), LONGEST_PLACE)
    first = where.partition(".")[0].partition("[")[0]
    parameters = model.get_params(deep=False) if isinstance(model, BaseEstimator) else ()
    part = "parameter" if first in parameters else "attribute"
    return f"{type(model).__name__} cannot be saved: its {part} `{where}`"


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "..."
