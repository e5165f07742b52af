"""Estimators as states: parameters and fitted attributes, and checks that they belong together."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..printable import counted
from ..sklearn_compat import CALLBACKS, validate_params

SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", re.MULTILINE | re.DOTALL)
NAMES = re.compile(r"^(\w[\w, ]*?) *:", re.MULTILINE)
OF_ANY_ESTIMATOR = {"n_features_in_", "feature_names_in_", "classes_", "_n_features_out", "_sklearn_output_config"}


def documented(cls: type) -> frozenset[str] | None:
    """Names in the section "Attributes" of a class, for the parameter ``attributes`` of :func:`register`.

    Parameters
    ----------
    cls : type
        A class with a numpydoc docstring.

    Returns
    -------
    names : frozenset of str or None
        None without a docstring, as under ``python -OO``.

    Examples
    --------
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> sorted(documented(MaxAbsScaler))
    ['feature_names_in_', 'max_abs_', 'n_features_in_', 'n_samples_seen_', 'scale_']
    """
    if cls.__doc__ is None:
        return None
    section = SECTION.search(inspect.cleandoc(cls.__doc__))
    lines = NAMES.findall(section[1]) if section else []
    return frozenset(name.strip() for line in lines for name in line.split(","))


def check_names(
    cls: type,
    names: Iterable[object],
    parameters: Collection[str],
    public: Collection[str] | None = None,
    private: Collection[str] = (),
) -> None:
    """ValueError if an attribute hides a member of the class, or is not known: a parameter, ``public`` or ``private``.

    None allows every public name with an underscore at its end.
    """
    known = {*parameters, *OF_ANY_ESTIMATOR, *private, *(public or ())}
    for name in names:
        if not isinstance(name, str) or name.startswith("__") or (hasattr(cls, name) and name not in parameters):
            raise ValueError(f"{cls.__name__} with an attribute {name!r} that hides what the class provides")
        if name not in known and not (public is None and _is_public(name)):
            raise ValueError(f"{cls.__name__} with an attribute {name!r}, which its fit is not known to set")


def _is_public(name):
    return name.endswith("_") and not name.startswith("_")


SHAPES = {
    **dict.fromkeys(("feature_names_in_", "statistics_", "scale_", "min_", "mean_", "var_", "center_"), "d"),
    **{"classes_": "C", "components_": "pd", "replicas_": "Rpd", "oob_decision_function_": ".C"},
    **{"quantiles_": "qd", "references_": "q", "basis_": "bd", "weights_": "b"},
}
"""Axes of fitted arrays; the same letter is the same length within one estimator, a dot is any length."""

SHAPES_OF_ANY_CLASS = {"feature_names_in_": "d"}  # other classes may give the other names to something else
OF_ANY_TYPE = ("classes_", "feature_names_in_", "statistics_")  # all others hold numbers
LENGTHS = {"n_features_in_": "d", "_n_features_out": "p"}
POSITIVE = (*LENGTHS, "n_neighbors_")
Check = Callable[[Any], None]


class EstimatorStates:
    """How the estimators of a class are written and read.

    ``check`` is called with an estimator and raises ValueError if its parts do not fit together; by default the method
    ``check_state`` of the class. ``public`` and ``private`` are attributes that its fit may set, ``shapes`` the axes of
    those that are arrays.
    """

    def __init__(
        self,
        cls: type,
        check: Check | None = None,
        public: Collection[str] | None = None,
        private: Collection[str] = (),
        shapes: Mapping[str, str] = SHAPES_OF_ANY_CLASS,
    ) -> None:
        self.cls, self.public, self.private, self.shapes = cls, public, private, shapes
        self.check: Any = check or getattr(cls, "check_state", lambda estimator: None)

    def to_state(self, estimator: Any) -> dict[str, Any]:
        """Parameters and attributes of a valid estimator, without the callbacks of its fit."""
        state = {name: value for name, value in vars(estimator).items() if name != CALLBACKS}
        check_names(self.cls, state, parameters_of(self.cls), self.public, self.private)
        self._check(estimator)
        return state

    def from_state(self, state: Mapping[str, Any]) -> Any:
        """The estimator of a state; ValueError or TypeError if it cannot work."""
        parameters = parameters_of(self.cls)
        check_names(self.cls, state, parameters, self.public, self.private)
        made: Any = object.__new__(self.cls)
        vars(made).update(state)
        for name, default in parameters.items():
            # a file of an earlier release lacks parameters that came later
            if name not in state and default is not inspect.Parameter.empty:
                setattr(made, name, default)
        if "n_jobs" in parameters:  # how many threads to start is for the machine that loads, not for the file
            made.n_jobs = None
        self._check(made)
        return made

    def _check(self, estimator):
        state = vars(estimator)
        for parameter in parameters_of(self.cls):
            if parameter not in state:
                raise ValueError(f"{self.cls.__name__} without its parameter {parameter!r}")
        validate_params(estimator)
        if is_fitted(estimator):
            _check_fitted(estimator, state, self.shapes)
        self.check(estimator)


@cache
def parameters_of(cls: type) -> dict[str, Any]:
    """Names and defaults of the constructor's parameters; ``inspect.Parameter.empty`` without a default."""
    return {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}


def check_attributes(estimator: Any, needed: tuple[str, ...]) -> None:
    """ValueError if a fitted estimator lacks an attribute that it needs."""
    missing = [name for name in needed if name not in vars(estimator)]
    if missing and is_fitted(estimator):
        raise ValueError(f"{type(estimator).__name__} without its attribute {missing[0]!r}")


def is_fitted(estimator: Any) -> bool:
    """Whether it has fitted attributes."""
    return any(map(_is_public, vars(estimator)))


def _check_fitted(estimator, state, shapes):
    for key in POSITIVE:
        if key in state and not (isinstance(state[key], int | np.integer) and state[key] > 0):
            raise ValueError(f"{key} of {type(estimator).__name__} is {state[key]!r}")
    lengths = {axis: state[key] for key, axis in LENGTHS.items() if key in state}
    for key, axes in shapes.items():
        # scalers have None for what they do not do
        if state.get(key) is not None:
            value = _side_by_side(state[key]) if key == "classes_" else state[key]
            _check_array(value, f"{key} of {type(estimator).__name__}", axes, lengths)
            if key not in OF_ANY_TYPE and state[key].dtype.kind not in "iuf":
                raise ValueError(f"{key} of {type(estimator).__name__} holds no numbers")


def _side_by_side(classes):
    """The classes of several outputs, one after another."""
    several = type(classes) is list and all(isinstance(some, np.ndarray) and some.ndim == 1 for some in classes)
    return np.concatenate(classes) if several and classes else classes


def _check_array(array, what, axes, lengths):
    if not isinstance(array, np.ndarray) or array.ndim != len(axes) or 0 in array.shape:
        raise ValueError(f"{what} is not an array of {counted(len(axes), 'dimension')}")
    for axis, length in zip(axes, array.shape, strict=True):
        if axis != "." and lengths.setdefault(axis, length) != length:
            raise ValueError(f"{what} has shape {array.shape}, which does not fit the other arrays")
