"""Colours, markers, axes and legends of all displays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..learners.parameters import documented

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# After Okabe and Ito, without black and yellow, which vanish on dark and on white: all keep a contrast of two to both,
# and simulated colour blindness leaves every pair apart.
COLORS = ("#1A7FC1", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#6B6B6B", "#8A5A00")
# Classes beyond these eight: each colour as far from all before it as can be in OKLab, seen with and without colour
# blindness, with the same contrast, and farthest from those that share its marker.
CLASS_COLORS = (
    *COLORS,
    *("#E718FF", "#7900C2", "#1818FF", "#922461", "#55CE61", "#3D499E", "#FF86FF", "#DB189E", "#AAB69E"),
    *("#00613D", "#926DE7", "#AA24E7", "#CE0C49", "#9E9249", "#FF556D", "#F39EC2", "#9E2400", "#9E5592"),
)
MANY_CLASSES = 8  # from which on a legend alone does not tell them apart, and names stand where they are
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
AREAS = (1.0, 0.9, 1.2, 0.8, 1.2, 1.3, 1.3, 1.8)  # of the markers, so that all look equally large


def class_style(c: int) -> dict[str, Any]:
    """Colour, marker and its size for class number c; eight classes differ in both, 26 in colour, 208 in the pair."""
    shape = class_marker(c)
    return {"color": class_color(c), "marker": MARKERS[shape], "s": 26 * AREAS[shape]}


def class_color(c: int) -> str:
    """Colour of class number c."""
    return CLASS_COLORS[c % len(CLASS_COLORS)]


def class_marker(c: int) -> int:
    """The number of the marker of class number c."""
    return (c + c // len(CLASS_COLORS)) % len(MARKERS)


DESCRIPTIONS = {
    "drawn": """ax_, figure_ : Axes, Figure
        The axes and the figure.""",
    "ax": """ax : Axes or None, default=None
        Where to draw; None makes a figure.""",
    "plot": """**kwargs : dict
        For ``Axes.plot``.""",
    "scatter": """**kwargs : dict
        For ``Axes.scatter``.""",
}
"""Descriptions that docstrings of displays share: their lines of names in braces."""


@dataclass_transform(eq_default=False)
class Display:
    """Base class of the displays, which are dataclasses and keep their axes in ``ax_`` and ``figure_``."""

    def __init_subclass__(cls):
        dataclass(eq=False, repr=False)(cls)
        makers = [made.__func__ for made in vars(cls).values() if isinstance(made, classmethod)]
        parts: list[Any] = [cls, *makers]
        for part in parts:
            documented(DESCRIPTIONS)(part)

    def _keep(self, axes: NDArray[np.object_]) -> Self:
        self.ax_ = axes[0] if len(axes) == 1 else axes
        self.figure_ = axes[0].figure
        return self


def panels(ax: Any, shape: tuple[int, int] = (1, 1), framed: bool = False, **options: Any) -> NDArray[np.object_]:
    """A flat array of the axes given or, for None, of a new figure of that shape; options are for ``plt.subplots``."""
    if ax is None:
        plt = require("matplotlib.pyplot", "display")
        axes = plt.subplots(*shape, squeeze=False, layout="constrained", **options)[1].ravel()
    else:
        axes, n = np.asarray(ax, dtype=object).ravel(), shape[0] * shape[1]
        if len(axes) != n:
            raise ValueError(f"This drawing needs {n} axes, got {len(axes)}.")
    for axis in () if framed else axes:
        axis.spines[["top", "right"]].set_visible(False)
    return axes


def ink() -> str:
    """The colour of texts."""
    return require("matplotlib", "display").rcParams["text.color"]


def legend_beside(ax: "Axes", n_entries: int) -> None:
    """A legend to the right of the axes, in as many columns as keep it no higher than they are."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False, ncols=-(-n_entries // 16))


def legend_above(ax: "Axes") -> None:
    """A legend in one line above the axes."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.3, frameon=False, ncols=4)
