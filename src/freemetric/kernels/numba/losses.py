"""What soft means of numbers cost, and how the cost changes with them.

``y`` (m, N) are the targets of mean zero and variance one, ``means`` (n, N) what every sample's neighbours say: the
means of y and, where the loss looks at their spread, the means of y^2 below. ``w`` (N,) are weights of mean one and
``scale`` (m,) what a constant prediction costs. Every output costs the same. dE/dmeans is written to ``slopes``.
"""

import numpy as np
from numpy.typing import NDArray

from ..reference import LEAST_VARIANCE
from .compiling import njit

SQUARED, LOG_LIKELIHOOD, ABSOLUTE, PINBALL = range(4)
KINDS = {"squared": SQUARED, "log_likelihood": LOG_LIKELIHOOD, "absolute": ABSOLUTE, "pinball": PINBALL}
SPREADING = ("log_likelihood", "pinball")  # they need the means of y^2


def columns(loss: str, y: NDArray) -> NDArray:
    """Columns whose means are taken: one, y (..., m, N) and perhaps y^2, as (..., N, n)."""
    parts = [np.ones_like(y[..., :1, :]), y, y**2] if loss in SPREADING else [np.ones_like(y[..., :1, :]), y]
    return np.concatenate(parts, axis=-2).swapaxes(-1, -2)


@njit(nogil=True, cache=True)
def squared_or_absolute(is_squared, means, y, w, scale, slopes):
    m, N = y.shape
    E = 0.0
    for o in range(m):
        for i in range(N):
            residual = y[o, i] - means[o, i]
            if is_squared:
                share = w[i] / (N * m)
                E += share * residual * residual
                slopes[o, i] = -2 * share * residual
            else:
                share = w[i] / (N * m * scale[o])
                E += share * abs(residual)
                slopes[o, i] = -share * np.sign(residual)
    return E


@njit(nogil=True, cache=True)
def variance(mean, square):
    """Variance of the neighbours' targets, and whether it depends on them: rounding may make it negative."""
    spread = square - mean * mean
    return LEAST_VARIANCE + max(spread, 0.0), spread > 0


@njit(nogil=True, cache=True)
def log_likelihood(means, y, w, slopes):
    m, N = y.shape
    E = 0.0
    for o in range(m):
        for i in range(N):
            mean, share = means[o, i], w[i] / (N * m)
            v, varies = variance(mean, means[m + o, i])
            residual = y[o, i] - mean
            E += share * (np.log(v / LEAST_VARIANCE) + residual * residual / v) / 2
            per_v = share * (1 - residual * residual / v) / (2 * v) if varies else 0.0
            slopes[m + o, i] = per_v
            slopes[o, i] = -share * residual / v - 2 * mean * per_v
    return E


@njit(nogil=True, cache=True)
def quantile_place(values, weights, quantile):
    """Where the smallest value is up to which there is this share of the weight."""
    order = np.argsort(values)
    wanted, sofar = quantile * weights.sum(), 0.0
    for i in order:
        sofar += weights[i]
        if sofar >= wanted:
            return i
    return order[-1]


@njit(nogil=True, cache=True)
def write_levels(X, quantiles, levels, out):
    """Write to out (n, d) the levels at which X (n, d) lies among quantiles (m, d) of rising levels (m,).

    Between two quantiles levels are interpolated; where several are equal, the mean of the first and the last level
    counts, but at the ends the outermost.
    """
    m, d = quantiles.shape
    for i in range(X.shape[0]):
        for f in range(d):
            x, upto, low, high = X[i, f], 0, 0, m  # upto: how many quantiles are at most x
            while low < high:
                upto = (low + high) // 2
                if quantiles[upto, f] <= x:
                    low = upto + 1
                else:
                    high = upto
            upto = below = low
            while below > 0 and quantiles[below - 1, f] == x:
                below -= 1
            if upto == 0 or below == 0:
                out[i, f] = levels[0]
            elif upto == m:
                out[i, f] = levels[m - 1]
            elif below == upto:
                left, apart = quantiles[upto - 1, f], quantiles[upto, f] - quantiles[upto - 1, f]
                slope = (levels[upto] - levels[upto - 1]) / apart
                rising = slope * (x - left) + levels[upto - 1]
                out[i, f] = 0.5 * (rising + (levels[upto] - slope * (quantiles[upto, f] - x)))
            else:
                out[i, f] = 0.5 * (levels[upto - 1] + levels[below])
            if np.isnan(x):
                out[i, f] = x


@njit(nogil=True, cache=True)
def best_line(residual, deviation, w, quantile, pulls):
    """c of the lowest pinball loss of residual - c * deviation, and its slopes (N,).

    One sample lies on the line and stays there: its slope is what makes dE/dc zero.
    """
    on = quantile_place(residual / deviation, w * deviation, quantile)
    c, balance = residual[on] / deviation[on], 0.0
    for i in range(w.shape[0]):
        pulls[i] = quantile if residual[i] > c * deviation[i] else quantile - 1
        balance += w[i] * deviation[i] * pulls[i]
    pulls[on] -= balance / (w[on] * deviation[on])
    return c


@njit(nogil=True, cache=True)
def pinball(means, y, w, scale, quantile, slopes):
    """The quantile at i is mean_i + c * deviation_i with the best c for all, which is a constant to the slopes."""
    m, N = y.shape
    deviation, varies, pulls = np.empty(N), np.empty(N, np.bool_), np.empty(N)
    E = 0.0
    for o in range(m):
        for i in range(N):
            v, varies[i] = variance(means[o, i], means[m + o, i])
            deviation[i] = np.sqrt(v)
        residual = y[o] - means[o]
        c = best_line(residual, deviation, w, quantile, pulls)
        for i in range(N):
            pull = w[i] / (N * m * scale[o]) * pulls[i]
            per_v = -pull * c / (2 * deviation[i]) if varies[i] else 0.0
            E += pull * (residual[i] - c * deviation[i])
            slopes[m + o, i] = per_v
            slopes[o, i] = -pull - 2 * means[o, i] * per_v
    return E


@njit(nogil=True, cache=True)
def cost(kind, quantile, means, y, w, scale, slopes):
    """E of soft means by the loss of this kind."""
    if kind == LOG_LIKELIHOOD:
        return log_likelihood(means, y, w, slopes)
    if kind == PINBALL:
        return pinball(means, y, w, scale, quantile, slopes)
    return squared_or_absolute(kind == SQUARED, means, y, w, scale, slopes)
