"""What the metrics of a committee vote for, as a graph."""

import numpy as np

from ..ensemble.model import Ensemble
from .forms import spaces
from .graph import Graph
from .neighbors import nearest_of, shares, votes, weighted
from .views import view_graph


def mixed_shares(graph: Graph, ensemble: Ensemble, X: str, shortlist: int | None) -> str:
    """Shares (n, n_cells) of all votes that patterns X get, every ensemble and k by its weight.

    As in Python, ``shortlist`` training samples are asked in every space, the nearest in the averaged metric; all for
    None.
    """
    places = ensemble.training_set.places
    rows = graph.constant(ensemble.training_set.X[places.rows])
    # Training rows pass the same operators as new ones, so that equals stay equal; runtimes do it once, on loading.
    seen = {name: [view_graph(graph, view, V) for V in (rows, X)] for name, view in ensemble.views.items()}
    candidates = _candidates(graph, ensemble, seen, shortlist)
    mixed = []
    for member, weights in zip(ensemble.members, ensemble.weights, strict=True):
        ks = np.flatnonzero(weights) + 1  # other numbers of neighbours do not count
        each = weights[ks - 1] / len(member)
        for Z, Q in zip(*(spaces(graph, member, V) for V in seen[member.candidate.view]), strict=True):
            mixed.append(weighted(graph, each, shares(graph, votes(graph, Q, Z, places, ks, candidates=candidates))))
    return graph.Sum(*mixed)


def _candidates(graph, ensemble, seen, shortlist):
    """Numbers (n, shortlist) of the places nearest in the averaged metric; None where all are asked."""
    maps, centre = ensemble.index().shortlist[:2]
    if shortlist is None or shortlist >= len(ensemble.training_set.places.rows) or not maps:
        return None
    Z, Q = (graph.Sum(*(graph.MatMul(seen[name][i], B) for name, B in maps.items())) for i in (0, 1))
    return nearest_of(graph, graph.Sub(Q, centre), graph.Sub(Z, centre), shortlist)
