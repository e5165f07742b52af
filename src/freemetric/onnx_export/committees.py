"""What the metrics of a committee vote for, as a graph."""

import numpy as np

from ..metrics import BaseCommittee
from .forms import spaces
from .graph import Graph
from .neighbors import shares, votes, weighted
from .views import view_graph


def mixed_shares(graph: Graph, committee: BaseCommittee, X: str) -> str:
    """Shares (n, n_cells) of all votes that patterns X get, every ensemble and k by its weight."""
    places = committee.voters.places
    rows = graph.constant(committee.voters.X[places.rows])
    # Training rows pass the same operators as new ones, so that equals stay equal; runtimes do it once, on loading.
    seen = {name: [view_graph(graph, view, V) for V in (rows, X)] for name, view in committee.views.items()}
    mixed = []
    for ensemble, weights in zip(committee.ensembles, committee.mixture.weights, strict=True):
        ks = np.flatnonzero(weights) + 1  # other numbers of neighbours do not count
        each = weights[ks - 1] / len(ensemble)
        for Z, Q in zip(*(spaces(graph, ensemble, V) for V in seen[ensemble.candidate.view]), strict=True):
            mixed.append(weighted(graph, each, shares(graph, votes(graph, Q, Z, places, ks))))
    return graph.Sum(*mixed)
