"""Estimators as dicts of their parameters and attributes, and back, without running their constructors."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..sklearn_compat import CALLBACKS, validate_params

SHAPES = {
    "classes_": "C",
    "feature_names_in_": "d",
    "components_": "pd",
    "replicas_": "Rpd",
    "oob_decision_function_": ".C",
    "scale_": "d",
    "min_": "d",
    "mean_": "d",
    "var_": "d",
    "center_": "d",
    "statistics_": "d",
    "quantiles_": "qd",
    "references_": "q",
}
"""Axes of fitted arrays; the same letter is the same length within one estimator, a dot is any length."""

POSITIVE = ("n_features_in_", "n_neighbors_", "_n_features_out")
Check = Callable[[Any], None]


def estimator_to_state(estimator: Any, check: Check) -> dict[str, Any]:
    """Parameters and attributes of an estimator that is whole; callbacks watched its fit and are no part of it."""
    state = {name: value for name, value in vars(estimator).items() if name != CALLBACKS}
    _check_names(type(estimator), state)
    _check(estimator, check)
    return state


def estimator_from_state(cls: type, state: Mapping[str, Any], check: Check) -> Any:
    """The estimator that had this state; ValueError or TypeError where it cannot work."""
    _check_names(cls, state)
    made = object.__new__(cls)
    vars(made).update(state)
    for name, default in parameters_of(cls).items():
        # a file of an earlier release does not know parameters that came later
        if name not in state and default is not inspect.Parameter.empty:
            setattr(made, name, default)
    _check(made, check)
    return made


@cache
def parameters_of(cls: type) -> dict[str, Any]:
    """Names and defaults of the constructor's parameters; ``inspect.Parameter.empty`` where there is no default."""
    return {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}


def check_attributes(estimator: Any, needed: tuple[str, ...]) -> None:
    """ValueError where an attribute is missing without which a fitted estimator cannot work."""
    missing = [name for name in needed if name not in vars(estimator)]
    if missing and is_fitted(estimator):
        raise ValueError(f"{type(estimator).__name__} without its attribute {missing[0]!r}")


def is_fitted(estimator: Any) -> bool:
    """Whether it has attributes that only a fit gives."""
    return any(name.endswith("_") and not name.startswith("_") for name in vars(estimator))


def _check_names(cls, state):
    """Attributes must not hide what the class itself provides."""
    parameters = parameters_of(cls)
    for name in state:
        if type(name) is not str or name.startswith("__") or (hasattr(cls, name) and name not in parameters):
            raise ValueError(f"{cls.__name__} with an attribute {name!r} that hides what the class provides")


def _check(estimator, check):
    state = vars(estimator)
    for parameter in parameters_of(type(estimator)):
        if parameter not in state:
            raise ValueError(f"{type(estimator).__name__} without its parameter {parameter!r}")
    validate_params(estimator)
    if is_fitted(estimator):
        _check_fitted(estimator, state)
    check(estimator)


def _check_fitted(estimator, state):
    for key in POSITIVE:
        if key in state and not (isinstance(state[key], int | np.integer) and state[key] > 0):
            raise ValueError(f"{key} of {type(estimator).__name__} is {state[key]!r}")
    lengths = {"d": state["n_features_in_"]} if "n_features_in_" in state else {}
    for key, axes in SHAPES.items():
        # scalers have None for what they were told not to do
        if state.get(key) is not None:
            _check_shape(state[key], f"{key} of {type(estimator).__name__}", axes, lengths)


def _check_shape(array, what, axes, lengths):
    if not isinstance(array, np.ndarray) or array.ndim != len(axes) or 0 in array.shape:
        raise ValueError(f"{what} is not an array of {len(axes)} dimensions")
    for axis, length in zip(axes, array.shape, strict=True):
        if axis != "." and lengths.setdefault(axis, length) != length:
            raise ValueError(f"{what} has shape {array.shape}, which does not fit the other arrays")
