"""How far predictions are off, as a function of the pattern: as neighbours disagree, and as errors grow somewhere."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ...metrics import TRENDS, Trend
from ...metrics.trends import crossed_trend

EXPONENTS = (0.0, 1.5)  # of everything that the spread may follow
PRIOR = 2.0  # rows' worth that holds the exponents of noises near 0
LEAST = 1e-4  # of the mean squared error: the logarithm of a lucky hit says nothing


def noise_trends(
    errors: NDArray, X: NDArray, names: Iterable[str], weights: NDArray
) -> tuple[list[Trend], NDArray[np.float64]]:
    """Trends of the logarithm of squared errors (n,) of patterns X (n, d); of each row those of the others, (m, n)."""
    squares = errors**2
    logs = np.log(squares + LEAST * max(np.average(squares, weights=weights), np.finfo(float).tiny))
    both = [crossed_trend(TRENDS[name], X, logs, weights) for name in names]
    found = [some for some in both if some is not None and np.ptp(some[1]) > 0]
    return [trend for trend, _ in found], np.array([values for _, values in found]).reshape(-1, len(errors))


def spread_of(errors: NDArray, logs: NDArray, weights: NDArray) -> NDArray[np.float64]:
    """alpha and beta (m,) of log sigma = alpha + sum_t beta_t logs_t / 2, by maximum likelihood of normal errors.

    ``logs`` (m, n) begins with the logarithm of the variance among neighbours; noises follow.
    """
    squares, half = np.maximum(errors**2, 1e-12), logs / 2

    def level(beta):
        return np.log(np.average(squares * np.exp(-2 * beta @ half), weights=weights)) / 2

    def cost(beta):
        held = PRIOR * (beta[1:] ** 2).sum() / (2 * len(errors))
        return level(beta) + np.average(beta @ half, weights=weights) + held

    start = np.zeros(len(logs))
    start[0] = 0.5
    beta = minimize(cost, start, bounds=[EXPONENTS] * len(logs)).x
    return np.array([level(beta), *beta])
