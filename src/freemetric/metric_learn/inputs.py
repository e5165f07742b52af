"""Points and tuples of points: arrays of them, or indicators that a preprocessor turns into points."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from ..learners.patterns import dense
from ..metrics.places import equal_rows
from .exceptions import PreprocessorError


def formed_points(X: Any, preprocessor: Any, owner: str) -> Any:
    """Points (n, d) as they are, or those that the preprocessor has for indicators (n,)."""
    ndim = _ndim(X)
    if ndim == 2:
        return X
    if ndim != 1 or preprocessor is None:
        raise ValueError(_unlike("2D array of formed points", "1D array of indicators", ndim, X, preprocessor, owner))
    points = _look_up(np.asarray(X), preprocessor)
    if _ndim(points) != 2:
        raise ValueError(_unformed("2D array of formed points", _ndim(points), points, owner))
    return points


def formed_tuples(tuples: ArrayLike, preprocessor: Any, size: int, owner: str) -> NDArray[np.float64]:
    """Tuples (n, size, d): as they are, or of what the preprocessor has for indicators (n, size)."""
    points, places = _points_of(tuples, preprocessor, size, owner)
    return points[places]


def distinct_points(
    tuples: ArrayLike, preprocessor: Any, size: int, owner: str
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The different points (m, d) of tuples, and which of them every tuple consists of, (n, size)."""
    points, places = _points_of(tuples, preprocessor, size, owner)
    first, kind = equal_rows(points)
    return points[first], kind[places]


def _points_of(tuples, preprocessor, size, owner):
    """Points (m, d) and the places (n, size) of tuples among them; a preprocessor is asked once for each indicator."""
    given = _as_array(tuples)
    if given.ndim == 2 and preprocessor is not None:
        _check_size(given, size, owner)
        indicators, places = np.unique(given, return_inverse=True)
        points = _look_up(indicators, preprocessor)
        if _ndim(points) != 2:
            raise ValueError(_unformed("3D array of formed tuples", 1 + _ndim(points), points, owner))
    elif given.ndim == 3:
        _check_size(given, size, owner)
        points, places = given.reshape(-1, given.shape[2]), np.arange(given.shape[0] * size)
    else:
        expected = "3D array of formed tuples", "2D array of indicators"
        raise ValueError(_unlike(*expected, given.ndim, given, preprocessor, owner))
    points = dense(points) if issparse(points) else points
    points = check_array(points, dtype=np.float64, estimator=owner, input_name="tuples")
    return points, places.reshape(len(given), size)


def _as_array(tuples):
    if len(tuples) == 0:
        raise ValueError("There are no tuples to learn from or to look at.")
    return np.asarray(tuples)


def _ndim(X):
    try:
        return X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
    except ValueError:  # rows of different lengths, which will be told when they become numbers
        return 2


def _look_up(indicators, preprocessor):
    """The points (n, d) of indicators (n,)."""
    if not (callable(preprocessor) or issparse(preprocessor) or hasattr(preprocessor, "__len__")):
        what = f"Invalid type for the preprocessor: {type(preprocessor)}"
        raise ValueError(f"{what}: it is None, an array of points, or a function that gives the points of indicators.")
    try:
        if callable(preprocessor):
            return preprocessor(indicators)
        rows = preprocessor.tocsr() if issparse(preprocessor) else np.asarray(preprocessor)
        return rows[indicators]
    except Exception as problem:
        raise PreprocessorError(problem) from problem


def _check_size(tuples, size, owner):
    if tuples.shape[1] != size:
        what = f"Tuples of {size} element(s) expected by {owner}. Got tuples of {tuples.shape[1]} element(s) instead"
        raise ValueError(f"{what} (shape={tuples.shape}):\ninput={tuples}.\n")


def _unlike(formed, indicators, ndim, X, preprocessor, owner):
    """What to say of an array with another number of axes; the words are those that metric-learn's users know."""
    if preprocessor is None:
        wanted, remedy = f"{formed} expected by {owner}", "Reshape your data and/or use a preprocessor."
    else:
        wanted = f"{indicators} or {formed} expected by {owner} when using a preprocessor"
        remedy = "Reshape your data."
    return f"{wanted}. Found {ndim}D array instead:\ninput={X}. {remedy}\n"


def _unformed(formed, ndim, X, owner):
    wanted = f"{formed} expected by {owner} after the preprocessor has been applied"
    return f"{wanted}. Found {ndim}D array instead:\ninput={X}. Reshape your data.\n"
