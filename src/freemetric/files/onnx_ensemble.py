"""Votes, and what the free-energy ensembles make of them, as ONNX graphs."""

import numpy as np
from sklearn.base import is_classifier

from ..ensemble.ensemble import FARTHEST
from ..ensemble.pool import PROBABILITY_FLOOR, SHARE_FLOOR
from ..ensemble.scale import MANY_ERRORS
from ..ensemble.trends import LEAST_VARIANCE
from ..ensemble.views import Axes, Logarithms, Scaled

MOST_BACK = 1e150  # where exponentials of a scale end


def in_view(graph, view, X):
    """Samples X in a view."""
    if isinstance(view, Logarithms):
        logged = graph.Log(graph.Max(graph.Where(view.is_logged, X, 1.0), 0.0))
        V = in_view(graph, view.scaled, graph.Where(view.is_logged, logged, X))
        return graph.Where(view.is_logged, graph.Max(V, -1.0), V)
    if isinstance(view, Scaled):
        V = graph.Div(graph.Sub(X, view.low), view.span)
    elif isinstance(view, Axes):
        V = graph.MatMul(graph.Sub(X, view.centre), view.matrix)
    else:
        V = on_quantiles(graph, view, X)
    return graph.Clip(V, -FARTHEST, FARTHEST)


def on_quantiles(graph, view, X):
    """Levels (n, d) of samples: ``np.interp`` for every feature."""
    most = max(map(len, view.values))
    table = np.zeros((3, len(view.values), most))  # values, levels and slopes
    table[0] = np.inf
    for j, (value, level) in enumerate(zip(view.values, view.levels, strict=True)):
        table[:2, j, : len(value)] = value, level
        table[2, j, : len(value) - 1] = np.diff(level) / np.diff(value)
    values, levels, slopes = table.reshape(3, -1)
    X = graph.Min(X, np.array([value[-1] for value in view.values]))
    X = graph.Max(X, np.array([value[0] for value in view.values]))
    # The last value that is not above X, by bisection, in the row of its feature.
    first = most * np.arange(len(view.values))
    row = graph.Add(graph.integers(graph.Less(X, X)), first)
    for power in reversed(range((most - 1).bit_length())):
        trial = graph.Min(graph.Add(row, 2**power), first + most - 1)
        is_below = graph.LessOrEqual(graph.Gather(values, trial), X)
        row = graph.Where(is_below, trial, row)
    beyond = graph.Sub(X, graph.Gather(values, row))
    rise = graph.Mul(graph.Gather(slopes, row), beyond)
    return graph.Add(rise, graph.Gather(levels, row))


def votes(graph, ensemble, X):
    """Mean values (n, n_values) that the training samples vote for; all are compared.

    Training samples pass the same operators as new ones, so that ties stay ties;
    runtimes do that once, on loading.
    """
    training_set = ensemble.training_set
    rows = graph.constant(training_set.X[training_set.row_of_point])
    n_points = len(training_set.row_of_point)
    views = ensemble.views.items()
    both = {name: [in_view(graph, view, V) for V in (rows, X)] for name, view in views}
    sums = graph.constant(training_set.sums)
    found = []
    for member in ensemble.members:
        for A in member.maps:
            Z, Q = (under_map(graph, member, A, V) for V in both[member.view])
            parts = member.weights / len(member.maps)
            most = ensemble.sizes[np.flatnonzero(parts).max()]
            nearest = nearest_of(graph, Q, Z, min(most, n_points))
            weights = vote_weights(graph, nearest, ensemble, parts)
            of_nearest = graph.Gather(sums, nearest)
            together = graph.MatMul(graph.Unsqueeze(weights, np.array([1])), of_nearest)
            found.append(graph.Squeeze(together, np.array([1])))
    return graph.Sum(*found)


def under_map(graph, member, A, V):
    """A view under a map."""
    return graph.MatMul(V, A.T) if member.form == "full" else graph.Mul(V, A[0])


def nearest_of(graph, Q, Z, n_nearest):
    """Rows (n, n_nearest) of Z nearest to Q, the nearest first."""
    lengths = graph.total(graph.Mul(Z, Z), 1, keepdims=0)
    # |q - z|^2 without |q|^2, which is the same for all rows.
    squares = graph.Gemm(Q, Z, lengths, alpha=-2.0, transB=1)
    _, nearest = graph.TopK(
        squares, np.array([n_nearest]), axis=1, largest=0, sorted=1, n_outputs=2
    )
    return nearest


