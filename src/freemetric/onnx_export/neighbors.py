"""Nearest neighbours and their votes as graphs."""

import numpy as np


def distinct(model):
    """Rows of the training patterns that vote, or all of them; and their weights, or ones."""
    rows, weights = getattr(model, "_patterns", None), getattr(model, "_weights", None)
    rows = np.arange(len(model._y)) if rows is None else np.asarray(rows)
    return rows, np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)


def ballots(model):
    """What every pattern that votes puts into the box, (N, C): its weight for its class."""
    rows, weights = distinct(model)
    return np.eye(len(model.classes_))[model._y[rows]] * weights[:, None]


def votes(graph, Q, Z, ballots, n_neighbors):
    """Votes (n, k, C) of the nearest rows of Z (N, p) to those of Q (n, p), one after the other; first of equals first.

    Distances are |q - z|^2 without |q|^2, which is the same for all z.
    """
    lengths = graph.ReduceSumSquare(Z, np.array([1]), keepdims=0)
    distances = graph.Gemm(Q, Z, lengths, alpha=-2.0, transB=1)
    _, rows = graph.TopK(distances, np.array([n_neighbors]), axis=1, largest=0, sorted=1, n_outputs=2)
    return graph.Gather(ballots, rows)


def weighted(graph, weights, votes):
    """Sum (n, C) of weights[k] * votes[:, k]."""
    return graph.Squeeze(graph.MatMul(weights[None], votes), np.array([1]))


def shares(graph, votes):
    """Votes as shares of their sum over the classes."""
    return graph.Div(votes, graph.total(votes, -1))
