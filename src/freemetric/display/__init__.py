"""Displays in scikit-learn's manner: of metrics, fits, predictions and comparisons of methods."""

from .comparison import ComparisonDisplay
from .embedding import EmbeddingDisplay
from .features import ImportancesDisplay, MetricDisplay, SelectionDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .prediction import IntervalsDisplay, PredictionDisplay
from .trace import ThermodynamicsDisplay, TraceDisplay

__all__ = [
    "ComparisonDisplay",
    "EmbeddingDisplay",
    "ImportancesDisplay",
    "IntervalsDisplay",
    "MetricDisplay",
    "NeighborsCurveDisplay",
    "PredictionDisplay",
    "SelectionDisplay",
    "ThermodynamicsDisplay",
    "TraceDisplay",
]
