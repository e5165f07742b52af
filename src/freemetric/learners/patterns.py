"""Patterns as the learners take them: numbers, by rows; what is something else is said in one line."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import is_regressor
from sklearn.utils.validation import validate_data

from ..printable import printable
from .plain_arrays import are_plain, remember_features

TABLES = "takes tables as they are: names, dates, gaps"
NUMBERS = ("int", "float", "double", "bool", "decimal")  # in the names of types
MOST_NAMED = 5
PLAINLY = {  # what others say, and what it means
    "inhomogeneous shape": "The rows of X have different lengths; every pattern needs all of the features.",
    "Expected unique column names": "Columns of X have the same name; give every column its own.",
}


def checked_numbers(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """scikit-learn's ``validate_data``; sparse matrices become dense, texts and gaps are told in one line.

    Arrays that it would give back as they are are not shown to it, for speed.

    Parameters
    ----------
    estimator : estimator
        Whose number and names of features are learned or checked.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Patterns. A sparse matrix may become as large as scikit-learn's ``working_memory``, 1024 MiB by default.
    *y : array-like
        Labels, if any.
    **options : dict
        Those of ``validate_data``.

    Returns
    -------
    What ``validate_data`` gives.
    """
    if are_plain(estimator, X, *y, **options):
        if options.get("reset", True):
            remember_features(estimator, X)
        return (X, *y) if y else X
    if options.get("y_numeric") and y:
        check_no_words(estimator, y[0])
    try:
        return validate_data(estimator, dense(X) if issparse(X) else X, *y, **options)
    except Exception as problem:  # libraries of frames have their own kinds
        if "float() argument must be" in str(problem):  # scikit-learn's contract wants its kind and its words
            raise TypeError(f"X holds objects that are no numbers: {problem}.") from problem
        for words, plainly in PLAINLY.items():
            if words in str(problem):
                raise ValueError(plainly) from problem
        told = in_one_line(X, problem)
        if told is None:
            raise
        of_numbers = options.get("y_numeric") or is_regressor(estimator)
        who = "freemetric.TableRegressor" if of_numbers else "freemetric.TableClassifier"
        raise ValueError(f"{told}; {who} {TABLES}.") from problem


def check_no_words(estimator: Any, y: Any) -> None:
    """ValueError where y has texts that are no numbers."""
    values = np.asarray(y)
    if values.dtype.kind not in "OSUT":
        return
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        words = (value for value in values.ravel().tolist() if isinstance(value, str) and not is_number(value))
        if (word := next(words, None)) is not None:
            what = f"{type(estimator).__name__} learns from numbers, and y has {printable(word)!r}"
            raise ValueError(f"{what}: make numbers of it, or take a learner of classes.") from None


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def products(estimator: Any, X: Any) -> Any:
    """Patterns to be multiplied by a map: as ``checked_numbers``, but sparse ones stay so."""
    if issparse(X):
        return validate_data(estimator, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=False)
    return checked_numbers(estimator, X, dtype=np.float64, reset=False)


def dense(X: Any) -> np.ndarray:
    """A sparse matrix as an array; ValueError where that would be larger than scikit-learn's ``working_memory``."""
    size, most = X.shape[0] * X.shape[1] * 8 / 2**20, get_config()["working_memory"]
    if size > most:
        what = f"A sparse X of shape {X.shape} takes {size:,.0f} MiB when dense, more than working_memory, {most} MiB"
        raise ValueError(f"{what}: sklearn.decomposition.TruncatedSVD makes fewer features, or give fewer rows.")
    return X.toarray()


def in_one_line(X: Any, problem: Exception) -> str | None:
    """What keeps a table from being one of numbers; None where it is something else."""
    first = str(problem).partition("\n")[0].rstrip(".")
    if "NaN" in first and first.startswith("Input X"):
        return first
    others = _without_numbers(X)
    if others:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        return f"X has columns that are no numbers: {', '.join(map(repr, others[:MOST_NAMED]))}{more}"
    return first if first.startswith("could not convert string") else None


def _without_numbers(X):
    """Columns of a frame that hold no numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return []
    columns = zip(X.columns, X.dtypes, strict=True)
    return [str(name) for name, kind in columns if not any(word in str(kind).lower() for word in NUMBERS)]
