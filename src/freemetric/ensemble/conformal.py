"""Prediction sets from out-of-bag probabilities."""

from numbers import Real

import numpy as np


def check_alpha(alpha):
    """ValueError unless alpha is between 0 and 1."""
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise ValueError(
            "alpha is the share of predictions that may miss, between 0 and 1; got "
            f"{alpha!r}."
        )


def prediction_sets(P, known, y, alpha, by_class):
    """Classes (n, n_classes) whose p-value is above alpha.

    Parameters
    ----------
    P : ndarray of shape (n, n_classes)
        Probabilities of new samples.
    known : ndarray of shape (n_known, n_classes)
        Out-of-bag probabilities of training samples.
    y : ndarray of shape (n_known,)
        Their classes.
    alpha : float
        Share of sets that may miss.
    by_class : bool
        Whether a class is compared with samples of its own alone.
    """
    own = known[np.arange(len(y)), y]
    sets = np.empty(P.shape, dtype=bool)
    for c in range(P.shape[1]):
        typical = np.sort(own[y == c] if by_class else own)
        n_lower = np.searchsorted(typical, P[:, c], side="right")
        sets[:, c] = (n_lower + 1) / (len(typical) + 1) > alpha
    return sets
