"""Frames of pandas, polars or Arrow, arrays and lists of rows as tables; and their labels."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..extras import require
from ..learners.validation import dense
from .table import InputError, ReadingOptions, Table, cells, is_gap, note, noted_distinct, objects, quoted

SOURCE = "X"  # what messages begin with
TYPES = {
    "nominal": ("category", "categorical", "enum", "dictionary"),
    "date": ("datetime", "timestamp", "date", "period"),
}
"""Beginnings of the names of types, by the kind of column that they declare."""
USUAL_NAME = "y"
LABEL_TYPES = {"bool": bool | np.bool_, "number": int | float | np.number, "str": str}
LABEL_KINDS = {"b": "bool", **dict.fromkeys("iuf", "number"), **dict.fromkeys("UT", "str")}  # of arrays


class LazyColumns(dict[str, Any]):
    """Cells by column, made on first use: a column that is left out may hold anything."""

    def __getitem__(self, name: str) -> np.ndarray:
        if callable(made := super().__getitem__(name)):
            self[name] = made = made()
        return made


@dataclass(frozen=True, eq=False, repr=False)
class FrameTable(Table):
    """The table of a frame, with its number of rows and its own names of columns, None where it has none."""

    length: int = 0
    own_names: list[Any] | None = None

    @property
    def n_rows(self) -> int:
        return self.length

    def option(self, name: str, value: str = "[COLUMN]") -> str:
        parameter = name.replace("-", "_")
        if name == "task":
            return f"Table{'Classifier' if value == 'classify' else 'Regressor'}, or Settings(task={value!r}),"
        return f"{parameter}={value if value.startswith('[') else repr(value)}" if value else parameter

    def with_target(self, name: str, given: np.ndarray) -> Self:
        return replace(self, columns=LazyColumns(self.columns, **{name: given}))


def as_table(X: Any, *, names: Collection[str] | None = None, by_place: bool = False, **options: Any) -> FrameTable:
    """The table of a frame.

    X is a DataFrame of pandas or polars, a Table of pyarrow, anything with Arrow's ``__arrow_c_stream__``, an array of
    shape (n_rows, n_columns), a list of rows or of dicts, or a sparse matrix within scikit-learn's ``working_memory``.
    ``names`` are those of the columns where X has none, or ``by_place`` anyway; None: x0, x1, ... A name that a dict
    lacks is a gap. The other options are those of ``read``. An InputError is one line that names the column at fault.
    """
    reading, (given, data, n_rows) = ReadingOptions(**options), _opened(X)
    if not data or not n_rows:
        what = "0 feature(s)" if not data else "0 sample(s)"
        raise InputError(f"{SOURCE}: {what} (shape=({n_rows}, {len(data)})) while a minimum of 1 is required.")
    own = None if by_place else given
    called = [column_name(name) for name in own or names or ()]
    called = called if len(called) == len(data) else [f"x{i}" for i in range(len(data))]
    called = noted_distinct(SOURCE, called)
    columns = LazyColumns({name: partial(_cells, name, data[i], reading) for i, name in enumerate(called)})
    kinds: dict[str, str] = {}
    for name, column in () if given is None else zip(called, data, strict=True):
        its_type = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
        if declared := [kind for kind, beginnings in TYPES.items() if its_type.startswith(beginnings)]:
            kinds[name] = declared[0]
    return FrameTable(SOURCE, columns, kinds, options=reading, length=n_rows, own_names=own)


def _opened(X: Any) -> tuple[list[Any] | None, list[Any], int]:
    """Names of the columns or None, the columns, and the number of rows."""
    X = _in_memory(X)
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas, and others like it
        return list(X.columns), [X.iloc[:, i] for i in range(X.shape[1])], len(X)
    if hasattr(X, "get_columns"):  # polars
        return list(X.columns), X.get_columns(), len(X)
    if hasattr(X, "column_names"):  # Arrow
        return list(X.column_names), list(X.columns), len(X)
    if getattr(getattr(X, "dtype", None), "names", None):  # a structured array
        return list(X.dtype.names), [X[name] for name in X.dtype.names], len(X)
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):  # records, as JSON has them
        names = list(dict.fromkeys(name for row in X for name in row))
        return names, [objects(row.get(name) for row in X) for name in names], len(X)
    rows = _rows(X)
    return None, list(rows.T), len(rows)


def _in_memory(X: Any) -> Any:
    """The frame behind a lazy, wrapped or sparse one."""
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


def _cells(name: str, column: Any, reading: ReadingOptions) -> np.ndarray:
    """The cells of a column, with local times where there are time zones."""
    if hasattr(column, "to_pylist"):  # Arrow's arrays lose gaps in dictionaries, and time zones
        numbers = any(word in str(column.type) for word in ("int", "float", "double")) and "<" not in str(column.type)
        column = column if numbers else objects(column.to_pylist())
    elif getattr(column.dtype, "time_zone", None):  # polars gives UTC
        column = column.dt.replace_time_zone(None)
    return cells(np.asarray(column), reading.missing, f"{SOURCE}: column {quoted(name)}")


def column_name(name: Any) -> str:
    """The name of a column as text; several levels are joined."""
    return "/".join(map(str, name)) if isinstance(name, tuple) else str(name)


class Labels(NamedTuple):
    """Labels of the rows that have one, as they were given."""

    name: str
    y: np.ndarray  # (n_labelled,) integers, truth values, floats that are whole numbers, or texts
    present: np.ndarray  # (n_rows,) whether a row has one

    @property
    def cells(self) -> np.ndarray:
        found = objects([None] * len(self.present))
        found[self.present] = [str(label) for label in self.y.tolist()]
        return found


def frame_labels(X: Any, y: Any) -> Labels:
    """The labels of a table: y, or a column of X. None, NaN, NA and NaT are gaps; texts never are."""
    name, values = frame_target(X, y)
    present = np.array([not is_gap(value) for value in values.tolist()], dtype=bool)
    return Labels(name, _comparable(values[present]), present)


def frame_target(X: Any, y: Any) -> tuple[str, np.ndarray]:
    """The name of a target and its values (n_rows,): y, or a column of X."""
    if isinstance(y, str):
        names, columns, _ = _opened(X)
        if names is None or y not in names:
            raise InputError(f"X: no column {quoted(y)} to predict")
        return y, _labels(columns[names.index(y)])
    name = getattr(y, "name", None)
    mine: Any = getattr(X, "index", None)
    its: Any = getattr(y, "index", None)
    have_both = mine is not None and hasattr(its, "equals") and len(mine) == len(its)
    if have_both and not its.equals(mine) and its.is_unique and set(its) == set(mine):
        what = "y has the rows of X in another order, by its index; they are matched by their place"
        note(f"{what}: y.loc[X.index] has the order of X")
    return USUAL_NAME if name is None else column_name(name), _labels(y)


def _labels(y: Any) -> np.ndarray:
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
    kinds = {LABEL_KINDS.get(known.dtype.kind, str(known.dtype))}
    if known.dtype.kind == "O":
        types = set(map(type, known.tolist()))
        kinds = {next((n for n, kind in LABEL_TYPES.items() if issubclass(its, kind)), its.__name__) for its in types}
        if len(kinds) > 1:
            raise InputError(f"y: labels of several types, {' and '.join(sorted(kinds))}; y.astype(str) makes texts")
        known = np.array(known.tolist()) if kinds <= {"bool", "number"} else known
    if known.dtype.kind == "f" and np.isinf(known).any():
        kinds = {"inf"}
    if not kinds <= set(LABEL_TYPES):
        what = f"labels are texts, whole numbers or truth values, not {', '.join(kinds)}"
        raise InputError(f"y: {what}; y.astype(str) makes texts")
    if known.dtype.kind == "f":
        try:
            check_classification_targets(known)
        except ValueError as problem:
            why = f"{' '.join(str(problem).split())} freemetric.TableRegressor is for regression"
            raise InputError(f"y: {why}") from problem
    return known.astype(object) if known.dtype.kind == "T" else known
