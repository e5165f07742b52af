"""Whether an object is whole and its parts fit together, as far as that can be seen without using it.

The same questions are asked before saving and after loading: what is saved can be loaded.
"""

import numpy as np
from sklearn.base import BaseEstimator

from .allowed import ALLOWED, PLAIN, parameters_of
from .classifier_checks import CHECKS, check_array
from .sklearn_checks import SPECIAL, check_numbers

SHAPES = {
    "classes_": "C",
    "feature_names_in_": "d",
    "components_": "pd",
    "replicas_": "Rpd",
    "_X": "Nd",
    "_Z": "N.",
    "_y": "N",
    "_patterns": "n",
    "_weights": "n",
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

FINITE = ("components_", "replicas_", "_X", "_Z", "_weights")
POSITIVE = ("n_features_in_", "n_neighbors_", "_n_features_out")


def check_state(cls, state):
    """Attributes must not hide what the class itself provides."""
    parameters = parameters_of(cls)
    for name in state:
        if name.startswith("__") or (hasattr(cls, name) and name not in parameters):
            raise ValueError(f"{cls.__name__} with an attribute {name!r} that hides what the class provides")


def check_object(made, name):
    """ValueError or TypeError where an object of that name in the list of classes cannot work."""
    state = vars(made)
    for parameter in parameters_of(type(made)):
        if parameter not in state:
            raise ValueError(f"{type(made).__name__} without its parameter {parameter!r}")
    if name in PLAIN and len(state) > len(PLAIN[name]):
        raise ValueError(f"{type(made).__name__} with other attributes than its own")
    if isinstance(made, BaseEstimator) and hasattr(made, "_parameter_constraints"):
        made._validate_params()
    if any(key.endswith("_") and not key.startswith("_") for key in state):
        _check_fitted(made, state, ALLOWED[name])
    for checks in (SPECIAL, CHECKS):
        if name in checks:
            checks[name](made)


def _check_fitted(made, state, needed):
    missing = [key for key in needed if key not in state]
    if missing:
        raise ValueError(f"{type(made).__name__} without its attribute {missing[0]!r}")
    for key in POSITIVE:
        if key in state and not (isinstance(state[key], int | np.integer) and state[key] > 0):
            raise ValueError(f"{key} of {type(made).__name__} is {state[key]!r}")
    lengths = {"d": state["n_features_in_"]} if "n_features_in_" in state else {}
    for key, axes in SHAPES.items():
        # scalers have None for what they were told not to do
        if state.get(key) is not None:
            _check_array(state[key], f"{key} of {type(made).__name__}", axes, lengths)
    for key in FINITE:
        if key in state:
            check_array(state[key], f"{key} of {type(made).__name__}", len(SHAPES[key]))
    if "_y" in state and "C" in lengths:
        check_numbers(state["_y"], lengths["C"], "class numbers")


def _check_array(array, what, axes, lengths):
    if not isinstance(array, np.ndarray) or array.ndim != len(axes) or 0 in array.shape:
        raise ValueError(f"{what} is not an array of {len(axes)} dimensions")
    for axis, length in zip(axes, array.shape, strict=True):
        if axis != "." and lengths.setdefault(axis, length) != length:
            raise ValueError(f"{what} has shape {array.shape}, which does not fit the other arrays")
