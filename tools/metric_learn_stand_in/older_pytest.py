"""A plugin that gives back what pytest 8 took away: ``pytest.warns(None)`` records
whatever is warned of.
"""

import warnings
from contextlib import contextmanager

import pytest

WARNS = pytest.warns


def warns(expected_warning=Warning, *args, **kwargs):
    """``pytest.warns``, and its form of old for None."""
    return (
        _recorded()
        if expected_warning is None
        else WARNS(expected_warning, *args, **kwargs)
    )


@contextmanager
def _recorded():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield seen


pytest.warns = warns
