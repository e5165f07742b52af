"""Tables and targets of many kinds as those of pandas."""

import numpy as np
import pandas as pd
from sklearn.utils import assert_all_finite, check_array, column_or_1d

from ..exceptions import require
from .cells import cells_of_table, read_numbers


def as_frame(X):
    """Return a table as a DataFrame of pandas whose columns have different names.

    Parameters
    ----------
    X : DataFrame, list of dict or array-like of shape (n_rows, n_columns)
        A table of pandas, of polars, of Arrow or of any library that has a method
        ``to_pandas`` or ``__dataframe__``; or records; or an array, whose columns are
        called x0, x1, ...

    Returns
    -------
    frame : DataFrame
        The table.
    has_names : bool
        Whether the columns had names.
    """
    if isinstance(X, list) and X and isinstance(X[0], dict):
        X = pd.DataFrame(X)
    elif not isinstance(X, pd.DataFrame):
        X = as_pandas(X)
    if not isinstance(X, pd.DataFrame):
        if not hasattr(X, "shape") and np.asarray(X).ndim == 0:
            wanted = "a DataFrame, a list of dict or an array of two axes"
            raise TypeError(f"X must be {wanted}, got a {type(X).__name__}.")
        X = check_array(X, dtype=None, ensure_all_finite="allow-nan", input_name="X")
        return pd.DataFrame(X, columns=default_names(X.shape[1])), False
    if X.empty:
        raise ValueError(f"X has no row or no column: its shape is {X.shape}.")
    if not all(isinstance(name, str) for name in X.columns):
        X = X.set_axis([str(name) for name in X.columns], axis=1)
    if not X.columns.is_unique:
        repeated = X.columns[X.columns.duplicated()].unique().tolist()
        raise ValueError(f"X has several columns of the same name: {repeated}.")
    return X, True


def as_pandas(X):
    """Return a frame of another library as one of pandas; all else as it is."""
    if hasattr(X, "to_pandas"):
        if type(X).__module__.startswith("polars"):
            require("pyarrow")
        return X.to_pandas()
    if hasattr(X, "__dataframe__"):
        return pd.api.interchange.from_dataframe(X)
    return X


def default_names(n_columns):
    """Return the names of the columns of an array."""
    return [f"x{column}" for column in range(n_columns)]


def as_target(y, n_rows, owner):
    """Return the target as an array without gaps.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The target.
    n_rows : int
        The number of rows of the table.
    owner : str
        The name of the estimator, for errors.

    Returns
    -------
    y : ndarray of shape (n_rows,)
        The target.
    """
    if y is None:
        message = "requires y to be passed, but the target y is None"
        raise ValueError(f"{owner} {message}.")
    cells = np.asarray(y)
    texts = cells.ravel() if cells.dtype.kind in "OU" else ()
    n_gaps = sum(isinstance(cell, str) and not cell.strip() for cell in texts)
    n_gaps += int(np.sum(pd.isna(cells)))
    if n_gaps:
        message = "leave out the rows without a target"
        raise ValueError(f"Input y contains NaN: it has {n_gaps} gaps; {message}.")
    if cells.dtype == object:
        cells = np.array(cells.tolist())  # numbers and truth values are no objects
    y = column_or_1d(cells, warn=True)
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows, and y has {len(y)}.")
    assert_all_finite(y, input_name="y")
    return y


def as_numbers(y, name="y"):
    """Return a target as numbers; it may hold texts such as "12.5"."""
    cells = cells_of_table(pd.DataFrame({"y": y}), ["y"])["y"]
    numbers = read_numbers(cells).values if isinstance(cells, list) else cells
    is_date = numbers.dtype.kind == "M"
    unread = np.flatnonzero(is_date | np.isnan(numbers.astype(float)))
    if len(unread):
        row = unread[0]
        raise ValueError(f"{name}, row {row}: {str(y[row])!r} is no number.")
    return numbers.astype(float)
