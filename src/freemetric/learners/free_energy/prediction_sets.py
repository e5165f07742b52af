"""Conformal prediction: which classes a pattern may have, from what training patterns got out of bag."""

import numpy as np
from numpy.typing import NDArray


def typical_shares(probabilities: NDArray, y: NDArray) -> NDArray[np.float64]:
    """Sorted out-of-bag probabilities of the true classes y (n,), of rows (n, C) that have any; ValueError for none."""
    judged = ~np.isnan(probabilities).any(axis=1)
    if not judged.any():
        raise ValueError("No pattern was out of bag, so there are no prediction sets; more replicas help.")
    return np.sort(probabilities[judged, y[judged]])


def p_values(probabilities: NDArray, typical: NDArray) -> NDArray[np.float64]:
    """For probabilities (m, C) the share of rows, the new one among them, whose own class was at most as probable.

    Where the new row is drawn as the n others were, it is at most alpha for its class with a chance of at most alpha:
    its rank among n + 1 is as likely to be any as another.
    """
    n = len(typical)
    return (1 + np.searchsorted(typical, probabilities, side="right")) / (n + 1)


def prediction_sets(probabilities: NDArray, typical: NDArray, alpha: float) -> NDArray[np.bool_]:
    """Classes (m, C) whose p-value is above alpha."""
    return p_values(probabilities, typical) > alpha


def check_alpha(alpha: float, missing: str = "sets without the true class") -> None:
    """ValueError unless it is a share of errors."""
    if not (isinstance(alpha, float | np.floating) and 0 < alpha < 1):
        raise ValueError(f"alpha is the share of {missing}, between 0 and 1; got {alpha!r}.")
