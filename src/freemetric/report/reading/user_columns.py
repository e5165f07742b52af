"""What the user calls columns, behind the features that a map sees, and what their cells said."""

import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.impute import SimpleImputer

DIGITS = 12  # of a number that was scaled and is scaled back


class UserColumns(Protocol):
    """The user's columns, whoever knows them; those of a table that a model was made from know more than we."""

    names: Sequence[str]
    owner: NDArray[np.intp] | None  # (d,) number of the column that each feature comes from; None where it is unknown

    def of_rows(self, X: Any) -> Sequence[ArrayLike]:
        """The cells of every column, of rows as the caller has them."""
        ...

    def of_features(self, values: NDArray) -> Sequence[ArrayLike]:
        """The cells of every column, from features (n, d) as they reach what has kept them."""
        ...


class TableColumns:
    """The columns of X itself, each of which is a feature if all that stands in front of the map is one to one."""

    def __init__(self, names: Sequence[str], owner: NDArray[np.intp] | None):
        self.names, self.owner = names, owner

    @classmethod
    def of(cls, front: Sequence[Any], X: Any, n_features: int) -> "TableColumns":
        width = X.shape[1] if hasattr(X, "shape") else len(X[0])
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{i}" for i in range(width)]
        same = width == n_features and all(is_one_to_one(step) for step in front)
        return cls(names, np.arange(width) if same else None)

    def of_rows(self, X: Any) -> Sequence[ArrayLike]:
        return list(np.asarray(X, dtype=object).T)

    def of_features(self, values: NDArray) -> Sequence[ArrayLike]:
        raise NotImplementedError


class KeptColumns:
    """Features that a model has kept, scaled back to what stood in front of its scalers, where these can be undone."""

    def __init__(self, front: Sequence[Any], n_features: int):
        self.front = front
        self.names: Sequence[str] = [f"x{i}" for i in range(n_features)]
        undone = all(is_one_to_one(step) and (_passes(step) or hasattr(step, "inverse_transform")) for step in front)
        self.owner: NDArray[np.intp] | None = np.arange(n_features) if undone else None

    def of_rows(self, X: Any) -> Sequence[ArrayLike]:
        raise NotImplementedError

    def of_features(self, values: NDArray) -> Sequence[ArrayLike]:
        for step in reversed(self.front) if self.owner is not None else ():
            if not _passes(step):
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message="X does not have valid feature names")
                    values = np.asarray(step.inverse_transform(values), dtype=np.float64)
        return list((rounded_back(values) if self.front else values).T)


def is_one_to_one(step: Any) -> bool:
    """Whether each feature that leaves a transformer is one that entered it."""
    return isinstance(step, OneToOneFeatureMixin) or _passes(step)


def _passes(step):
    """Whether it leaves values as they are, but for gaps."""
    return isinstance(step, SimpleImputer) and not step.add_indicator and not np.isnan(_statistics(step)).any()


def _statistics(imputer):
    try:
        return np.asarray(imputer.statistics_, dtype=np.float64)
    except ValueError:  # of texts
        return np.empty(0)


def rounded_back(values: NDArray) -> NDArray[np.float64]:
    """Numbers with twelve digits: 0.1 + 0.2 is 0.3 again."""
    with np.errstate(divide="ignore"):
        size = np.floor(np.log10(np.abs(values), out=np.zeros(values.shape), where=values != 0))
    unit = 10.0 ** np.clip(DIGITS - 1 - size, -300, 300)
    return np.where(np.isfinite(values * unit), np.round(values * unit) / unit, values)