def mean_of_neighbors(graph, model, X):
    """Mean values (n, n_values) of the nearest rows of a KNeighbors estimator."""
    values = model._y.reshape(len(model._y), -1)
    if is_classifier(model):
        values = np.eye(len(model.classes_))[model._y]
    # Distances must not be small beside the lengths that they are computed from.
    centre = np.median(model._fit_X, axis=0)
    Z = graph.constant(model._fit_X - centre)
    Q = graph.Sub(X, centre)
    nearest = nearest_of(graph, Q, Z, model.n_neighbors)
    found = graph.Gather(values.astype(float), nearest)
    middle = np.array([1])
    if model.weights == "uniform":
        return graph.ReduceMean(found, middle, keepdims=0)
    apart = graph.Sub(graph.Unsqueeze(Q, middle), graph.Gather(Z, nearest))
    distances = graph.Sqrt(graph.total(graph.Mul(apart, apart), 2))
    is_there = graph.doubles(graph.Equal(distances, 0.0))
    # Rows at the sample itself are the only ones that count.
    alone = graph.Greater(graph.ReduceMax(is_there, middle), 0.0)
    weights = graph.Where(alone, is_there, graph.Reciprocal(distances))
    total = graph.total(weights, 1, keepdims=0)
    return graph.Div(graph.total(graph.Mul(weights, found), 1, keepdims=0), total)


def vote_weights(graph, nearest, ensemble, parts):
    """What to multiply the sums of the nearest points with, (n, most).

    Of the last point only a part of the rows may be among the k nearest.
    """
    used = np.flatnonzero(parts)
    sizes = ensemble.sizes[used, None].astype(float)
    middle = graph.Unsqueeze(nearest, np.array([1]))
    counts = graph.Gather(ensemble.training_set.counts.astype(float), middle)
    masses = graph.Gather(ensemble.training_set.masses, middle)
    before = graph.CumSum(counts, np.array(2), exclusive=1)
    inside = graph.Max(graph.Min(graph.Sub(sizes, before), counts), 0.0)
    shares = graph.Div(inside, counts)
    mass = graph.total(graph.Mul(shares, masses), 2)
    each = graph.Div(parts[used, None], mass)
    return graph.total(graph.Mul(shares, each), 1, keepdims=0)


def pooled(graph, model, shares, chances):
    """Probabilities of shares of votes and probabilities of classifiers."""
    pool = model.pool_
    shares = graph.Log(graph.Add(graph.Max(shares, 0.0), SHARE_FLOOR))
    logits = graph.Add(graph.Mul(shares, pool.slope), pool.bias)
    for strength, P in zip(pool.strengths, chances, strict=True):
        logs = graph.Log(graph.Max(P, PROBABILITY_FLOOR))
        logits = graph.Add(logits, graph.Mul(logs, strength))
    P = graph.Mul(graph.Softmax(logits, axis=-1), model.class_weight_)
    return graph.Div(P, graph.total(P, 1))


def location_and_spread(graph, model, X, found, trends):
    """Location and spread (n, 1) of targets, on the scale."""
    combination, noise = model.combination_, model.noise_
    low, high = combination.low, combination.high
    trends = [graph.Clip(trend, low, high) for trend in trends]
    n_values = 2 + len(trends)
    mean, square, *means = (graph.take(found, [i]) for i in range(n_values))
    along = [graph.Sub(f, m) for f, m in zip(trends, means, strict=True)]
    beside = [graph.Sub(f, mean) for f in trends]
    terms = graph.Concat(mean, *beside, *along, axis=1)
    location = graph.MatMul(terms, combination.strengths[:, None])
    variance = graph.Max(graph.Sub(square, graph.Mul(mean, mean)), LEAST_VARIANCE)
    columns = graph.Concat(graph.Log(variance), X, axis=1)
    logs = graph.Add(graph.MatMul(columns, noise.slopes[:, None]), noise.base)
    spread = graph.Exp(graph.Mul(graph.Clip(logs, noise.low, noise.high), 0.5))
    spread = graph.Min(spread, noise.most_spread)
    return graph.Clip(location, low, high), spread


def expected(graph, model, location, spread):
    """Expected targets (n, 1)."""
    errors, limits = model.noise_.errors, model.combination_.limits
    if model.scale_.name == "linear":
        return targets_at(graph, model, location, spread, [errors.mean()], limits)
    levels = np.quantile(errors, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS)
    every = targets_at(graph, model, location, spread, levels, limits)
    return graph.ReduceMean(every, np.array([1]))


def targets_at(graph, model, location, spread, errors, limits=None):
    """Targets (n, n_errors) with these errors in units of the spread."""
    scale = model.scale_
    z = graph.Add(location, graph.MatMul(spread, np.array([errors])))
    if limits is not None:
        z = graph.Clip(z, *limits)
    g = graph.Add(graph.Mul(z, scale.unit), scale.centre)
    if scale.name != "linear":
        up = graph.Exp(g)
        if scale.name == "asinh":  # Sinh has no doubles
            up = graph.Mul(graph.Sub(up, graph.Exp(graph.Neg(g))), scale.bend / 2)
        g = graph.Clip(up, -MOST_BACK, MOST_BACK)
    return graph.Mul(g, scale.magnitude)
