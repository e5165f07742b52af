"""The classifiers as graphs: from patterns to class probabilities."""

from collections.abc import Sequence

import numpy as np

from ..ensemble.model import Ensemble
from ..ensemble.tasks.classification import ClassificationHead
from ..metrics import TrainingSet
from ..metrics.neighbor_votes import NEAREST_BONUS
from .densities import density_graph
from .ensembles import mixed_shares
from .graph import Graph
from .neighbors import shares, votes, weighted


def one_space(graph: Graph, training_set: TrainingSet, n_neighbors: int, Z: str) -> str:
    """Probabilities of a classifier whose voters lie in one space, for patterns Z in it."""
    places = training_set.places
    rows = training_set.X[places.rows]
    # Distances are differences of lengths, which must not be large beside them. The median keeps a grid on a grid, so
    # that what is equally far remains so.
    centre = np.median(rows, axis=0)
    counted = votes(graph, graph.Sub(Z, centre), rows - centre, places, [1, n_neighbors])
    return shares(graph, weighted(graph, np.array([NEAREST_BONUS, 1.0]), counted))


def many_spaces(graph: Graph, ensemble: Ensemble, X: str, shortlist: int | None) -> str:
    """Probabilities of a committee for patterns X, of which so many training samples are asked; all for None."""
    mixed = mixed_shares(graph, ensemble, X, shortlist)
    energies = [density_graph(graph, some, X) for some in ensemble.head.densities]
    return _calibrated(graph, ensemble.head, mixed, energies)


def _calibrated(graph: Graph, head: ClassificationHead, mixed: str, energies: Sequence[str]) -> str:
    logits = graph.Mul(head.slope, graph.Log(graph.Add(mixed, head.floor)))
    for strength, energy in zip(head.strengths, energies, strict=True):
        logits = graph.Sub(logits, graph.Mul(strength, energy))
    return graph.Softmax(graph.Add(logits, head.bias), axis=-1)
