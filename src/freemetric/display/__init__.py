"""Displays in scikit-learn's manner: what a learner learned, how it got there, and how methods compare."""

from .comparison import ComparisonDisplay
from .embedding import EmbeddingDisplay
from .metric import MetricDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .trace import TraceDisplay

__all__ = ["ComparisonDisplay", "EmbeddingDisplay", "MetricDisplay", "NeighborsCurveDisplay", "TraceDisplay"]
