"""Points on two or three axes, coloured by a number."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ..extras import require
from .style import CLASS_COLORS

COLOUR_MAP = "viridis"  # can be read without seeing colours, and printed
RARE = 0.01  # of the numbers, at each end, share the colour of the end


def are_numbers(y: NDArray, learner: Any) -> bool:
    """Whether labels are numbers: a regressor's, those that are not whole, and those with more values than colours."""
    if y.dtype.kind not in "fiu":
        return False
    many = len(np.unique(y)) > len(CLASS_COLORS)
    return is_regressor(learner) or (y.dtype.kind == "f" and (many or bool((y != np.round(y)).any())))


def colour_scale(y: NDArray, log: bool) -> Any:
    """matplotlib's norm of the numbers, without the rarest ones; its ``ends`` says whether some lie beyond it."""
    colors = require("matplotlib.colors", "display")
    low, high = np.quantile(y, [RARE, 1 - RARE])
    log = log and low > 0
    norm = (colors.LogNorm if log else colors.Normalize)(low, high if high > low else low + 1)
    norm.ends = {(True, True): "both", (True, False): "min", (False, True): "max", (False, False): "neither"}[
        bool((y < low).any()), bool((y > norm.vmax).any())
    ]
    return norm


def scatter_numbers(axis: Any, points: NDArray, y: NDArray, norm: Any, options: Mapping[str, Any]) -> Any:
    """Points (N, 1 to 3) in the colours of their numbers; on a single axis, against the numbers."""
    if points.shape[1] == 3 and not hasattr(axis, "zaxis"):
        raise ValueError('Three dimensions need axes made with projection="3d".')
    if points.shape[1] == 1:
        points = np.column_stack([points, y])
    style = {"s": 26, "alpha": 0.85, "linewidth": 0.4, "edgecolor": axis.get_facecolor(), "cmap": COLOUR_MAP}
    return axis.scatter(*points.T, c=y, norm=norm, **{**style, **options})


def show_scale(axes: Sequence[Any], shown: Any) -> None:
    """What the colours of the points shown mean, beside the axes; numbers as one would write them."""
    ticker = require("matplotlib.ticker", "display")
    bar = axes[-1].figure.colorbar(shown, ax=axes, shrink=0.8, pad=0.02, extend=shown.norm.ends)
    plain = ticker.FuncFormatter(lambda value, _: f"{value:g}")
    bar.ax.yaxis.set_major_formatter(plain)
    if isinstance(shown.norm, require("matplotlib.colors", "display").LogNorm):
        bar.ax.yaxis.set_minor_locator(ticker.NullLocator())
        bar.ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
