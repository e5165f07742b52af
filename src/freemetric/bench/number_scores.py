"""What predicted numbers, quantiles and intervals are worth, against numbers or against the law they come from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from ..datasets.laws import Sample

INTERVALS = (0.8, 0.9, 0.95)
"""Shares of numbers that intervals should hold; records keep coverages and widths in this order."""

LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
"""Quantiles whose pinball losses are averaged; the ends of the intervals are among them."""


def number_scores(y: NDArray, predicted: NDArray, quantiles: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Scores of predictions for N patterns.

    Parameters
    ----------
    y, predicted : ndarray of shape (N,)
        Numbers, and what was expected.
    quantiles : ndarray of shape (N, n_levels)
        Those of ``LEVELS``.
    intervals : ndarray of shape (n_intervals, N, 2)
        Ends of those of ``INTERVALS``.

    Returns
    -------
    dict
        "r2", "mae", "rmse", "pinball" (mean over ``LEVELS``), "coverage" and "width" of all intervals, and "spread",
        the standard deviation of y; all but the first and the coverages in units of y.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.arange(10.0)
    >>> scores = number_scores(y, y + 1, np.repeat(y[:, None], 9, axis=1), np.array([np.c_[y - 1, y + 1]] * 3))
    >>> scores["mae"], scores["pinball"], scores["coverage"], scores["width"]
    (1.0, 0.0, [1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    """
    misses = y - predicted
    rmse, spread = float(np.sqrt(np.mean(misses**2))), float(y.std())
    low, high = intervals[..., 0], intervals[..., 1]
    return {
        "r2": 1 - (rmse / spread) ** 2 if spread else 0.0,
        "mae": float(abs(misses).mean()),
        "rmse": rmse,
        "pinball": float(pinball_losses(y, quantiles).mean()),
        "spread": spread,
        "coverage": ((low <= y) & (y <= high)).mean(axis=1).tolist(),
        "width": (high - low).mean(axis=1).tolist(),
    }


def pinball_losses(y: NDArray, quantiles: NDArray) -> NDArray[np.float64]:
    """Mean loss of every quantile of ``LEVELS``: q (y - Q) where y is above Q, (1 - q) (Q - y) below."""
    above = y[:, None] - quantiles
    q = np.array(LEVELS)
    return np.maximum(q * above, (q - 1) * above).mean(axis=0)


def law_scores(sample: Sample, predicted: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Scores against the law of the patterns, in which no number is drawn.

    Parameters
    ----------
    sample : Sample
        Test patterns with means f and noise s.
    predicted : ndarray of shape (N,)
        What was expected.
    intervals : ndarray of shape (n_intervals, N, 2)
        Ends of those of ``INTERVALS``.

    Returns
    -------
    dict
        "excess", the mean of (predicted - f)^2; "noise", that of s^2, which nobody can do without; "coverage", the
        chance of a number to lie inside; "coverage_quiet" and "coverage_loud", that of the quarters of the patterns
        with least and most noise, where it varies.
    """
    f, s = sample.mean, sample.noise
    chances = norm.cdf((intervals[..., 1] - f) / s) - norm.cdf((intervals[..., 0] - f) / s)
    scores = {
        "excess": float(np.mean((predicted - f) ** 2)),
        "noise": float(np.mean(s**2)),
        "coverage": chances.mean(axis=1).tolist(),
    }
    if np.ptp(s) == 0:
        return scores
    order, quarter = np.argsort(s, kind="stable"), len(s) // 4
    quiet, loud = chances[:, order[:quarter]], chances[:, order[-quarter:]]
    return {**scores, "coverage_quiet": quiet.mean(axis=1).tolist(), "coverage_loud": loud.mean(axis=1).tolist()}
