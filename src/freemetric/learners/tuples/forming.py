"""Tuples as users give them, indices or samples, and as learners take them: points and indices into these."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from ...metrics.training_set import equal_rows
from ...printable import counted


class Formed(NamedTuple):
    """n tuples of t points each."""

    points: Any  # (N, d) samples, or a frame of them
    indices: NDArray[np.intp]  # (n, t)


def formed(tuples: ArrayLike, width: int, name: str, preprocessor: Any = None) -> Formed:
    """Points and indices of tuples: samples (n, t, d), or rows of a preprocessor (n, t).

    Of samples, equal ones are one point, in the order of their first appearance. All rows of a preprocessor that is an
    array are points; of one that is a function, those that the tuples name.
    """
    given = as_tuples(tuples, width, name, preprocessor)
    if given.ndim == 3:
        return merged(flat(samples_of(given, name)))
    if callable(preprocessor):
        return looked_up(given, lambda keys: called(preprocessor, keys))
    return Formed(preprocessor, rows_of(given, name, len_of(preprocessor)))


def samples_of(tuples: NDArray, name: str, **options: Any) -> NDArray[np.float64]:
    """Tuples (n, t, d) as numbers; ValueError where they are none."""
    return check_array(tuples, dtype=np.float64, allow_nd=True, ensure_2d=False, input_name=name, **options)


def flat(samples: NDArray) -> Formed:
    """Samples (n, t, d) as points, one after the other."""
    n, t, d = samples.shape
    return Formed(samples.reshape(-1, d), np.arange(n * t).reshape(n, t))


def merged(tuples: Formed) -> Formed:
    """Equal points are one, in the order of their first appearance."""
    first, of_row = equal_rows(tuples.points)
    return Formed(tuples.points[first], of_row[tuples.indices])


def looked_up(given: NDArray, points_of: Callable[[NDArray], Any]) -> Formed:
    """What ``points_of`` gives for the keys of tuples (n, t), each of which it is asked for once."""
    keys, of_key = np.unique(given, return_inverse=True)
    return Formed(points_of(keys), of_key.reshape(given.shape))


def as_tuples(tuples: ArrayLike, width: int, name: str, preprocessor: Any) -> NDArray:
    """An array (n, t, d), or (n, t) where there is a preprocessor; ValueError where it is none."""
    given = np.asarray(tuples)
    samples = f"samples of shape (n, {width}, n_features)"
    if given.ndim not in (2, 3) or given.shape[1] != width or not len(given):
        raise ValueError(f"{name} must be {samples}, or indices of shape (n, {width}); got shape {given.shape}.")
    if given.ndim == 2 and preprocessor is None:
        what = f"{name} of shape {given.shape} are indices, and there is nothing to look them up in"
        raise ValueError(f"{what}: give preprocessor=X, or {samples}.")
    return given


def called(preprocessor: Callable[[NDArray], Any], keys: NDArray) -> Any:
    """Samples (n, d) that a function gives for keys (n,); ValueError where it gives something else."""
    points = preprocessor(keys)
    if np.ndim(points) != 2 or len(points) != len(keys):
        wanted = f"for {len(keys)} keys samples of shape ({len(keys)}, n_features)"
        raise ValueError(f"preprocessor must give {wanted}; it gave shape {np.shape(points)}.")
    return points


def rows_of(indices: NDArray, name: str, n_points: int) -> NDArray[np.intp]:
    """Row numbers of the points; ValueError where they are none."""
    if not np.issubdtype(indices.dtype, np.integer):
        raise ValueError(f"{name} must be integers, rows of the preprocessor; got {indices.dtype}.")
    outside = (indices < 0) | (indices >= n_points)
    if outside.any():
        row = int(outside.any(axis=1).argmax())
        where = f"points outside the preprocessor, which has {counted(n_points, 'row')}"
        raise ValueError(f"{name}[{row}] = {indices[row].tolist()} {where}.")
    return indices.astype(np.intp)


def len_of(points: Any) -> int:
    return points.shape[0] if hasattr(points, "shape") else len(points)


def signs_of(y: ArrayLike | None, n: int, name: str, meaning: str) -> NDArray[np.intp]:
    """y as +1 and -1; ValueError where it is something else."""
    signs = np.asarray(y)
    if signs.shape != (n,) or signs.dtype.kind not in "iuf" or not np.isin(signs, (-1, 1)).all():
        got = f"{signs.dtype} of shape {signs.shape}" if signs.shape != (n,) else _few(signs)
        raise ValueError(
            f"y must be {counted(n, 'value')} of +1 or -1, one for each of the {name} ({meaning}); got {got}."
        )
    return signs.astype(np.intp)


def _few(values, most=5):
    kinds = np.unique(values.astype(str))
    return ", ".join(kinds[:most]) + (" and others" if len(kinds) > most else "")
