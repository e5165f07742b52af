"""Displays on matplotlib, and a page about a fitted model made of plotly figures."""

from .classification import ConfusionDisplay, ReliabilityDisplay
from .comparison import ComparisonDisplay, critical_difference
from .embedding import EmbeddingDisplay
from .features import ImportancesDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .regression import PredictionDisplay
from .report import report
from .trace import LadderDisplay, ThermodynamicsDisplay, TraceDisplay

__all__ = [
    "ComparisonDisplay",
    "ConfusionDisplay",
    "EmbeddingDisplay",
    "ImportancesDisplay",
    "LadderDisplay",
    "NeighborsCurveDisplay",
    "PredictionDisplay",
    "ReliabilityDisplay",
    "ThermodynamicsDisplay",
    "TraceDisplay",
    "critical_difference",
    "report",
]
