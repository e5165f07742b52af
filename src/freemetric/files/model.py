"""Save and load fitted models."""

import warnings
from contextlib import contextmanager
from pathlib import Path

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._version import __version__
from ..exceptions import ModelFileError, VersionWarning
from . import container
from .decoder import Decoder
from .encoder import Encoder
from .leaves import UnsupportedError

LONGEST_REASON, LONGEST_PLACE = 300, 80  # letters


class Savable:
    """An estimator with ``save``."""

    def save(self, path, about=None):
        """Save the fitted model in a file that :func:`freemetric.load` reads.

        Parameters
        ----------
        path : path-like
            File to write. One that is there already is replaced, once the new one is complete.
        about : dict or None, default=None
            JSON values to keep beside the model.
        """
        save(self, path, about)


def save(model, path, about=None):
    """Save a fitted model: one of ours, or a scikit-learn pipeline of known transformers around it.

    Classes of one's own are made known by :func:`register`. Functions cannot be saved. A model that was fitted with an
    energy of one's own predicts without it: ``model.set_params(energy="nca")`` makes it savable.

    Parameters
    ----------
    model : estimator or other object of a registered class
        Estimators must be fitted. Committees, chains and their parts can be saved too.
    path : path-like
        File to write. One that is there already is replaced, once the new one is complete.
    about : dict or None, default=None
        JSON values to keep beside the model, for :func:`about`.

    Raises
    ------
    ModelFileError
        If the model holds something that no file can hold, or the file cannot be written.
    """
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    encoder = Encoder()
    header = {"freemetric": __version__, "scikit-learn": sklearn.__version__, "about": _notes(about)}
    try:
        tree = encoder.encode(model)
    except UnsupportedError as problem:
        raise ModelFileError(one_line(f"{_subject(model, problem.where)} is {problem.what}")) from None
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ModelFileError(one_line(f"{type(model).__name__} cannot be saved: {problem}")) from problem
    if not isinstance(tree, dict) or "object" not in tree:
        raise ModelFileError(f"{type(model).__name__} cannot be saved: it is no model")
    header["class"] = tree["object"][0]
    try:
        container.write(path, header, tree, encoder.arrays)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise ModelFileError(one_line(f"{path}: cannot be written ({reason})")) from problem


def load(path, *, with_about=False):
    """Load a model. Nothing in the file is run, whoever made it.

    Parameters
    ----------
    path : path-like
        A file that ``save`` wrote.
    with_about : bool, default=False
        Whether to return what was kept beside the model, too.

    Returns
    -------
    model : estimator
        The fitted model.
    about : dict
        Only if ``with_about``.

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, altered, of a later format or not a model file.

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
    path = Path(path)
    with told_in_one_line(path):
        header, tree, arrays = container.read(path)
        decoder = Decoder(arrays)
        model = _decoded(decoder, tree, header)
        if tree["object"][0] != header["class"]:
            raise ValueError("another class than its header says")
        if isinstance(model, BaseEstimator):
            check_is_fitted(model)
        notes, saved_with = header["about"], header["scikit-learn"]
        differs = saved_with.split(".")[:2] != sklearn.__version__.split(".")[:2]
    if differs and any(tag.startswith("sklearn:") for tag in decoder.tags):
        releases = f"its scikit-learn parts are of {saved_with}, this is {sklearn.__version__}"
        said = f"{path}: {releases}; fit it again if it does not predict as before"
        warnings.warn(one_line(said), VersionWarning, stacklevel=2)
    return (model, notes) if with_about else model


def about(path):
    """What was kept beside the model, read without the model.

    Parameters
    ----------
    path : path-like
        A file that ``save`` wrote.

    Returns
    -------
    about : dict
        Empty if there was nothing.
    """
    path = Path(path)
    with told_in_one_line(path):
        return container.read_header(path)["about"]


def _decoded(decoder, tree, header):
    """The model; where another release cannot rebuild it, the file is not to blame."""
    try:
        return decoder.decode(tree)
    except Exception as problem:
        saved_with = header["freemetric"], header["scikit-learn"]
        if saved_with == versions():
            raise
        writer, reader = (f"freemetric {f} and scikit-learn {s}" for f, s in (saved_with, versions()))
        raise ModelFileError(f"saved with {writer}, cannot be loaded with {reader} ({problem})") from problem


def versions():
    """Of freemetric and of scikit-learn."""
    return __version__, sklearn.__version__


@contextmanager
def told_in_one_line(path):
    """Whatever a file provokes is said of the file: its content is not ours to trust, so neither are its errors."""
    try:
        yield
    except Exception as problem:
        reason = shortened(str(problem) or type(problem).__name__, LONGEST_REASON)
        if isinstance(problem, OSError) and problem.filename is not None:
            reason = f"cannot be read ({problem.strerror})"
        elif not isinstance(problem, ModelFileError):
            reason = f"damaged, incomplete or altered ({reason})"
        raise ModelFileError(one_line(f"{path}: {reason}")) from problem


def one_line(text):
    """Without line breaks and control characters, which a file could bring."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def shortened(text, most):
    return text if len(text) <= most else text[:most] + "..."


def _notes(about):
    if about is not None and not isinstance(about, dict):
        raise TypeError(f"about must be a dict; got {type(about).__name__}.")
    try:
        return container.from_json(container.as_json(about or {}))
    except (TypeError, ValueError, RecursionError) as problem:
        raise ModelFileError(one_line(f"about must hold JSON values only: {problem}")) from problem


def _subject(model, where):
    """The beginning of a sentence about a part of a model."""
    if not where:
        return f"{type(model).__name__} cannot be saved: it"
    where = shortened(where.removeprefix("."), LONGEST_PLACE)
    first = where.partition(".")[0].partition("[")[0]
    parameters = model.get_params(deep=False) if isinstance(model, BaseEstimator) else ()
    part = "parameter" if first in parameters else "attribute"
    return f"{type(model).__name__} cannot be saved: its {part} `{where}`"
