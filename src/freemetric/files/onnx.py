"""Models as ONNX graphs, which predict without Python, in double precision."""

import json

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..ensemble import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    LinearClassifier,
    LineRegressor,
    ScreenedNaiveBayes,
    StudentTClassifier,
    SurfaceRegressor,
)
from ..ensemble.densities import FARTHEST
from ..learners import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from ..learners.base import MetricLearner
from .container import write
from .graph import Graph
from .onnx_ensemble import (
    expected,
    location_and_spread,
    mean_of_neighbors,
    pooled,
    targets_at,
    votes,
)


def to_onnx(model, path=None, *, quantiles=None):
    """Export a fitted model as an ONNX graph, which predicts without Python.

    The input is "X", doubles of shape (n_samples, n_features). The outputs are
    "variable" (coordinates or expected targets), or "label" and "probabilities". The
    metadata have JSON lists: "classes", the columns of the probabilities, and
    "features", their names. A sample with infinity gets NaN.

    The graph holds the training samples where these vote. An ensemble compares all of
    them, and not a shortlist, in double precision, so that its predictions may differ
    slightly from those of Python. All distances of a batch are in memory at once: feed
    some thousands of samples at a time.

    Parameters
    ----------
    model : estimator
        A fitted learner, MetricKNeighborsClassifier, MetricKNeighborsRegressor,
        FreeEnergyClassifier or FreeEnergyRegressor, or a pipeline or search with one;
        skl2onnx must know the other steps, and the estimators beside the votes.
    path : path-like or None, default=None
        File to write.
    quantiles : sequence of float or None, default=None
        Chances between 0 and 1, for one more output "quantiles" of a
        FreeEnergyRegressor.

    Returns
    -------
    onnx.ModelProto
        The graph, in opset 18.

    Raises
    ------
    ValueError
        If the model cannot be exported.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> from freemetric.files import to_onnx
    >>> model = make_pipeline(MinMaxScaler(), NCA(), KNeighborsClassifier())
    >>> made = to_onnx(model.fit(*load_wine(return_X_y=True)))
    >>> [output.name for output in made.graph.output]
    ['label', 'probabilities']
    """
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    name = type(model).__name__
    if hasattr(model, "pipeline_"):
        advice = "export model.pipeline_[-1], for the features of model.pipeline_[0]"
        raise ValueError(f"{name} cannot be exported: {advice}.")
    graph = Graph()
    try:
        outputs = results(graph, model, "X")
        if quantiles is not None:
            outputs["quantiles"] = quantiles_of(graph, model, quantiles)
        made = graph.model(name, model.n_features_in_, outputs, notes_of(model))
    except Exception as problem:  # of any kind: skl2onnx raises many
        reason = str(problem).strip().partition("\n")[0]
        raise ValueError(f"{name} cannot be exported: {reason}") from problem
    if path is not None:
        write(path, made.SerializeToString())
    return made


def notes_of(model):
    """JSON lists of classes and names of features."""
    notes = {}
    if is_classifier(model):
        notes["classes"] = json.dumps(model.classes_.tolist())
    if hasattr(model, "feature_names_in_"):
        notes["features"] = json.dumps(model.feature_names_in_.tolist())
    return notes


def results(graph, model, X):
    """The outputs of a model for samples X, by name."""
    if isinstance(model, Pipeline):
        return results(graph, model[-1], through(graph, model[:-1], X))
    if type(model) in OURS:
        X = without_gaps(graph, model, X)
        result = OURS[type(model)](graph, model, X)
        result = graph.Add(result, graph.Mul(0.0, graph.total(X, 1)))  # NaN stays NaN
        if not is_classifier(model):
            return {"variable": result}
        number = graph.ArgMax(result, axis=1, keepdims=0)
        label = graph.Gather(model.classes_, number)
        return {"label": label, "probabilities": result}
    if is_classifier(model):
        label, P = graph.foreign(model, X)
        return {"label": label, "probabilities": graph.doubles(P)}
    if is_regressor(model):
        (y,) = graph.foreign(model, X)
        return {"variable": graph.doubles(y)}
    return {"variable": through(graph, model, X)}


def through(graph, transformer, X):
    """Samples X under a transformer."""
    if isinstance(transformer, Pipeline):
        for _, step in transformer.steps:
            X = through(graph, step, X)
        return X
    if transformer in (None, "passthrough"):
        return X
    if isinstance(transformer, MetricLearner):
        return graph.MatMul(X, transformer.components_.T)
    return graph.doubles(graph.foreign(transformer, X)[0])


def without_gaps(graph, model, X):
    """Samples X with a number for every gap, for models that take gaps."""
    if not hasattr(model, "ensemble_"):
        return X
    return graph.Where(graph.IsNaN(X), model.ensemble_.gap_values, X)


def classified(graph, model, X):
    """Probabilities of a FreeEnergyClassifier."""
    found = votes(graph, model.ensemble_, X)
    chances = [
        results(graph, fitted, X)["probabilities"] for _, fitted in model.estimators_
    ]
    return pooled(graph, model, found, chances)


