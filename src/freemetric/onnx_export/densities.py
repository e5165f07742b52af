"""The basins of a committee as graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..metrics import BinnedNaiveBayes, ClassDensity, ScreenedNaiveBayes, StudentTDiscriminant
from ..metrics.class_densities import FARTHEST
from .graph import Graph
from .views import view_graph

BasinsGraph = Callable[[Graph, Any, str], str]


def _wells(graph, wells, X):
    d, apart = wells.shape[1], []
    for centre, root in zip(wells.centres, wells.roots, strict=True):
        Z = graph.MatMul(graph.Sub(X, centre), root)
        apart.append(graph.total(graph.Mul(Z, Z), 1))
    bounded = graph.Min(graph.Concat(*apart, axis=1), FARTHEST)
    rise = graph.Mul(float(d), graph.Log(graph.Add(1.0, graph.Div(bounded, float(d)))))
    return graph.Div(graph.Add(rise, wells.depths), np.sqrt(d))


def _mean_field(graph, field, X):
    return graph.Add(graph.MatMul(view_graph(graph, field.steps, X), field.slopes), field.base)


GRAPHS: dict[type[ClassDensity], BasinsGraph] = {
    StudentTDiscriminant: _wells,
    BinnedNaiveBayes: _mean_field,
    ScreenedNaiveBayes: _mean_field,
}
"""Functions (graph, basins, X) -> F by the class of the basins."""


def register_density_graph(basins_class: type[ClassDensity], function: BasinsGraph) -> None:
    """Say how basins are written as a graph, so that models with them can be exported.

    Parameters
    ----------
    basins_class : subclass of ClassDensity
        The basins. Classes derived from it may say something else, and need functions of their own.
    function : callable
        Called as ``function(graph, basins, X)``; see :func:`register_view_graph`.
    """
    GRAPHS[basins_class] = function


def density_graph(graph: Graph, densities: ClassDensity, X: str) -> str:
    """Free energies (n, C) of patterns X; ValueError where no function is registered for these basins."""
    if type(densities) not in GRAPHS:
        raise ValueError(f"the basins {type(densities).__name__} have no ONNX graph; register_basins_graph adds one")
    return GRAPHS[type(densities)](graph, densities, X)
