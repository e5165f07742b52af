"""Checks of the table of errors that statistics, tables and figures start from: rows are data sets, columns methods."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..extras import require

pd = require("pandas")

# records are rounded to six decimals: means over folds that differ by less are ties
DECIMALS = 5


def checked(errors: Any, control: str | None = None) -> Any:
    """Return the table as floats with ties restored; ValueError, in one line, where it is none or lacks the control.

    Examples
    --------
    >>> import pandas as pd
    >>> checked(pd.DataFrame({"NCA": [0.1 + 0.2], "PCA": [0.3]})).nunique(axis=1).item()
    1
    """
    errors = pd.DataFrame(errors)
    for what, names in {"Methods": errors.columns, "Data sets": errors.index}.items():
        if not names.is_unique:
            raise ValueError(f"{what} appear twice: {listed(names[names.duplicated()])}.")
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
    """Split the checked table into the rows where every method has a result and the names of the others.

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
    """What the table holds, as :func:`freemetric.bench.results.mean_measure` says; else errors."""
    return getattr(errors, "attrs", {}).get("measure", "error in %")


def listed(names: Iterable) -> str:
    """Join names for a message."""
    return ", ".join(map(str, names))