def regressed(graph, model, X):
    """Expected targets (n, 1) of a FreeEnergyRegressor."""
    return expected(graph, model, *placed(graph, model, X))


def placed(graph, model, X):
    """Location and spread (n, 1) of the targets of a FreeEnergyRegressor."""
    found = votes(graph, model.ensemble_, X)
    every = [results(graph, fitted, X)["variable"] for _, fitted in model.estimators_]
    trends = [graph.Reshape(trend, np.array([-1, 1])) for trend in every]
    return location_and_spread(graph, model, X, found, trends)


def quantiles_of(graph, model, chances):
    """Quantiles (n, n_quantiles) of the targets."""
    errors = np.quantile(model.noise_.errors, np.atleast_1d(chances))
    X = without_gaps(graph, model, "X")
    return targets_at(graph, model, *placed(graph, model, X), errors)


def voted(graph, model, X):
    """Probabilities or targets of neighbours in a learned space."""
    Z = through(graph, model.learner_, X)
    return mean_of_neighbors(graph, model.neighbors_, Z)


def student_t(graph, model, X):
    """Probabilities of a StudentTClassifier."""
    d = float(model.n_features_in_)
    squares = []
    for centre, root in zip(model.centres_, model.roots_, strict=True):
        Z = graph.MatMul(graph.Sub(X, centre), root)
        squares.append(graph.total(graph.Mul(Z, Z), 1))
    squares = graph.Min(graph.Concat(*squares, axis=1), FARTHEST)
    rise = graph.Mul(graph.Log(graph.Add(graph.Div(squares, d), 1.0)), d)
    cost = graph.Div(graph.Add(rise, model.half_log_dets_), np.sqrt(d))
    return graph.Softmax(graph.Neg(cost), axis=-1)


def naive_bayes(graph, model, X):
    """Probabilities of a ScreenedNaiveBayes."""
    above = graph.Greater(graph.take(X, model.owner_), model.thresholds_)
    logits = graph.MatMul(graph.doubles(above), model.steps_)
    return graph.Softmax(graph.Add(logits, model.base_), axis=-1)


def linear(graph, model, X):
    """Probabilities of a LinearClassifier."""
    logits = graph.Add(graph.MatMul(X, model.coef_), model.intercept_)
    return graph.Softmax(logits, axis=-1)


def line(graph, model, X):
    """Targets (n, 1) of a LineRegressor."""
    return graph.Add(graph.MatMul(X, model.coef_[:, None]), model.intercept_)


def surface(graph, model, X):
    """Targets (n, 1) of a SurfaceRegressor."""
    V = graph.Div(graph.Sub(X, model.centre_), model.span_)
    V = graph.Clip(V, -0.5, 0.5)
    first, second = np.triu_indices(model.n_features_in_)
    products = graph.Mul(graph.take(V, first), graph.take(V, second))
    return line(graph, model, graph.Concat(V, products, axis=1))


def sum_of_leaves(graph, model, X):
    """Sums (n, k) of the leaves that samples reach, all trees a level at a time."""
    (n_trees, n_inner) = model.features_.shape
    n_leaves = model.leaves_.shape[1]
    trees = np.arange(n_trees)
    first = graph.take(X, np.zeros(n_trees, dtype=int))
    node = graph.integers(graph.Less(first, first))  # (n, n_trees), all at the root
    for _ in range(n_leaves.bit_length() - 1):
        index = graph.Add(node, n_inner * trees)
        feature = graph.Gather(model.features_.ravel(), index)
        threshold = graph.Gather(model.thresholds_.ravel(), index)
        right = graph.Greater(graph.GatherElements(X, feature, axis=1), threshold)
        node = graph.Add(graph.Mul(node, 2), graph.Add(graph.integers(right), 1))
    leaves = model.leaves_.reshape(n_trees * n_leaves, -1)
    reached = graph.Gather(leaves, graph.Add(node, n_leaves * trees - n_inner))
    return graph.total(reached, 1, keepdims=0)


def boosted_probabilities(graph, model, X):
    """Probabilities of a BoostedTreesClassifier."""
    return graph.Softmax(sum_of_leaves(graph, model, X), axis=-1)


def boosted_targets(graph, model, X):
    """Targets (n, 1) of a BoostedTreesRegressor."""
    return graph.Add(sum_of_leaves(graph, model, X), model.base_)


OURS = {
    BoostedTreesClassifier: boosted_probabilities,
    BoostedTreesRegressor: boosted_targets,
    FreeEnergyClassifier: classified,
    FreeEnergyRegressor: regressed,
    LinearClassifier: linear,
    LineRegressor: line,
    MetricKNeighborsClassifier: voted,
    MetricKNeighborsRegressor: voted,
    ScreenedNaiveBayes: naive_bayes,
    StudentTClassifier: student_t,
    SurfaceRegressor: surface,
}
