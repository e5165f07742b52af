"""Points and tuples of points: arrays of them, or indicators that a preprocessor turns into points."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from ..learners.tuples.base import Formed, flat, looked_up, merged, samples_of
from ..learners.validation import dense
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
    points, indices = _formed(tuples, preprocessor, size, owner)
    return points[indices]


def distinct_points(tuples: ArrayLike, preprocessor: Any, size: int, owner: str) -> Formed:
    """The different points (m, d) of tuples, and the tuples as indices of them, (n, size)."""
    return merged(_formed(tuples, preprocessor, size, owner))


def _formed(tuples, preprocessor, size, owner):
    given = _as_tuples(tuples, preprocessor, size, owner)
    if given.ndim == 3:
        return flat(samples_of(given, "tuples", estimator=owner))
    return looked_up(given, lambda indicators: _points_of(indicators, preprocessor, owner))


def _as_tuples(tuples, preprocessor, size, owner):
    """An array (n, size, d), or (n, size) where there is a preprocessor."""
    if len(tuples) == 0:
        raise ValueError("There are no tuples: the array is empty.")
    given = np.asarray(tuples)
    if given.ndim != 3 and (given.ndim != 2 or preprocessor is None):
        expected = "3D array of formed tuples", "2D array of indicators"
        raise ValueError(_unlike(*expected, given.ndim, given, preprocessor, owner))
    if given.shape[1] != size:
        what = f"Tuples of {size} element(s) expected by {owner}. Got tuples of {given.shape[1]} element(s) instead"
        raise ValueError(f"{what} (shape={given.shape}):\ninput={given}.\n")
    return given


def _points_of(indicators, preprocessor, owner):
    points = _look_up(indicators, preprocessor)
    if _ndim(points) != 2:
        raise ValueError(_unformed("3D array of formed tuples", 1 + _ndim(points), points, owner))
    points = dense(points) if issparse(points) else points
    return check_array(points, dtype=np.float64, estimator=owner, input_name="tuples")


def _ndim(X):
    try:
        return X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
    except ValueError:  # rows of different lengths, which are reported when they become an array
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


def _unlike(formed, indicators, ndim, X, preprocessor, owner):
    """The message about an array with another number of axes, in the words of metric-learn."""
    if preprocessor is None:
        wanted, remedy = f"{formed} expected by {owner}", "Reshape your data and/or use a preprocessor."
    else:
        wanted = f"{indicators} or {formed} expected by {owner} when using a preprocessor"
        remedy = "Reshape your data."
    return f"{wanted}. Found {ndim}D array instead:\ninput={X}. {remedy}\n"


def _unformed(formed, ndim, X, owner):
    wanted = f"{formed} expected by {owner} after the preprocessor has been applied"
    return f"{wanted}. Found {ndim}D array instead:\ninput={X}. Reshape your data.\n"
