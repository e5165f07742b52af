"""Save and load models."""

import warnings
from os import PathLike
from typing import Any, BinaryIO

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._version import __version__
from ..exceptions import (
    ModelFileAccessError,
    ModelFileError,
    VersionWarning,
    printable,
)
from .container import packed, read, shown, unpacked, write
from .table import BY_CLASS, BY_TAG
from .tree import Reader, Writer

LONGEST = 300  # letters of a message: it may quote the file
RELEASES = {"freemetric": __version__, "scikit-learn": sklearn.__version__}


def save(model: BaseEstimator, path: str | PathLike[str] | BinaryIO) -> None:
    """Save a fitted model in a file that :func:`load` reads.

    Functions and estimators of other libraries cannot be saved. A model with an energy
    of one's own predicts without it: ``model.set_params(energy=None)`` makes it
    savable. ``n_jobs`` is not saved.

    Parameters
    ----------
    model : estimator
        A fitted model of ours, a pipeline around one, or ``best_estimator_`` of a
        search.
    path : path-like or binary file object
        File to write. An existing one is replaced once the new one is complete.

    Raises
    ------
    ModelFileError
        If a part of the model cannot be saved, or the file cannot be written; then it
        is an OSError, too, such as FileNotFoundError.

    Examples
    --------
    >>> import io
    >>> from sklearn.datasets import load_iris
    >>> import freemetric
    >>> X, y = load_iris(return_X_y=True)
    >>> file = io.BytesIO()
    >>> freemetric.save(freemetric.LFDA().fit(X, y), file)
    >>> _ = file.seek(0)
    >>> freemetric.load(file)
    LFDA()
    """
    name = type(model).__name__
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"A {name} cannot be saved: it is no estimator.")
    check_is_fitted(model)
    writer = Writer(BY_CLASS)
    try:
        tree = writer.tree(model, "")
    except RecursionError:
        raise ModelFileError(f"{name} cannot be saved: it contains itself") from None
    except (ValueError, TypeError) as problem:
        problem = printable(str(problem).replace("`` is", "it is"))
        raise ModelFileError(f"{name} cannot be saved: {problem}") from None
    write(path, packed({"releases": RELEASES, "model": tree}, writer.numbers))


def load(path: str | PathLike[str] | BinaryIO) -> Any:
    """Load a model. Nothing in the file is run, and ``n_jobs`` of every part is None.

    Parameters
    ----------
    path : path-like or binary file object
        A file that :func:`save` wrote; a file object is read to its end.

    Returns
    -------
    model : estimator
        What was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, altered, of another format or no model file. If it
        cannot be opened, the error is also a FileNotFoundError, IsADirectoryError or
        PermissionError.
    """
    saved_by = RELEASES
    try:
        header, numbers = unpacked(read(path))
        saved_by = header["releases"]
        is_near = minor(saved_by) == minor(RELEASES)
        reader = Reader(BY_TAG, numbers)
        model = reader.read(header["model"])
        if not isinstance(model, BaseEstimator):
            raise ValueError("it holds no estimator")
        check_is_fitted(model)
    except ModelFileAccessError:
        raise
    except Exception as problem:  # anything may go wrong in a file made to harm
        raise unreadable(path, problem, saved_by) from problem
    if not is_near and any(tag.startswith("sklearn.") for tag in reader.tags):
        warnings.warn(
            printable(f"{shown(path)}: saved by {saved_by}, this is {RELEASES}"),
            VersionWarning,
            stacklevel=2,
        )
    return model


def unreadable(path, problem, saved_by):
    """The error of a file that cannot be read, in one line."""
    reason = str(problem) or type(problem).__name__
    if not isinstance(problem, ModelFileError):
        reason = f"cannot be read ({reason})"
    if saved_by != RELEASES:
        reason = f"{reason}; saved by {saved_by}, this is {RELEASES}"
    if len(reason) > LONGEST:
        reason = f"{reason[:LONGEST]}..."
    return ModelFileError(f"{shown(path)}: {printable(reason)}")


def minor(releases):
    """The first two numbers of the release of scikit-learn."""
    return releases["scikit-learn"].split(".")[:2]
