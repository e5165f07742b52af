"""Displays in scikit-learn's manner: what a learner learned and how, how far off it is, and how methods compare."""

from .comparison import ComparisonDisplay
from .embedding import EmbeddingDisplay
from .importances import ImportancesDisplay
from .intervals import IntervalsDisplay
from .metric import MetricDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .prediction import PredictionDisplay
from .trace import TraceDisplay

__all__ = [
    "ComparisonDisplay",
    "EmbeddingDisplay",
    "ImportancesDisplay",
    "IntervalsDisplay",
    "MetricDisplay",
    "NeighborsCurveDisplay",
    "PredictionDisplay",
    "TraceDisplay",
]
