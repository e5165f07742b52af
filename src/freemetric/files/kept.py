"""What is kept of an object, and how it is checked before anybody computes with it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np

from ..sklearn_compat import validate_params

NOT_KEPT = {"n_jobs", "memory"}  # for the machine that loads to decide
OUTPUT = "_sklearn_output_config"  # which has nothing to do with a fit
MOST_FEATURES = 1_000_000  # names of more would fill the memory
KINDS = {"float": "f", "nan": "f", "int": "iu", "bool": "b", "labels": "biufUO"}


def no_check(value):
    """The check of classes whose fields say everything."""


@dataclass(frozen=True)
class Kept:
    """What is kept of the objects of a class: constructor parameters and fields.

    Parameters
    ----------
    cls : type
        The class.
    fields : dict of str to str or type
        What attributes must be; see :func:`check_fields`. Those of an estimator are
        the fitted ones, those of a dataclass its parameters.
    check : callable
        Raises ValueError where the fields of an object do not fit together.
    make : callable or None
        What makes an object of its parameters; None is the class, whose constructor
        only stores.
    """

    cls: type
    fields: dict
    check: Callable = no_check
    make: Callable | None = None

    @property
    def tag(self):
        """The name of the class in files."""
        return f"{self.cls.__module__.partition('.')[0]}.{self.cls.__name__}"

    @cached_property
    def parameters(self):
        """Names of the parameters that are kept."""
        names = inspect.signature(self.make or self.cls).parameters
        return [name for name in names if name not in NOT_KEPT]

    def state(self, value):
        """Parameters and attributes of an object that can be loaded."""
        names = dict.fromkeys([*self.parameters, *self.fields])
        found = vars(value)
        other = [name for name in found if name.endswith("_") and name not in names]
        if other and self.tag.startswith("freemetric"):
            raise ValueError(f"its attribute {other[0]!r} is none that a fit sets")
        state = {name: found[name] for name in names if name in found}
        self._check(value, state)
        return state

    def rebuilt(self, state):
        """The object; an error if its parts do not fit together."""
        arguments = {name: state[name] for name in self.parameters if name in state}
        made = (self.make or self.cls)(**arguments)
        for name in state.keys() - arguments.keys():
            if name not in self.fields:
                raise ValueError(f"{self.cls.__name__} with an unknown part {name!r}")
            setattr(made, name, state[name])
        self._check(made, state)
        return made

    def _check(self, value, state):
        if hasattr(value, "_parameter_constraints"):
            validate_params(value)
        if state.keys() & self.fields.keys() - {OUTPUT}:
            check_fields(self.cls.__name__, state, self.fields)
            self.check(value)


def check_fields(owner, state, fields):
    """ValueError unless all attributes are there and are what they must be.

    Parameters
    ----------
    owner : str
        The name of the class.
    state : dict
        Values by name.
    fields : dict of str to str or type
        What every value must be: an object of a type; "number"; "count", a positive
        integer; "count d", the same, which is the length of all axes called d; or an
        array: a kind and the names of its axes, such as "float C d". Equal names are
        equal lengths; "e" may be zero, "." is any length. Numbers of the kind "float"
        are finite, those of "nan" may be not. A question mark allows None or nothing;
        alone it allows anything.
    """
    lengths = {}
    for name, wanted in fields.items():
        what = f"{name} of {owner}"
        value = state.get(name)
        if isinstance(wanted, type):
            require(isinstance(value, wanted), what, "is something else")
        elif value is not None or not wanted.startswith("?"):
            require(name in state, owner, f"is without its attribute {name!r}")
            check_kind(what, value, wanted.strip("?").split(), lengths)


def check_kind(what, value, wanted, lengths):
    """ValueError unless a value is of a kind, with axes of known lengths."""
    if not wanted:
        return
    kind, *axes = wanted
    if kind == "number":
        require(isinstance(value, Real), what, "is no number")
    elif kind == "count":
        is_one = isinstance(value, Integral) and 0 < value <= MOST_FEATURES
        require(is_one, what, "is no usual number")
        lengths.update(dict.fromkeys(axes, value))
    else:
        is_array = type(value) is np.ndarray and value.dtype.kind in KINDS[kind]
        fits = is_array and value.ndim == len(axes)
        require(fits, what, f"is no array of {len(axes)} axes with the right numbers")
        check_shape(what, value.shape, axes, lengths)
        if kind == "float":
            require(np.isfinite(value).all(), what, "has numbers that are not finite")


def check_shape(what, shape, axes, lengths):
    """ValueError unless all axes have their lengths."""
    for axis, length in zip(axes, shape, strict=True):
        require(length or axis == "e", what, "is empty")
        fits = axis == "." or lengths.setdefault(axis, length) == length
        require(fits, what, f"has shape {shape}, which does not fit the other arrays")


def require(fact, what, problem):
    """ValueError "what problem" unless the fact is true."""
    if not fact:
        raise ValueError(f"{what} {problem}")
