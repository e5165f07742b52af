"""The displays as plotly figures, which are plain dictionaries of data and layout."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from .classification import ReliabilityDisplay
from .embedding import EmbeddingDisplay
from .features import ImportancesDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .predictions import Predictions
from .regression import PredictionDisplay
from .style import COLORS, class_style
from .trace import QUANTITIES, TraceDisplay

SYMBOLS = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "x",
    "star",
)
LONGEST_TEXT = 60
MOST_POINTS = 2000
MOST_LINES = 40
SQUARE = {"showlegend": False, "width": 560, "height": 520}
GREY = {"color": COLORS[6], "dash": "dash", "width": 1}


def safe(text: Any) -> str:
    """Return a text that plotly shows as it is, and never reads as markup."""
    words = str(text)
    if len(words) > LONGEST_TEXT:
        words = words[: LONGEST_TEXT - 1] + "…"
    return escape(words)


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """Return at most so many numbers below n, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def figure(
    data: list[dict], x: dict, y: dict, title: str = "", **layout: Any
) -> dict[str, Any]:
    """Return a figure with the look that all share."""
    look = {
        "title": {"text": title, "font": {"size": 14}},
        "template": "none",
        "height": 420,
        "margin": {"l": 60, "r": 20, "t": 40, "b": 50},
        "hovermode": "closest",
        "xaxis": {"automargin": True, "zeroline": False, **x},
        "yaxis": {"automargin": True, "zeroline": False, **y},
    }
    return {"data": data, "layout": {**look, **layout}}


def named_axis(text: str, **options: Any) -> dict[str, Any]:
    """Return the layout of an axis with a title."""
    return {"title": {"text": text}, **options}


def points(x: ArrayLike, y: ArrayLike, marker: dict, **options: Any) -> dict[str, Any]:
    """Return a scatter of points."""
    size = {"size": 7, "opacity": 0.8}
    both = {"x": x, "y": y, "marker": {**size, **marker}}
    return {"type": "scatter", "mode": "markers", **both, **options}


def embedding_figure(display: EmbeddingDisplay) -> dict[str, Any]:
    """Return the samples in the learned space."""
    plane = display.plane()
    data = []
    for c, (label, rows) in enumerate(display.groups().items()):
        own = rows[evenly(len(rows), MOST_POINTS)]
        color, symbol = class_style(c)
        marker: dict = {"color": color, "symbol": SYMBOLS[symbol]}
        words = [f"row {row}" for row in own]
        if display.y is not None:
            words = [f"row {row}: {safe(display.y[row])}" for row in own]
        if display.is_regression:
            marker = {"color": display.y[own], "colorscale": "Viridis"}
            marker["showscale"] = True
        shown: dict = {"text": words, "hoverinfo": "text", "name": safe(label)}
        x, y = plane[own].T
        data.append(points(x, y, marker, **shown))
    right, up = (
        named_axis(text, showticklabels=False) for text in display.axis_labels()
    )
    layout = {"showlegend": len(data) > 1, "height": 520}
    return figure(data, right, up, safe(display.title()), **layout)


def importances_figure(display: ImportancesDisplay) -> dict[str, Any]:
    """Return bars of the importances, the largest on top."""
    order = display.largest()[::-1]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": display.importances[order],
        "y": np.arange(len(order)),
        "marker": {"color": COLORS[0]},
        "hoverinfo": "x",
    }
    if display.errors is not None:
        bars["error_x"] = {"type": "data", "array": display.errors[order]}
    names = [safe(display.names[i]) for i in order]
    ticks = {"tickvals": np.arange(len(order)), "ticktext": names}
    height = 120 + 22 * len(order)
    return figure([bars], named_axis(display.label), ticks, height=height)


def neighbors_figure(display: NeighborsCurveDisplay) -> dict[str, Any]:
    """Return the loss against the number of neighbours."""
    largest = max(curve.weight.max() for curve in display.curves) or 1
    data = []
    for i, curve in enumerate(display.curves):
        size = 3 + 15 * np.sqrt(curve.weight / largest)
        line = {
            "type": "scatter",
            "mode": "lines+markers",
            "x": curve.n_neighbors,
            "y": curve.loss,
            "name": safe(display.words(curve)),
            "line": {"color": COLORS[i % len(COLORS)]},
            "marker": {"size": size},
        }
        data.append(line)
    x = named_axis("number of neighbours", type="log", tickvals=display.ticks())
    return figure(data, x, named_axis(display.label))


