"""Ctrl-C ends a search early instead of throwing its result away."""

import warnings
from contextlib import contextmanager

from ..exceptions import InterruptedFitWarning


@contextmanager
def keeping_the_best(learner, search):
    """Turn a KeyboardInterrupt into a warning if ``search.best`` holds something, else let it pass."""
    try:
        yield
    except KeyboardInterrupt:
        if search.best is None:
            raise
        name = type(learner).__name__
        warnings.warn(
            f"{name}.fit was interrupted; the best state so far is kept.", InterruptedFitWarning, stacklevel=5
        )
