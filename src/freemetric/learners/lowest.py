"""The best of what a search has met, which is kept when the search is interrupted and somebody has asked for that."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..exceptions import InterruptedFitWarning, callers_stacklevel

KEEPS = ContextVar("KEEPS", default=False)


class Lowest:
    """The item of the lowest value offered so far, copied; None before the first."""

    def __init__(self, value: float = np.inf, item: Any = None):
        self.value, self.item = value, item

    def offer(self, value: float, item: Any) -> bool:
        """Whether the item is better than all before; it is kept then."""
        if not value < self.value:
            return False
        self.value = float(value)
        self.item = tuple(part.copy() for part in item) if isinstance(item, tuple) else item.copy()
        return True


@contextmanager
def keep_interrupted_fits() -> Iterator[None]:
    """Let Ctrl-C end a fit early in a with-block, with the best map found so far and a warning.

    Without it, Ctrl-C raises ``KeyboardInterrupt`` and leaves the estimator as it was before the fit. It applies to the
    learners that search one metric step by step in the thread of the block: DMLFE, DMLeig, ITML, LDML, LMNN, LSML,
    MCML, MLKR, MMC, NCA, NCMML, SCML and SDML. An interrupt before the first step raises ``KeyboardInterrupt`` in any
    case. What calls several fits, such as a cross-validation, goes on with the next one: interrupt it outside of the
    block.

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
    """Turn a KeyboardInterrupt into a warning if ``keep_interrupted_fits`` wants that and anything was found so far."""
    try:
        yield
    except KeyboardInterrupt:
        if best.item is None or not KEEPS.get():
            raise
        said = f"{name}.fit was interrupted; the best state so far is kept."
        warnings.warn(said, InterruptedFitWarning, stacklevel=callers_stacklevel())