def confusion_figure(found: Predictions) -> dict[str, Any]:
    """Return the confusion matrix: shares of the true classes, with the counts."""
    labels = np.union1d(found.classes, found.truth)
    counts = confusion_matrix(found.truth, found.predicted, labels=labels)
    n = len(labels)
    shades = {
        "type": "heatmap",
        "z": counts / np.maximum(counts.sum(axis=1, keepdims=True), 1),
        "text": counts,
        "texttemplate": "%{text}",
        "colorscale": [[0, "#fff"], [1, COLORS[0]]],
        "showscale": False,
        "hoverinfo": "z",
    }
    ticks = {"tickvals": np.arange(n), "ticktext": [safe(label) for label in labels]}
    x = named_axis("predicted class", **ticks)
    y = named_axis("true class", **ticks, autorange="reversed")
    wrong = np.mean(found.truth != found.predicted)
    title = f"{wrong:.1%} of {len(found.truth):,} samples wrong"
    side = min(900, 300 + 40 * n)
    return figure([shades], x, y, title, height=side, width=side + 80)


def reliability_figure(display: ReliabilityDisplay) -> dict[str, Any]:
    """Return the share of correct predictions against their probability."""
    line = diagonal(0.0, 1.0)
    words = [f"{n:,} samples" for n in display.count]
    curve = points(display.probability, display.accuracy, {"color": COLORS[0]})
    curve |= {"mode": "lines+markers", "text": words}
    x = named_axis("probability of the predicted class")
    y = named_axis("share correct")
    return figure([line, curve], x, y, display.title(), **SQUARE)


def prediction_figure(display: PredictionDisplay) -> dict[str, Any]:
    """Return predicted against true targets, with their intervals."""
    shown = evenly(len(display.y_true), MOST_POINTS)
    truth, predicted = display.y_true[shown], display.y_pred[shown]
    cloud = points(truth, predicted, {"color": display.colors()[shown]})
    if display.intervals is not None:
        low, high = display.intervals[shown].T
        bars = {"type": "data", "symmetric": False, "thickness": 0.5, "width": 0}
        bars |= {"array": high - predicted, "arrayminus": predicted - low}
        cloud["error_y"] = {**bars, "color": COLORS[6]}
    line = diagonal(truth.min(), truth.max())
    x, y = named_axis("true"), named_axis("predicted")
    return figure([line, cloud], x, y, display.title(), **SQUARE)


def diagonal(low: float, high: float) -> dict[str, Any]:
    """Return the line on which both coordinates are equal."""
    ends = [low, high]
    line = {"type": "scatter", "mode": "lines", "line": GREY, "hoverinfo": "skip"}
    return {**line, "x": ends, "y": ends}


def trace_figure(display: TraceDisplay) -> dict[str, Any]:
    """Return the Monte Carlo run, its three quantities below each other."""
    data = []
    for i, name in enumerate(QUANTITIES):
        values = np.asarray(display.trace[name])
        line = {"type": "scatter", "mode": "lines", "opacity": 0.6, "hoverinfo": "y"}
        line |= {"line": {"color": COLORS[i], "width": 1}, "yaxis": f"y{i + 1}"}
        line["x"] = np.arange(1, len(values) + 1)
        columns = values.T[evenly(values.shape[1], MOST_LINES)]
        data += [{**line, "y": column} for column in columns]
    energy, temperature, acceptance = map(named_axis, QUANTITIES)
    temperature["rangemode"] = "tozero"
    if display.is_far_apart():
        temperature["type"] = "log"
    layout = {
        "yaxis2": temperature,
        "yaxis3": acceptance,
        "grid": {"rows": 3, "columns": 1, "pattern": "coupled"},
        "showlegend": False,
        "height": 560,
    }
    steps = named_axis("Monte Carlo step")
    return figure(data, steps, energy, safe(display.title()), **layout)
