"""Colours, markers and axes that all displays share."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..exceptions import require

# After Okabe and Ito, without black and yellow, which vanish on dark and on white.
COLORS = (
    "#1A7FC1",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#6B6B6B",
    "#8A5A00",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
COLOR_MAP = "viridis"
MOST_BARS = 20


class Display:
    """Base of the displays, which keep their axes and figure once they are drawn."""

    ax_: Any
    figure_: Any

    def _drawn(self, axes: Any) -> Self:
        self.ax_ = axes
        self.figure_ = np.ravel(axes)[0].figure
        return self


def class_style(number: int) -> tuple[str, int]:
    """Return the colour of a class and the number of its marker.

    Eight classes differ in both, 64 in the pair.
    """
    n = len(COLORS)
    return COLORS[number % n], (number + number // n) % n


def axes_for(ax: Any, n_rows: int = 1, **options: Any) -> NDArray[np.object_]:
    """Return a flat array of axes: those of the user, or of a new figure for None."""
    if ax is None:
        plt = require("matplotlib.pyplot", "plot")
        _, axes = plt.subplots(n_rows, squeeze=False, layout="constrained", **options)
        return axes.ravel()
    axes = np.asarray(ax, dtype=object).ravel()
    if len(axes) != n_rows:
        raise ValueError(f"This display needs {n_rows} axes, got {len(axes)}.")
    return axes


def legend_beside(axis: Any, title: str | None = None) -> None:
    """Put a legend to the right of the axes."""
    axis.legend(
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        borderaxespad=0,
        frameon=False,
        title=title,
        fontsize="small",
    )
