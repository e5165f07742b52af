"""The classes whose objects a model file may hold, each under a tag that outlives the place of its code.

A file names tags. No other name in it is ever looked up, and nothing is imported for it.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from .estimators import SHAPES, Check, EstimatorStates, documented

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.:/-]{0,79}")
State = Mapping[str, Any]


class Entry(NamedTuple):
    """How objects of a class are written and read."""

    tag: str
    cls: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]  # ValueError, TypeError or KeyError if the state is not one of the class

    def rebuilt(self, state: State) -> Any:
        """The object of a state that has what it needs and nothing else."""
        name = self.cls.__name__
        try:
            made = self.from_state(state)
        except KeyError as missing:
            raise ValueError(f"{name} without its attribute {missing}") from missing
        if not set(state) <= set(self.to_state(made)):
            raise ValueError(f"{name} with other attributes than its own")
        return made


BY_TAG: dict[str, Entry] = {}
BY_CLASS: dict[type, Entry] = {}


def register(tag: str, cls: type, check: Check | None = None, attributes: Collection[str] | None = None) -> None:
    """Let model files hold objects of a class.

    A program that loads such a file must register the class too, under the same tag. The code may move.

    Parameters
    ----------
    tag : str
        The permanent name of the class in files, such as "acme:weighted-nca".
    cls : type
        A scikit-learn estimator, whose parameters and fitted attributes are written, or a class with ``to_state()``,
        which returns a dict of savable values, and a class method ``from_state(state)``, which checks such a dict.
    check : callable or None, default=None
        For estimators: called with the object before it is saved and after it is loaded; raises ValueError if its parts
        do not fit together. None: the method ``check_state`` of the class, if it has one.
    attributes : collection of str or None, default=None
        For estimators: attributes that a fit may set; files with others are refused. None allows every name that ends
        in an underscore and does not begin with one.

    Raises
    ------
    ValueError
        If the tag is taken by another class, or is no plain short text.
    TypeError
        If the class is no estimator and lacks the methods.

    Examples
    --------
    >>> import freemetric
    >>> class Halved(freemetric.NCA):
    ...     def _learn(self, X, y, weights):
    ...         return super()._learn(X, y, weights) / 2
    >>> freemetric.files.register("example:halved", Halved)
    """
    if not isinstance(cls, type):
        raise TypeError(f"Only classes can be registered; got {cls!r}.")
    if hasattr(cls, "to_state") and hasattr(cls, "from_state"):
        enter(tag, cls, cls.to_state, cls.from_state)
    elif issubclass(cls, BaseEstimator):
        states = EstimatorStates(cls, check, attributes)
        enter(tag, cls, states.to_state, states.from_state)
    else:
        raise TypeError(f"{cls.__name__} is no estimator and has no methods to_state and from_state.")


def register_known(tag: str, cls: type, check: Check | None = None, private: Collection[str] = ()) -> None:
    """Register an estimator of ours or of scikit-learn, whose docstring lists its attributes but ``private`` ones."""
    states = EstimatorStates(cls, check, documented(cls), private, SHAPES)
    enter(tag, cls, states.to_state, states.from_state)


def enter(tag: str, cls: type, to_state: Callable[[Any], State], from_state: Callable[[State], Any]) -> None:
    """Add a class; ValueError where its tag is taken, or is no plain short text."""
    if not isinstance(tag, str) or not TAG.fullmatch(tag):
        raise ValueError(f"A tag is a short plain text; got {tag!r}.")
    known = BY_TAG.get(tag)
    if known is not None and (known.cls.__module__, known.cls.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(f"The tag {tag!r} belongs to {known.cls.__qualname__} already.")
    BY_TAG[tag] = BY_CLASS[cls] = Entry(tag, cls, to_state, from_state)
