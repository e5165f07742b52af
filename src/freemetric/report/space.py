"""The learned space before and after, on its main axes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.embedding import main_axes
from ..display.style import class_color, class_marker
from .encode import column, packed, rounded
from .findings import Findings

MOST_COLUMNS = 20  # of the user's table, shown of a row


def rows(findings: Findings) -> dict[str, Any] | None:
    """The rows shown: numbers, classes, and what the user's table says of them."""
    if findings.Z is None or findings.rows is None:
        return None
    chosen = np.arange(len(findings.columns))
    if len(chosen) > MOST_COLUMNS:
        chosen = heaviest(findings)[:MOST_COLUMNS] if findings.aligned else chosen[:MOST_COLUMNS]
    return {
        "index": packed(findings.rows, "i4"),
        "class": packed(np.zeros(len(findings.rows)) if findings.y is None else findings.y, "i4"),
        "columns": [column(*findings.columns[j]) for j in chosen],
        "n_columns": len(findings.columns),
    }


def heaviest(findings: Findings) -> NDArray[np.intp]:
    """Numbers of the names, the most important first; else those that distances weigh most, else in their order."""
    by = findings.weights if findings.importances is None else findings.importances
    return np.arange(len(findings.names)) if by is None else np.argsort(-by, kind="stable")


def classes(findings: Findings) -> list[dict[str, Any]]:
    """Names with colours and markers, as in displays."""
    names = findings.class_names or ["all rows"]
    return [{"name": name, "color": class_color(c), "marker": class_marker(c)} for c, name in enumerate(names)]


def spaces(findings: Findings) -> list[dict[str, Any]]:
    """Both spaces, (n, 3) at most, with the share of the variance on each axis."""
    pair = (("before learning", findings.before), (f"learned by {findings.learner}", findings.Z))
    return [_space(name, points) for name, points in pair if points is not None]


def _space(name, points):
    on_axes, share = main_axes(points, 3)
    return {"name": name, "points": [packed(axis) for axis in on_axes.T], "share": rounded(share, 3)}
