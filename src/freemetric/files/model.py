"""Save and load: objects, headers and messages about files that cannot be read."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import exceptions
from .._version import __version__
from ..exceptions import ModelFileAccessError, ModelFileError, VersionWarning
from ..presenting import PROVIDED
from ..printable import printable
from . import container
from .codec import Decoder, Encoder, UnsupportedError, limit

LONGEST_REASON, LONGEST_PLACE = 300, 80  # letters
ACCESS = {
    FileNotFoundError: exceptions.ModelFileNotFoundError,
    IsADirectoryError: exceptions.ModelFileIsADirectoryError,
    PermissionError: exceptions.ModelFilePermissionError,
}


@contextmanager
def one_line_errors(path: container.File) -> Iterator[None]:
    """Turn every error into a ModelFileError of one line; errors may quote the file, which is not trusted."""
    try:
        yield
    except Exception as problem:
        if isinstance(problem, OSError) and problem.filename is not None:
            raise refused_access(problem, container.shown(path), "read") from problem
        reason = shortened(str(problem) or type(problem).__name__, LONGEST_REASON)
        if not isinstance(problem, ModelFileError):
            reason = f"damaged, incomplete or altered ({reason})"
        raise ModelFileError(printable(f"{container.shown(path)}: {reason}")) from problem


def refused_access(problem: OSError, path: str | os.PathLike, access: str) -> ModelFileAccessError:
    """The error of a model file for an error of the operating system; ``access`` is "read" or "written"."""
    made = next((ours for theirs, ours in ACCESS.items() if isinstance(problem, theirs)), ModelFileAccessError)
    error = made(problem.errno, problem.strerror or str(problem), os.fspath(path))
    error.access = access
    return error


def subject(model: Any, where: str) -> str:
    """Subject of a message about a part of a model that cannot be saved."""
    if not where:
        return f"{type(model).__name__} cannot be saved: it"
    where = shortened(where.removeprefix("."), LONGEST_PLACE)
    first = where.partition(".")[0].partition("[")[0]
    parameters = model.get_params(deep=False) if isinstance(model, BaseEstimator) else ()
    part = "parameter" if first in parameters else "attribute"
    return f"{type(model).__name__} cannot be saved: its {part} `{where}`"


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "..."


RELEASES = {"freemetric": __version__, "scikit-learn": sklearn.__version__}  # what a file may depend on


class Savable:
    """An estimator with ``save``."""

    def save(self, path: container.File, about: dict[str, Any] | None = None) -> None:
        """Save the fitted model in a file that :func:`freemetric.load` reads.

        Parameters
        ----------
        path : path-like or binary file object
            File to write. An existing one is replaced, once the new one is complete.
        about : dict or None, default=None
            JSON values to keep beside the model.
        """
        save(self, path, about)


def save(model: Any, path: container.File, about: dict[str, Any] | None = None) -> None:
    """Save a fitted model: one of ours, or a pipeline of known transformers or a search of scikit-learn around it.

    :func:`register` adds other classes. Functions cannot be saved. A model with a custom energy predicts without it:
    ``model.set_params(energy="nca")`` makes it savable.

    Parameters
    ----------
    model : estimator or other object of a registered class
        Estimators must be fitted. Ensembles, chains and their parts can be saved too.
    path : path-like or binary file object
        File to write. An existing one is replaced, once the new one is complete.
    about : dict or None, default=None
        JSON values to keep beside the model, for :func:`about`.

    Raises
    ------
    ModelFileError
        If a part of the model cannot be saved, or the file cannot be written; then it is an OSError, too, such as
        FileNotFoundError or PermissionError.
    """
    PROVIDED["saved"]()
    path = container.opened_for(path, "wb")
    _check_fitted(model)
    notes = _notes(about)
    encoder = Encoder()
    try:
        tree = encoder.encode(model)
        if not isinstance(tree, dict) or "object" not in tree:
            raise ValueError("it is no model")
        contents = [container.as_json(tree), *encoder.arrays]
        if encoder.spent > limit(sum(map(len, contents))):
            hint = "texts of very different lengths take less as objects"
            raise ValueError(f"it takes far more memory than its file may ask for; {hint}")
    except UnsupportedError as problem:
        raise ModelFileError(printable(f"{subject(model, problem.where)} is {problem}")) from None
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ModelFileError(printable(f"{type(model).__name__} cannot be saved: {problem}")) from problem
    try:
        container.write(path, {**RELEASES, "about": notes, "class": tree["object"][0]}, contents)
    except OSError as problem:
        raise refused_access(problem, container.shown(path), "written") from problem
    except ValueError as problem:
        raise ModelFileError(printable(f"{container.shown(path)}: cannot be written ({problem})")) from problem


def load(path: container.File, *, with_about: bool = False) -> Any:
    """Load a model. Nothing in the file is run, and ``n_jobs`` of every part is None.

    Parameters
    ----------
    path : path-like or binary file object
        A file that ``save`` wrote; a file object is read to its end.
    with_about : bool, default=False
        Whether to return the notes beside the model, too.

    Returns
    -------
    model : estimator or other object
        What was saved.
    about : dict
        Only if ``with_about``.

    Raises
    ------
    ModelFileError
        If the file is damaged, altered, of another format or not a model file, or holds an object of an unregistered
        class. If it cannot be opened, the error is also a FileNotFoundError, IsADirectoryError or PermissionError.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> import freemetric
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     freemetric.LFDA().fit(X, y).save(Path(folder) / "iris.model")
    ...     freemetric.load(Path(folder) / "iris.model")
    LFDA()
    """
    PROVIDED["saved"]()
    path = container.opened_for(path, "rb")
    with one_line_errors(path):
        header, contents = container.read(path)
        decoder = Decoder(contents[1:], sum(map(len, contents)))
        model = _decoded(decoder, container.from_json(contents[0]), header)
    saved_with, releases = header["scikit-learn"], RELEASES["scikit-learn"]
    differs = saved_with.split(".")[:2] != releases.split(".")[:2]
    if differs and any(tag.startswith("sklearn:") for tag in decoder.tags):
        versions = f"its scikit-learn parts are of {shortened(saved_with, LONGEST_PLACE)}, this is {releases}"
        message = f"{container.shown(path)}: {versions}; fit it again if it does not predict as before"
        warnings.warn(printable(message), VersionWarning, stacklevel=2)
    return (model, header["about"]) if with_about else model


def about(path: container.File) -> dict[str, Any]:
    """Read the notes beside the model, without the model; an empty dict if there are none."""
    path = container.opened_for(path, "rb")
    with one_line_errors(path), container.opened(path) as archive:
        return container.header_of(archive)["about"]


def _decoded(decoder, tree, header):
    """The model; if that fails and another release has saved it, the error says so."""
    try:
        model = decoder.decode(tree)
        if tree["object"][0] != header["class"]:
            raise ValueError("another class than its header says")
        _check_fitted(model)
    except ModelFileError:
        raise
    except Exception as problem:
        saved_with = {name: header[name] for name in RELEASES}
        if saved_with == RELEASES:
            raise
        writer, reader = (" and ".join(f"{name} {of[name]}" for name in RELEASES) for of in (saved_with, RELEASES))
        raise ModelFileError(f"saved with {writer}, cannot be loaded with {reader} ({problem})") from problem
    return model


def _check_fitted(model):
    """NotFittedError for an estimator that is not fitted; energies, samplers and values have no fit."""
    if isinstance(model, BaseEstimator) and hasattr(model, "fit"):
        check_is_fitted(model)


def _notes(about):
    if about is not None and not isinstance(about, dict):
        raise TypeError(f"about must be a dict; got {type(about).__name__}.")
    try:
        return container.from_json(container.as_json(about or {}))
    except (TypeError, ValueError, RecursionError) as problem:
        raise ModelFileError(printable(f"about must hold JSON values only: {problem}")) from problem
