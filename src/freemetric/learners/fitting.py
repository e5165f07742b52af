"""Fits that are atomic, keep the best state of an interrupted search, and call callbacks at every step."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import cleandoc
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ..exceptions import InterruptedFitWarning, callers_stacklevel
from ..files import Savable
from ..presenting import Presented
from ..sklearn_compat import CALLBACKS, callback_context

logger = logging.getLogger("freemetric")
KEEPS = ContextVar("KEEPS", default=False)
Method = TypeVar("Method", bound=Callable[..., Any])


class AtomicFit:
    """An estimator whose ``fit`` and ``partial_fit`` leave it as it was when they are interrupted or raise.

    A fit works on a shallow copy and puts its attributes in place by a single assignment when it returns. Threads that
    predict during a refit see the earlier fit. Docstrings with parameters get a section "Returns" where there is none.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("fit", "partial_fit"):
            if name in vars(cls):
                setattr(cls, name, _atomic(vars(cls)[name]))


RETURNS = """

Returns
-------
self : object
    The fitted estimator."""


def _atomic(method: Method) -> Method:
    @wraps(method)
    def fit(self, *args, **options):
        draft = object.__new__(type(self))  # not copy.copy, which takes the state of pickles
        vars(draft).update(vars(self))
        result = method(draft, *args, **options)
        self.__dict__ = vars(draft)
        return self if result is draft else result

    if fit.__doc__ and "Parameters\n" in fit.__doc__ and "Returns\n" not in fit.__doc__:
        fit.__doc__ = cleandoc(fit.__doc__) + RETURNS
    return fit  # type: ignore[return-value]


class KeptModel(AtomicFit, Savable, Presented):
    """An estimator that is fitted whole or not at all, saved in a file, and shown in reports and notebooks."""


class Lowest:
    """The item of the lowest value offered so far, copied; None before the first."""

    def __init__(self, value: float = np.inf, item: Any = None):
        self.value, self.item = value, item

    def offer(self, value: float, item: Any) -> bool:
        """Keep the item if it is better than all before; return whether it is."""
        if not value < self.value:
            return False
        self.value = float(value)
        self.item = tuple(part.copy() for part in item) if isinstance(item, tuple) else item.copy()
        return True


@contextmanager
def keep_interrupted_fits() -> Iterator[None]:
    """Let Ctrl-C end a fit early in a with-block, with the best map found so far and a warning.

    Without it, Ctrl-C raises ``KeyboardInterrupt`` and leaves the estimator as it was before the fit. It applies to
    DMLFE, DMLeig, ITML, LDML, LMNN, LSML, MCML, MLKR, MMC, NCA, NCMML, SCML and SDML in the thread of the block. An
    interrupt before the first step raises ``KeyboardInterrupt`` in any case.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import NCA, keep_interrupted_fits
    >>> X, y = load_iris(return_X_y=True)
    >>> with keep_interrupted_fits():
    ...     model = NCA().fit(X, y)  # Ctrl-C ends it here, and the model is fitted
    """
    before = KEEPS.set(True)
    try:
        yield
    finally:
        KEEPS.reset(before)


@contextmanager
def keeping_the_best(name: str, best: Lowest) -> Iterator[None]:
    """Turn a KeyboardInterrupt into a warning inside of ``keep_interrupted_fits`` if there is a result."""
    try:
        yield
    except KeyboardInterrupt:
        if best.item is None or not KEEPS.get():
            raise
        message = f"{name}.fit was interrupted; the best state so far is kept."
        warnings.warn(message, InterruptedFitWarning, stacklevel=callers_stacklevel())


class FitSteps:
    """Calls an estimator's callbacks at every step of its fit; ``n_steps`` is the maximum, None if unknown.

    Every replica's step counts. Threads may share it.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, n_steps: int | None = None, name: str = "Monte Carlo step"
    ) -> None:
        self.data, self.name = {"estimator": estimator, "X": X, "y": y}, name
        self.stopped, self.lock = False, Lock()  # stopped: ``made`` returns True from now on
        self.context = callback_context(estimator, n_steps)
        if self.context is not None:
            self.context.call_on_fit_task_begin(**self.data)

    def made(self, n: int = 1) -> bool:
        """Count n steps; return whether a callback wants to stop."""
        with self.lock:
            for _ in range(n if self.context is not None else 0):
                step = self.context.subcontext(task_name=self.name)
                step.call_on_fit_task_begin(**self.data)
                self.stopped |= bool(step.call_on_fit_task_end(**self.data))
            return self.stopped

    def show(self, method: str, *found: Any) -> None:
        """Pass intermediate results to the callbacks that have this method."""
        for callback in getattr(self.data["estimator"], CALLBACKS, ()):
            if hasattr(callback, method):
                getattr(callback, method)(*found)

    def close(self) -> None:
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.data)


def tell(verbose: bool, message: str, *args: Any) -> None:
    """Log progress. ``verbose`` makes it visible even where the application configured no logging."""
    if verbose and not logger.hasHandlers():
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)
    logger.log(logging.INFO if verbose else logging.DEBUG, message, *args)
