"""Labels that a program has: a column of its own, or the name of one in the table."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..exceptions import DataWarning, callers_stacklevel
from .cells import is_gap
from .frames import column_name
from .table import InputError, objects, quoted

USUAL_NAME = "y"
HINT = "freemetric.TableRegressor predicts numbers"
KINDS = {"bool": bool | np.bool_, "number": int | float | np.number, "str": str}


class Labels(NamedTuple):
    """Labels of the rows that have one, as they were given."""

    name: str
    y: np.ndarray  # (n_labelled,) integers, truth values, floats that are whole numbers, or texts
    present: np.ndarray  # (n_rows,) whether a row has one

    @property
    def cells(self) -> np.ndarray:
        """As a table holds them."""
        found = objects([None] * len(self.present))
        found[self.present] = [str(label) for label in self.y.tolist()]
        return found


def frame_labels(X: Any, y: Any) -> Labels:
    """The labels of a table: y, or a column of X. None, NaN, NA and NaT are gaps; texts never are."""
    name, values = frame_target(X, y)
    never = values.dtype.kind in "biuUS"
    gaps = np.zeros(len(values), bool) if never else np.array([is_gap(value) for value in values.tolist()], dtype=bool)
    return Labels(name, _plain(values[~gaps]), ~gaps)


def frame_target(X: Any, y: Any) -> tuple[str, np.ndarray]:
    """What a target is called, and its values (n_rows,) as they were given: a column of its own, or one of X."""
    if isinstance(y, str):
        return y, _values(_column_of(X, y))
    name = getattr(y, "name", None)
    _check_index(X, y)
    return USUAL_NAME if name is None else column_name(name), _values(y)


def _column_of(X: Any, name: str) -> Any:
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if name not in names:
        raise InputError(f"X: no column {quoted(name)} to predict")
    return X[name]


def _values(y: Any) -> np.ndarray:
    """An array of one dimension; Arrow's arrays forget gaps in dictionaries."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    if hasattr(y, "__dask_graph__"):
        raise InputError("y is one of Dask's, not in memory; y.compute() reads it")
    if hasattr(y, "to_pylist"):
        return objects(y.to_pylist())
    try:
        return column_or_1d(np.asarray(y) if hasattr(y, "__array__") else objects(list(y)), dtype=None, warn=True)
    except ValueError as problem:
        raise InputError(f"y: {problem}") from problem


def _plain(known: np.ndarray) -> np.ndarray:
    """Labels of one type that can be compared, printed and saved."""
    if known.dtype.kind == "O":
        kinds = {_kind(label) for label in known.tolist()}
        if len(kinds) > 1:
            raise InputError(f"y: labels of several types, {' and '.join(sorted(kinds))}; y.astype(str) makes texts")
        _check_kind(kinds <= set(KINDS), *kinds)
        known = known if kinds <= {"str"} else np.array(known.tolist())
    _check_kind(known.dtype.kind in "biufUOT", str(known.dtype))
    if known.dtype.kind == "f":
        _check_kind(not np.isinf(known).any(), "inf")
        try:
            check_classification_targets(known)
        except ValueError as problem:
            raise InputError(f"y: {' '.join(str(problem).split())} {HINT}") from problem
    return known.astype(object) if known.dtype.kind == "T" else known


def _check_kind(usable: bool, *kinds: str) -> None:
    if not usable:
        what = f"labels are texts, whole numbers or truth values, not {', '.join(kinds)}"
        raise InputError(f"y: {what}; y.astype(str) makes texts")


def _kind(label: Any) -> str:
    return next((name for name, kind in KINDS.items() if isinstance(label, kind)), type(label).__name__)


def _check_index(X: Any, y: Any) -> None:
    """A warning where the index of y has the rows of X in another order: rows are matched by their place."""
    mine, its = getattr(X, "index", None), getattr(y, "index", None)
    if mine is None or its is None or not hasattr(its, "equals") or len(mine) != len(its) or its.equals(mine):
        return
    if its.is_unique and set(its) == set(mine):
        said = "y has the rows of X in another order, by its index; they are matched by their place"
        warnings.warn(f"{said}: y.loc[X.index] has the order of X", DataWarning, stacklevel=callers_stacklevel())
