"""The classes whose objects a model file may hold, each under a tag that outlives the place of its code.

A file names tags. No other name in it is ever looked up, and nothing is imported on its behalf.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from .estimators import estimator_from_state, estimator_to_state

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.:/-]{0,79}")
State = Mapping[str, Any]


class Entry(NamedTuple):
    """How objects of a class are written and read."""

    tag: str
    cls: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]  # ValueError, TypeError or KeyError where the state is not one of the class


BY_TAG: dict[str, Entry] = {}
BY_CLASS: dict[type, Entry] = {}


def register(tag: str, cls: type, check: Callable[[Any], None] | None = None) -> None:
    """Let model files hold objects of a class.

    Whoever loads such a file must have registered the class too. Names of modules are not part of a file: the code may
    move, as long as it registers the same tag.

    Parameters
    ----------
    tag : str
        The name of the class in files, for ever. Choose one that is yours, such as "acme:weighted-nca".
    cls : type
        Either a scikit-learn estimator, whose parameters and fitted attributes are written, or a class with a method
        ``to_state()``, which returns a dict of values that files can hold, and a class method ``from_state(state)``,
        which checks such a dict and makes the object.
    check : callable or None, default=None
        For estimators: called with the object before it is saved and after it is loaded; raises ValueError if its parts
        do not fit together. None takes the method ``check_state`` of the class, if it has one.

    Examples
    --------
    >>> import freemetric
    >>> class Halved(freemetric.NCA):
    ...     def _learn(self, X, y, weights):
    ...         return super()._learn(X, y, weights) / 2
    >>> freemetric.files.register("example:halved", Halved)
    """
    if not isinstance(tag, str) or not TAG.fullmatch(tag):
        raise ValueError(f"A tag is a short plain text; got {tag!r}.")
    known = BY_TAG.get(tag)
    if known is not None and (known.cls.__module__, known.cls.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(f"The tag {tag!r} belongs to {known.cls.__qualname__} already.")
    BY_TAG[tag] = BY_CLASS[cls] = _entry(tag, cls, check)


def _entry(tag, cls, check):
    if hasattr(cls, "to_state") and hasattr(cls, "from_state"):
        return Entry(tag, cls, lambda value: value.to_state(), cls.from_state)
    if not issubclass(cls, BaseEstimator) and check is None:
        raise TypeError(f"{cls.__name__} is no estimator and has no methods to_state and from_state.")
    check = check or getattr(cls, "check_state", lambda value: None)
    return Entry(
        tag,
        cls,
        lambda value: estimator_to_state(value, check),
        lambda state: estimator_from_state(cls, state, check),
    )
