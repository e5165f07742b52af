"""Fits that take effect at their end, in one step, or not at all."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class AtomicFit:
    """An estimator whose ``fit`` and ``partial_fit`` leave it as it was when they are interrupted or raise.

    A fit works on a draft, a shallow copy of the estimator, and puts the attributes of the draft in place by a single
    assignment when it returns. An interrupt or an error at any moment, a second Ctrl-C included, leaves the earlier fit
    whole, or the estimator unfitted if there was none. Threads that predict during a refit see the earlier fit.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("fit", "partial_fit"):
            if name in vars(cls):
                setattr(cls, name, _atomic(vars(cls)[name]))


def _atomic(method: Method) -> Method:
    @wraps(method)
    def fit(self, *args, **options):
        draft = object.__new__(type(self))  # not copy.copy, which asks for the state that pickles hold
        vars(draft).update(vars(self))
        result = method(draft, *args, **options)
        self.__dict__ = vars(draft)
        return self if result is draft else result

    return fit  # type: ignore[return-value]
