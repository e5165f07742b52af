"""What rows with numbers tell before a search begins: the target on its scale, its square, and trends of the others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...magnitudes import reduced
from ...metrics import TRENDS, Scale, Trend
from ...metrics.trends import crossed_trend
from ..training_rows import TrainingRows

MANY_ERRORS = 64  # that stand for all
MOST_NEGATIVE = 0.01  # share of a target that grows and is below zero by noise alone


def trend_of(kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[Trend, NDArray] | None:
    """The trend of these rows on a scale, and what those of others say of each row; None where it costs too much."""
    return crossed_trend(kind, rows.X, scale(rows.y), rows.weights)


def numbers_told(
    rows: TrainingRows, names: Sequence[str], scale: str, find: Callable[..., Any] = trend_of
) -> tuple[NDArray, list[Any], Scale]:
    """Numbers (2 + n_trends, N) of the rows, the trends as ``find`` gives them, and the scale they are on."""
    best, *others = [_on_scale(rows, names, name, find) for name in _scales(rows.y, scale)]
    for other in others:
        gains = best[0] - other[0]
        if gains.mean() > gains.std() / np.sqrt(len(gains)):
            best = other
    return best[1:]


def _scales(y, scale):
    """What to try: a logarithm of positive numbers that differ by more than a factor; asinh where few are not positive.

    One zero among many prices must not decide that they are averaged like temperatures.
    """
    if scale == "log" and not (y > 0).all():
        raise ValueError(f"scale='log' is for positive numbers; the smallest of y is {y.min():g}.")
    if scale != "auto":
        return [scale]
    if (y > 0).all():
        return ["linear", "log"] if y.max() / 2 > y.min() else ["linear"]
    return ["linear", "asinh"] if (y < 0).mean() <= MOST_NEGATIVE and (y > 0).any() else ["linear"]


def _on_scale(rows, names, scale_name, find):
    """Squared errors (N,) of the best trend for rows left out, in units that all scales share; and numbers_told."""
    scale = Scale.of(scale_name, rows.y, rows.weights)
    z = scale(rows.y)
    found = [both for name in names if (both := find(TRENDS[name], rows, scale)) is not None]
    trends, left_out = [trend for trend, _ in found], [values for _, values in found]
    errors = [_squared_errors(scale, values, rows) for values in left_out] or [np.zeros(len(z))]
    return min(errors, key=np.mean), np.array([z, z**2, *left_out]), trends, scale


def _squared_errors(scale, values, rows):
    """Of predictions by the mean over all errors, which a logarithm makes larger than the middle one."""
    errors = np.quantile(scale(rows.y) - values, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS)
    y = reduced(rows.y, scale.exponent)
    low, high = y.min(), y.max()
    mean = sum(np.clip(scale.reduced_back(values + error), low, high) for error in errors) / MANY_ERRORS  # saves memory
    squares = (y - mean) ** 2
    return squares if rows.weights is None else squares * rows.weights
