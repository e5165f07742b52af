"""Tables that a program has: frames of pandas, polars or Arrow, arrays and lists of rows."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from ..extras import require
from ..learners.validation import dense
from .cells import cells
from .table import InputError, ReadingOptions, Table, few, objects, quoted

SOURCE = "X"  # what messages begin with
TYPES = {
    "nominal": ("category", "categorical", "enum", "dictionary"),
    "date": ("datetime", "timestamp", "date", "period"),
}
"""How the names of types begin that say what a column is."""


class Opened(NamedTuple):
    """What there is in a frame; names are None where it has none."""

    names: list[Any] | None
    n_columns: int
    n_rows: int
    column: Callable[[int], Any]


class Columns(Mapping[str, np.ndarray]):
    """Cells by column, each made when it is needed: a column that is left out may hold anything."""

    def __init__(self, names: list[str], make: Callable[[int, str], np.ndarray], done: dict[str, np.ndarray]):
        self.numbers, self.make, self.done = {name: i for i, name in enumerate(names)}, make, dict(done)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.done:
            self.done[name] = self.make(self.numbers[name], name)
        return self.done[name]

    def __contains__(self, name: object) -> bool:
        return name in self.done or name in self.numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers | dict.fromkeys(self.done))

    def __len__(self) -> int:
        return len(self.numbers | dict.fromkeys(self.done))

    def and_also(self, name: str, given: np.ndarray) -> "Columns":
        """These, and one more or instead of one."""
        return Columns(list(self.numbers), self.make, {**self.done, name: given})


@dataclass(frozen=True, eq=False)
class FrameTable(Table):
    """The table of a frame.

    Attributes
    ----------
    length : int
        Rows.
    named : bool
        Whether the frame itself names its columns.
    names_are_texts : bool
        Whether it does so by texts.
    """

    length: int = 0
    named: bool = False
    names_are_texts: bool = False

    @property
    def n_rows(self) -> int:
        return self.length

    def option(self, name: str, value: str = "[COLUMN]") -> str:
        """The parameter that a message names."""
        parameter = name.replace("-", "_")
        if name == "task":
            return f"Table{'Classifier' if value == 'classify' else 'Regressor'}, or Settings(task={value!r}),"
        return f"{parameter}={value if value.startswith('[') else repr(value)}" if value else parameter

    def with_target(self, name: str, given: np.ndarray) -> Self:
        """This table with a column of labels."""
        assert isinstance(self.columns, Columns)
        return replace(self, columns=self.columns.and_also(name, given))


def as_table(
    X: Any,
    *,
    names: Collection[str] | None = None,
    by_place: bool = False,
    missing: Collection[str] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    date_order: str | None = None,
) -> FrameTable:
    """The table of a frame.

    X is a DataFrame of pandas or polars, a Table of pyarrow, anything with Arrow's ``__arrow_c_stream__``, an array of
    shape (n_rows, n_columns), a list of rows, or a sparse matrix within scikit-learn's ``working_memory``. ``names``
    are those of the columns where X itself does not say them, or ``by_place`` anyway; None: x0, x1, ... The other
    options are those of ``read``. An InputError is one line that names the column at fault.
    """
    options = ReadingOptions.checked(missing, None, None, None, decimal, thousands, date_order)
    opened = _opened(X)
    if not opened.n_columns or not opened.n_rows:
        shape = f"(shape=({opened.n_rows}, {opened.n_columns}))"
        what = "0 feature(s)" if not opened.n_columns else "0 sample(s)"
        raise InputError(f"{SOURCE}: {what} {shape} while a minimum of 1 is required.")
    own = [] if by_place or opened.names is None else opened.names
    called = [column_name(name) for name in own] or list(names or ())
    called = called if len(called) == opened.n_columns else [f"x{i}" for i in range(opened.n_columns)]
    again = [name for name, count in Counter(called).items() if count > 1]
    if again:
        raise InputError(f"{SOURCE}: two columns are called {few(again)}")

    def make(number: int, name: str) -> np.ndarray:
        return cells(_values(opened.column(number)), options.missing, f"{SOURCE}: column {quoted(name)}")

    declared = {name: _declared(opened.column(i)) for i, name in enumerate(called) if opened.names is not None}
    return FrameTable(
        SOURCE,
        Columns(called, make, {}),
        {name: kind for name, kind in declared.items() if kind},
        marks=options.marks,
        date_order=date_order,
        length=opened.n_rows,
        named=bool(own),
        names_are_texts=bool(own) and all(isinstance(name, str) for name in own),
    )


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
