"""Weights of rows, from a column of the table."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from .column_kinds import number_marks
from .table import InputError, Table, quoted


def row_weights(table: Table, name: str, estimator: BaseEstimator, method: str) -> np.ndarray:
    """A column (n_rows,) of weights, or one line about why the rows cannot be weighed by it."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise InputError(f"method {method!r} cannot weigh rows; 'free-energy' can")
    weights = table.numbers(name, number_marks(table, name))
    wrong = np.flatnonzero(~(weights >= 0))
    if len(wrong):
        what = "has no weight" if np.isnan(weights[wrong[0]]) else f"{weights[wrong[0]]:g} is no weight"
        raise InputError(f"{table.place(int(wrong[0]), name)}: {what}; weights are numbers of at least 0")
    if not weights.any():
        raise InputError(f"{table.source}: every row has the weight 0 in column {quoted(name)}")
    return weights
