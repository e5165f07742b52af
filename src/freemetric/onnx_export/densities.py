"""The class densities of an ensemble as graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..metrics import BinnedNaiveBayes, ClassDensity, ScreenedNaiveBayes, StudentTDiscriminant
from ..metrics.class_densities import FARTHEST
from .graph import Graph
from .views import view_graph

DensityGraph = Callable[[Graph, Any, str], str]


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


GRAPHS: dict[type[ClassDensity], DensityGraph] = {
    StudentTDiscriminant: _wells,
    BinnedNaiveBayes: _mean_field,
    ScreenedNaiveBayes: _mean_field,
}
"""Functions (graph, density, X) -> F by the class of the density."""


def register_density_graph(density_class: type[ClassDensity], function: DensityGraph) -> None:
    """Say how a class density is written as a graph, so that models with it can be exported.

    Parameters
    ----------
    density_class : subclass of ClassDensity
        The class density. Classes derived from it may say something else, and need functions of their own.
    function : callable
        Called as ``function(graph, density, X)``; see :func:`register_view_graph`.
    """
    GRAPHS[density_class] = function


def density_graph(graph: Graph, density: ClassDensity, X: str) -> str:
    """Free energies (n, C) of patterns X; ValueError where no function is registered for this density."""
    if type(density) not in GRAPHS:
        raise ValueError(
            f"the class density {type(density).__name__} has no ONNX graph; register_density_graph adds one"
        )
    return GRAPHS[type(density)](graph, density, X)
