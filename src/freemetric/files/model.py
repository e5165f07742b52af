"""Save and load models."""

import warnings

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._version import __version__
from ..exceptions import ModelFileAccessError, ModelFileError, VersionWarning
from .container import packed, read, shown, unpacked, write
from .table import BY_CLASS, BY_TAG
from .tree import Reader, Writer

LONGEST_REASON = 300  # letters: errors may quote the file
RELEASES = {"freemetric": __version__, "scikit-learn": sklearn.__version__}


def save(model, path):
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
    write(path, packed({**RELEASES, "model": tree}, writer.numbers))


def load(path):
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
    try:
        header, numbers = unpacked(read(path))
        reader = Reader(BY_TAG, numbers)
        saved_by = {name: text(header[name]) for name in RELEASES}
        model = rebuilt(reader, header["model"], saved_by)
    except ModelFileAccessError:
        raise
    except Exception as problem:  # anything may go wrong in a file made to harm
        reason = printable(str(problem) or type(problem).__name__)
        if not isinstance(problem, ModelFileError):
            reason = f"damaged or altered ({reason})"
        raise ModelFileError(f"{shown(path)}: {reason}") from problem
    release = saved_by["scikit-learn"]
    if minor(release) != minor(sklearn.__version__) and holds_foreign(reader.tags):
        warnings.warn(
            f"{shown(path)}: saved with parts of scikit-learn {printable(release)}, "
            f"and this is {sklearn.__version__}; predictions may differ.",
            VersionWarning,
            stacklevel=2,
        )
    return model


def rebuilt(reader, tree, saved_by):
    """The model of a tree; the error says where other releases wrote it."""
    try:
        model = reader.whole(tree)
        if not isinstance(model, BaseEstimator):
            raise ValueError("it holds no estimator")
        check_is_fitted(model)
    except Exception as problem:
        if saved_by == RELEASES:
            raise
        releases = " and ".join(f"{name} {saved_by[name]}" for name in RELEASES)
        ours = " and ".join(f"{name} {RELEASES[name]}" for name in RELEASES)
        message = f"saved with {releases}, cannot be loaded with {ours}: {problem}"
        raise ModelFileError(message) from problem
    return model


def holds_foreign(tags):
    """Whether there are classes of scikit-learn among the tags."""
    return any(tag.startswith("sklearn.") for tag in tags)


def minor(release):
    """The first two numbers of a release."""
    return release.split(".")[:2]


def text(value):
    """The value; TypeError unless it is a text."""
    if type(value) is not str:
        raise TypeError("a header without releases")
    return value


def printable(reason):
    """A text on one line, and not too long."""
    shortened = reason[:LONGEST_REASON] + "..." * (len(reason) > LONGEST_REASON)
    return "".join(letter if letter.isprintable() else " " for letter in shortened)
