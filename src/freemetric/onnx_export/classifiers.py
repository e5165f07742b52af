"""The classifiers as graphs: from patterns to class probabilities."""

import numpy as np

from ..learners.free_energy.calibration import SHARE_FLOOR
from ..learners.votes import NEAREST_BONUS
from .neighbors import ballots, distinct, shares, votes, weighted
from .views import GRAPHS


def one_space(graph, model, Z):
    """Probabilities of a MetricKNeighborsClassifier for patterns Z in the space of its learner."""
    rows, _ = distinct(model)
    # Distances are differences of lengths, which must not be large beside them. The median keeps a grid on a grid, so
    # that what is equally far remains so.
    centre = np.median(model._Z[rows], axis=0)
    decisive = np.ones(model.n_neighbors_)
    decisive[0] += NEAREST_BONUS
    found = votes(graph, graph.Sub(Z, centre), model._Z[rows] - centre, ballots(model), model.n_neighbors_)
    return shares(graph, weighted(graph, decisive, found))


def many_spaces(graph, model, X):
    """Probabilities of a FreeEnergyClassifier for patterns X."""
    rows, _ = distinct(model)
    mixture, box = model._mixture, graph.constant(ballots(model))
    patterns = graph.constant(model._X[rows])
    # Training patterns pass the same operators as new ones, so that equals stay equal; runtimes do it once, on loading.
    seen = {name: [GRAPHS[type(view)](graph, view, V) for V in (patterns, X)] for name, view in model.views_.items()}
    mixed = []
    for ensemble, weights in zip(model.ensembles_, mixture.weights, strict=True):
        weights = np.trim_zeros(weights, "b")  # neighbours beyond the last one that counts need not be found
        spaces = list(zip(*(_spaces(graph, ensemble, V) for V in seen[ensemble.candidate.view]), strict=True))
        for Z, Q in spaces:
            found = graph.CumSum(votes(graph, Q, Z, box, len(weights)), 1)
            mixed.append(weighted(graph, weights / len(spaces), shares(graph, found)))
    return _calibrated(graph, mixture.calibration, graph.Sum(*mixed))


def _spaces(graph, ensemble, V):
    """The view V in every replica's space; in its own where nothing is learned."""
    if not ensemble.candidate.learns:
        return [V]
    if ensemble.candidate.form == "diagonal":
        return [graph.Mul(V, A) for A in ensemble.maps]
    return [graph.MatMul(V, A.T) for A in ensemble.maps]


def _calibrated(graph, calibration, mixed):
    logits = graph.Mul(calibration.slope, graph.Log(graph.Add(mixed, SHARE_FLOOR)))
    return graph.Softmax(graph.Add(logits, calibration.bias), axis=-1)
