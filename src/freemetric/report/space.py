"""The learned space before and after, on its main axes."""

import numpy as np

from ..display.embedding import main_axes
from ..display.style import COLORS
from .encode import column, packed, rounded

MOST_COLUMNS = 20  # of the user's table, told for a row


def rows(found):
    """The rows shown: numbers, classes, and what the user's table says of them."""
    if found.Z is None:
        return None
    chosen = np.arange(len(found.columns))
    if len(chosen) > MOST_COLUMNS:
        heavy = np.argsort(-found.weights, kind="stable") if found.aligned and found.weights is not None else chosen
        chosen = heavy[:MOST_COLUMNS]
    return {
        "index": packed(found.rows, "i4"),
        "class": packed(np.zeros(len(found.rows)) if found.y is None else found.y, "i4"),
        "columns": [column(*found.columns[j]) for j in chosen],
        "n_columns": len(found.columns),
    }


def classes(found):
    """Names with colours; eight colours and eight markers make 64 pairs."""
    names = found.class_names or ["all rows"]
    n = len(COLORS)
    return [{"name": name, "color": COLORS[c % n], "marker": (c + c // n) % n} for c, name in enumerate(names)]


def spaces(found):
    """Both spaces, (n, 3) at most, with the share of the variance on each axis."""
    pair = (("before learning", found.before), (f"learned by {found.learner}", found.Z))
    return [_space(name, points) for name, points in pair if points is not None]


def _space(name, points):
    on_axes, share = main_axes(points, 3)
    return {"name": name, "points": [packed(axis) for axis in on_axes.T], "share": rounded(share, 3)}
