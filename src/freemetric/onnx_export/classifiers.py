"""The classifiers as graphs: from patterns to class probabilities."""

from collections.abc import Sequence

import numpy as np

from ..metrics import Calibration, Committee, Voters
from ..metrics.neighbor_votes import NEAREST_BONUS
from .basins import basins_graph
from .committees import mixed_shares
from .graph import Graph
from .neighbors import shares, votes, weighted


def one_space(graph: Graph, voters: Voters, n_neighbors: int, Z: str) -> str:
    """Probabilities of a classifier whose voters lie in one space, for patterns Z in it."""
    places = voters.places
    rows = voters.X[places.rows]
    # Distances are differences of lengths, which must not be large beside them. The median keeps a grid on a grid, so
    # that what is equally far remains so.
    centre = np.median(rows, axis=0)
    counted = votes(graph, graph.Sub(Z, centre), rows - centre, places, [1, n_neighbors])
    return shares(graph, weighted(graph, np.array([NEAREST_BONUS, 1.0]), counted))


def many_spaces(graph: Graph, committee: Committee, X: str, shortlist: int | None) -> str:
    """Probabilities of a committee for patterns X, of which so many training samples are asked; all for None."""
    mixed = mixed_shares(graph, committee, X, shortlist)
    energies = [basins_graph(graph, some, X) for some in committee.basins]
    return _calibrated(graph, committee.mixture.calibration, mixed, energies)


def _calibrated(graph: Graph, calibration: Calibration, mixed: str, energies: Sequence[str]) -> str:
    logits = graph.Mul(calibration.slope, graph.Log(graph.Add(mixed, calibration.floor)))
    for strength, energy in zip(calibration.strengths, energies, strict=True):
        logits = graph.Sub(logits, graph.Mul(strength, energy))
    return graph.Softmax(graph.Add(logits, calibration.bias), axis=-1)
