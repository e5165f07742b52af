"""The table of errors that statistics, tables and figures start from: rows are data sets, columns are methods."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..extras import require

pd = require("pandas")

# records are rounded to six decimals: means over folds that differ by less are ties
DECIMALS = 5


def checked(errors: Any, control: str | None = None) -> Any:
    """Return the table as floats with ties restored, or raise one clear line.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str or None, default=None
        Method that must be among the columns.

    Returns
    -------
    DataFrame of shape (n_sets, n_methods)
        The errors, rounded to five decimals.

    Examples
    --------
    >>> import pandas as pd
    >>> checked(pd.DataFrame({"NCA": [0.1 + 0.2], "PCA": [0.3]})).nunique(axis=1).item()
    1
    """
    errors = pd.DataFrame(errors)
    if not errors.columns.is_unique:
        raise ValueError(f"Methods appear twice: {listed(errors.columns[errors.columns.duplicated()])}.")
    if not errors.index.is_unique:
        raise ValueError(f"Data sets appear twice: {listed(errors.index[errors.index.duplicated()])}.")
    if control is not None and control not in errors.columns:
        raise ValueError(f"The control {control!r} is not a method of the table; it has {listed(errors.columns)}.")
    textual = [name for name in errors if not pd.api.types.is_numeric_dtype(errors[name])]
    if textual:
        raise ValueError(f"Errors must be numbers; these columns are not: {listed(textual)}.")
    errors = errors.astype(float).round(DECIMALS)
    if np.isinf(errors.to_numpy()).any():
        raise ValueError("Errors must be finite, or NaN where a method has no result.")
    return errors


def complete_rows(errors: Any, control: str | None = None) -> tuple[Any, tuple[str, ...]]:
    """Split the table into the rows where every method has a result and the names of the others.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str or None, default=None
        Method that must be among the columns.

    Returns
    -------
    complete : DataFrame
        The rows without NaN.
    left_out : tuple of str
        Names of the other rows.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"NCA": [4.5, 1.0], "PCA": [3.9, None]}, index=["iris", "wine"])
    >>> complete_rows(errors)[1]
    ('wine',)
    """
    errors = checked(errors, control)
    has_all = errors.notna().all(axis=1)
    if errors.shape[1] == 0 or not has_all.any():
        empty = errors.columns[errors.isna().all()]
        hint = f" Without any result: {listed(empty)}." if len(empty) and len(errors) else ""
        raise ValueError(f"No data set has a result of every method.{hint}")
    return errors[has_all], tuple(errors.index[~has_all])


def words_of(errors: Any) -> str:
    """What a table holds: what :func:`freemetric.bench.results.mean_measure` says, or errors.

    Examples
    --------
    >>> import pandas as pd
    >>> words_of(pd.DataFrame())
    'error in %'
    """
    return getattr(errors, "attrs", {}).get("measure", "error in %")


def listed(names: Iterable) -> str:
    """Join names for a message.

    Parameters
    ----------
    names : iterable
        What to name.

    Returns
    -------
    str
        The names, separated by commas.

    Examples
    --------
    >>> listed(["NCA", "PCA"])
    'NCA, PCA'
    """
    return ", ".join(map(str, names))
