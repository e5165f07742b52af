"""Names of features, and groups of features that belong together."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@contextmanager
def training_rows_have_no_names() -> Iterator[None]:
    """Silence a warning: training rows are an array, even if fit had a data frame."""
    with warnings.catch_warnings():
        message = "X does not have valid feature names"
        warnings.filterwarnings("ignore", message=message)
        yield


def behind_table(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the ensemble in a fitted model of tables, and X as it reaches it.

    Other ensembles, and their X, are returned as they are.
    """
    if hasattr(model, "pipeline_"):
        X = np.asarray(model.pipeline_[0].transform(X))
        model = model.pipeline_[-1]
    check_ensemble(model, "FreeEnergyClassifier or FreeEnergyRegressor")
    return model, X


def check_ensemble(model: Any, wanted: str) -> None:
    """Raise an error unless a model is an ensemble of metrics."""
    if not hasattr(model, "ensemble_"):
        name = type(model).__name__
        raise TypeError(f"This needs a {wanted}; {name} is none.")


def feature_groups(
    groups: ArrayLike | None, names: NDArray
) -> tuple[NDArray, list[NDArray[np.intp]]]:
    """Return the names of the groups, in order of appearance, and their columns.

    Parameters
    ----------
    groups : array-like of shape (n_features,) or None
        Name of the group of each feature. None: each feature is a group of its own.
    names : ndarray of shape (n_features,)
        Names of the features.

    Returns
    -------
    names : ndarray of shape (n_groups,)
        Names of the groups.
    columns : list of ndarray
        Columns of each group.
    """
    group_of = names if groups is None else np.asarray(groups)
    if group_of.shape != names.shape:
        raise ValueError(
            f"groups must name the group of each of {len(names)} features, "
            f"got shape {group_of.shape}."
        )
    _, first = np.unique(group_of, return_index=True)
    found = group_of[np.sort(first)]
    return found, [np.flatnonzero(group_of == name) for name in found]
