"""Scatter plots of classes and of numeric targets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ..extras import require
from ..printable import counted
from .style import CLASS_COLORS, MANY_CLASSES, class_color, class_style

LONGEST_NAME = 12  # of a class, among the points


def scatter_classes(
    axis: Any, points: NDArray, y: NDArray | None, class_names: Sequence[str] | None, options: Mapping[str, Any]
) -> None:
    """Points (N, 1 to 3), each class in its colour and marker."""
    classes, y = (np.array(["all"]), np.zeros(len(points), int)) if y is None else np.unique(y, return_inverse=True)
    names = classes if class_names is None else class_names
    if len(names) != len(classes):
        raise ValueError(f"class_names must name {counted(len(classes), 'class', 'classes')}, got {len(names)}.")
    if points.shape[1] == 3 and not hasattr(axis, "zaxis"):
        raise ValueError('Three dimensions need axes made with projection="3d".')
    if points.shape[1] == 1:
        # a line alone would hide its points: one row per class, spread a little
        points = np.column_stack([points, y + 0.6 * (np.arange(len(y)) * 0.618 % 1 - 0.5)])
    for c, name in enumerate(names):
        style = {"alpha": 0.85, "edgecolor": axis.get_facecolor(), "linewidth": 0.4, "label": str(name)}
        axis.scatter(*points[y == c].T, **{**style, **class_style(c), **options})
    if len(names) > MANY_CLASSES and points.shape[1] == 2:
        _name_places(axis, points, y, names)


def _name_places(axis, points, y, names):
    """Names of many classes where their members are, readable on whatever is below."""
    effects = require("matplotlib.patheffects", "display")
    halo = [effects.withStroke(linewidth=2.5, foreground=axis.get_facecolor())]
    for c, name in enumerate(names):
        if (y == c).any():
            style = {"color": class_color(c), "path_effects": halo, "fontsize": "small", "fontweight": "bold"}
            short = str(name) if len(str(name)) <= LONGEST_NAME else f"{str(name)[: LONGEST_NAME - 1]}…"
            axis.text(*np.median(points[y == c], axis=0), short, ha="center", va="center", parse_math=False, **style)


def label_axes(axis: Any, share: NDArray, title: str, other: str = "class") -> None:
    """Say the share of the variance on every axis; ticks would count units that a learned space does not have.

    ``other`` is what stands beside a single axis.
    """
    axis.set(title=title, xticks=[], yticks=[])
    if hasattr(axis, "zaxis"):
        labels = [f"axis {i + 1} ({100 * part:.0f} %)" for i, part in enumerate(share)]
        axis.set(title=f"{title}\n{100 * share.sum():.0f} % of variance", zticks=[])
        axis.set(**dict(zip(("xlabel", "ylabel", "zlabel"), labels, strict=False)))
        axis.set_aspect("equal")
        axis.set_box_aspect(None, zoom=0.85)  # room for the labels, which no layout knows of
        return
    labels = [f"main axis {i + 1} ({100 * part:.0f} % of variance)" for i, part in enumerate(share)]
    axis.set(xlabel=labels[0], ylabel=labels[1] if len(labels) > 1 else other)
    if len(labels) > 1:
        axis.set_aspect("equal", adjustable="datalim")


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
