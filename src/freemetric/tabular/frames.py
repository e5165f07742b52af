"""Tables that a program has: frames of pandas, polars or Arrow, arrays and lists of rows; and their labels."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..extras import require
from ..learners.validation import dense
from .cells import cells, is_gap
from .table import InputError, ReadingOptions, Table, few, note, objects, quoted

SOURCE = "X"  # what messages begin with
TYPES = {
    "nominal": ("category", "categorical", "enum", "dictionary"),
    "date": ("datetime", "timestamp", "date", "period"),
}
"""How the names of types begin that say what a column is."""
USUAL_NAME = "y"
HINT = "freemetric.TableRegressor predicts numbers"
LABEL_TYPES = {"bool": bool | np.bool_, "number": int | float | np.number, "str": str}


class Opened(NamedTuple):
    """What there is in a frame; names are None where it has none."""

    names: list[Any] | None
    n_columns: int
    n_rows: int
    column: Callable[[int], Any]


class Columns(dict[str, Any]):
    """Cells by column, made by a function when they are needed: a column that is left out may hold anything."""

    def __getitem__(self, name: str) -> np.ndarray:
        if callable(made := super().__getitem__(name)):
            self[name] = made = made()
        return made


@dataclass(frozen=True, eq=False)
class FrameTable(Table):
    """The table of a frame: its number of rows, and how it calls its columns, None where it does not."""

    length: int = 0
    own_names: list[Any] | None = None

    @property
    def n_rows(self) -> int:
        return self.length

    @property
    def names_are_texts(self) -> bool:
        return bool(self.own_names) and all(isinstance(name, str) for name in self.own_names or ())

    def option(self, name: str, value: str = "[COLUMN]") -> str:
        """The parameter that a message names."""
        parameter = name.replace("-", "_")
        if name == "task":
            return f"Table{'Classifier' if value == 'classify' else 'Regressor'}, or Settings(task={value!r}),"
        return f"{parameter}={value if value.startswith('[') else repr(value)}" if value else parameter

    def with_target(self, name: str, given: np.ndarray) -> Self:
        """This table with a column of labels."""
        columns = Columns(self.columns)
        columns[name] = given
        return replace(self, columns=columns)


def as_table(X: Any, *, names: Collection[str] | None = None, by_place: bool = False, **options: Any) -> FrameTable:
    """The table of a frame.

    X is a DataFrame of pandas or polars, a Table of pyarrow, anything with Arrow's ``__arrow_c_stream__``, an array of
    shape (n_rows, n_columns), a list of rows, or a sparse matrix within scikit-learn's ``working_memory``. ``names``
    are those of the columns where X itself does not say them, or ``by_place`` anyway; None: x0, x1, ... The other
    options are those of ``read``. An InputError is one line that names the column at fault.
    """
    reading, opened = ReadingOptions(**options), _opened(X)
    if not opened.n_columns or not opened.n_rows:
        what = "0 feature(s)" if not opened.n_columns else "0 sample(s)"
        shape = f"(shape=({opened.n_rows}, {opened.n_columns}))"
        raise InputError(f"{SOURCE}: {what} {shape} while a minimum of 1 is required.")
    own = None if by_place else opened.names
    called = [column_name(name) for name in own or names or ()]
    called = called if len(called) == opened.n_columns else [f"x{i}" for i in range(opened.n_columns)]
    again = [name for name, count in Counter(called).items() if count > 1]
    if again:
        raise InputError(f"{SOURCE}: two columns are called {few(again)}")

    def make(number: int) -> np.ndarray:
        where = f"{SOURCE}: column {quoted(called[number])}"
        return cells(_values(opened.column(number)), reading.missing, where)

    columns = Columns({name: partial(make, i) for i, name in enumerate(called)})
    declared = {name: _declared(opened.column(i)) for i, name in enumerate(called) if opened.names is not None}
    kinds = {name: kind for name, kind in declared.items() if kind}
    return FrameTable(SOURCE, columns, kinds, options=reading, length=opened.n_rows, own_names=own)


def _opened(X: Any) -> Opened:
    X = _in_memory(X)
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas, and others like it
        return Opened(list(X.columns), X.shape[1], X.shape[0], lambda i: X.iloc[:, i])
    if hasattr(X, "get_columns"):  # polars
        return Opened(list(X.columns), X.width, X.height, X.to_series)
    if hasattr(X, "column_names"):  # Arrow
        return Opened(list(X.column_names), X.num_columns, X.num_rows, X.column)
    if getattr(getattr(X, "dtype", None), "names", None):  # a structured array
        return Opened(list(X.dtype.names), len(X.dtype.names), len(X), lambda i: X[X.dtype.names[i]])
    rows = _rows(X)
    return Opened(None, rows.shape[1], rows.shape[0], lambda i: rows[:, i])


def _in_memory(X: Any) -> Any:
    """What a frame stands for, where it is not one itself."""
    if issparse(X):
        return dense(X)
    if hasattr(X, "__dask_graph__"):
        raise InputError(f"{SOURCE} is one of Dask's, not in memory; {SOURCE}.compute() reads it")
    if hasattr(X, "to_native"):  # narwhals
        return _in_memory(X.to_native())
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):  # a lazy frame
        return X.collect()
    known = any(hasattr(X, name) for name in ("iloc", "get_columns", "column_names", "dtype"))
    return require("pyarrow", "parquet").table(X) if hasattr(X, "__arrow_c_stream__") and not known else X


def _rows(X: Any) -> np.ndarray:
    """An array of two dimensions; what is no array yet keeps its values as they are."""
    if isinstance(X, Mapping):
        raise InputError(f"{SOURCE} is a {type(X).__name__}; pandas.DataFrame({SOURCE}) makes a table of it")
    if isinstance(X, str | os.PathLike):
        raise InputError(f"{SOURCE} is a path and no table; pandas reads the file, and so does `freemetric fit`")
    try:
        rows = np.asarray(X) if hasattr(X, "__array__") else np.array(list(X), dtype=object)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{SOURCE}: {type(X).__name__} is no table ({problem})") from problem
    if rows.ndim != 2:
        shape = f"expected a table or 2D array, got {rows.ndim}D array instead"
        raise InputError(f"{SOURCE}: {shape}. Reshape your data: [[...]] is one row, rows have equally many cells")
    return rows


def _values(column: Any) -> np.ndarray:
    """A column as an array, with local times where there are zones."""
    if hasattr(column, "to_pylist"):  # Arrow's, whose arrays forget gaps in dictionaries, and zones
        numbers = any(word in str(column.type) for word in ("int", "float", "double")) and "<" not in str(column.type)
        return np.asarray(column) if numbers else objects(column.to_pylist())
    if getattr(column.dtype, "time_zone", None):  # polars gives UTC
        column = column.dt.replace_time_zone(None)
    return np.asarray(column)


def _declared(column: Any) -> str | None:
    """The kind that the type of a column says, if it does."""
    called = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    return next((kind for kind, beginnings in TYPES.items() if called.startswith(beginnings)), None)


def column_name(name: Any) -> str:
    """What a column is called, as a text; of several levels, all of them."""
    return "/".join(map(str, name)) if isinstance(name, tuple) else str(name)


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
    present = np.array([not is_gap(value) for value in values.tolist()], dtype=bool)
    return Labels(name, _comparable(values[present]), present)


def frame_target(X: Any, y: Any) -> tuple[str, np.ndarray]:
    """What a target is called, and its values (n_rows,) as they were given: a column of its own, or one of X."""
    if isinstance(y, str):
        if y not in list(getattr(X, "column_names", getattr(X, "columns", ()))):
            raise InputError(f"X: no column {quoted(y)} to predict")
        return y, _labels(X[y])
    name = getattr(y, "name", None)
    _check_index(X, y)
    return USUAL_NAME if name is None else column_name(name), _labels(y)


def _labels(y: Any) -> np.ndarray:
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


def _comparable(known: np.ndarray) -> np.ndarray:
    """Labels of one type that can be compared, printed and saved."""
    if known.dtype.kind == "O":
        kinds = {_kind(label) for label in known.tolist()}
        if len(kinds) > 1:
            raise InputError(f"y: labels of several types, {' and '.join(sorted(kinds))}; y.astype(str) makes texts")
        _check_kind(kinds <= set(LABEL_TYPES), *kinds)
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
    return next((name for name, kind in LABEL_TYPES.items() if isinstance(label, kind)), type(label).__name__)


def _check_index(X: Any, y: Any) -> None:
    """A warning where the index of y has the rows of X in another order: rows are matched by their place."""
    mine, its = getattr(X, "index", None), getattr(y, "index", None)
    if mine is None or its is None or not hasattr(its, "equals") or len(mine) != len(its) or its.equals(mine):
        return
    if its.is_unique and set(its) == set(mine):
        said = "y has the rows of X in another order, by its index; they are matched by their place"
        note(f"{said}: y.loc[X.index] has the order of X")
