"""Chances and intervals of numbers, from what training patterns were off by out of bag."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_chances(q: ArrayLike) -> NDArray[np.float64]:
    """Chances (n,); ValueError unless all are between 0 and 1."""
    chances = np.atleast_1d(np.asarray(q, dtype=np.float64))
    if chances.ndim != 1 or not ((chances > 0) & (chances < 1)).all():
        raise ValueError(f"q is a chance between 0 and 1, or several; got {q!r}.")
    return chances


def interval_chances(n_errors: int, alpha: float) -> NDArray[np.float64]:
    """Chances (2,) of the ends of intervals that miss a share alpha.

    A new error is as likely to fall before, between or after n known ones as anywhere else: the ends are the
    floor((n + 1) alpha / 2)-th of them from both sides, or the outermost where n is too small.
    """
    place = max(0.0, np.floor((n_errors + 1) * alpha / 2) - 1)
    low = place / max(1, n_errors - 1)
    return np.array([low, 1 - low])
