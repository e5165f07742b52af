"""Classifiers of tuples as graphs: an input for every point of a tuple, distances between their images, a decision."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import metric_learn
from ..extras import require
from ..learners import PairClassifier, QuadrupletClassifier, TripletClassifier
from ..metric_learn.comparisons import QuadrupletsClassifier, TripletsClassifier
from ..metric_learn.pairs import PairsClassifier
from .graph import Graph

skl2onnx = require("skl2onnx", "onnx")
types = require("skl2onnx.common.data_types", "onnx")

NEAR_AND_FAR = {  # points whose distance speaks against +1, and those whose distance speaks for it
    PairClassifier: [(0, 1)],
    PairsClassifier: [(0, 1)],
    TripletClassifier: [(0, 1), (0, 2)],
    TripletsClassifier: [(0, 1), (0, 2)],
    QuadrupletClassifier: [(0, 1), (2, 3)],
    QuadrupletsClassifier: [(0, 1), (2, 3)],
}


def tuple_classifiers() -> Iterator[type]:
    """The classes that skl2onnx has to be told of."""
    yield from (PairClassifier, TripletClassifier, QuadrupletClassifier)
    for name in metric_learn.__all__:
        if issubclass(getattr(metric_learn, name), tuple(NEAR_AND_FAR)):
            yield getattr(metric_learn, name)


def takes_tuples(model: Any) -> bool:
    return isinstance(model, tuple(NEAR_AND_FAR))


def tuple_inputs(model: Any) -> list[tuple[str, Any]]:
    """Names and types for skl2onnx: "X1", "X2", ... of shape (n, n_features), the first, second, ... points."""
    width = 1 + max(max(pair) for pair in _compared(model))
    return [(f"X{i + 1}", types.DoubleTensorType([None, model.n_features_in_])) for i in range(width)]


def tuple_outputs(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the decision, and the label where the model knows one: pairs need a threshold."""
    operator = scope.declare_local_operator(skl2onnx.get_model_alias(type(model)), model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("decision", types.DoubleTensorType([None])))
    if _least(model) is not None:
        operator.outputs.append(scope.declare_local_variable("label", types.Int64TensorType([None])))
    return operator.outputs


def tuple_shape(operator: Any) -> None:
    for output in operator.outputs:
        output.type.shape = [operator.inputs[0].get_first_dimension()]


def convert_tuples(scope: Any, operator: Any, container: Any) -> None:
    """What ``decision_function`` and ``predict`` say."""
    model, graph = operator.raw_operator, Graph(scope, container)
    images = [_image(scope, graph, model, put.full_name) for put in operator.inputs]
    distances = [_distance(graph, images[i], images[j]) for i, j in _compared(model)]
    decision = graph.Neg(distances[0]) if len(distances) == 1 else graph.Sub(distances[1], distances[0])
    graph.hand_over(decision, operator.outputs[0])
    if len(operator.outputs) > 1:
        least = _least(model)
        is_alike = graph.GreaterOrEqual(decision, least) if len(distances) == 1 else graph.Greater(decision, least)
        graph.hand_over(graph.Where(is_alike, np.array([1]), np.array([-1])), operator.outputs[1])


def _compared(model):
    return next(pairs for kind, pairs in NEAR_AND_FAR.items() if isinstance(model, kind))


def _least(model):
    """The least decision for which the label is +1; None where a model of pairs has no threshold."""
    if len(_compared(model)) > 1:
        return 0.0
    threshold = getattr(model, "threshold_", None)
    return None if threshold is None else -float(threshold)


def _image(scope, graph, model, X):
    """Where the learner inside of a model maps X; metric-learn's classifiers are learners themselves."""
    X = graph.doubles(X)
    if not hasattr(model, "learner_"):
        return graph.MatMul(X, model.components_.T)
    patterns = scope.declare_local_variable("X", types.DoubleTensorType([None, model.n_features_in_]))
    graph.hand_over(X, patterns)
    image = scope.declare_local_variable("Z", types.DoubleTensorType())
    inner = scope.declare_local_operator(skl2onnx.get_model_alias(type(model.learner_)), model.learner_)
    inner.inputs.append(patterns)
    inner.outputs.append(image)
    return image.full_name


def _distance(graph, U, V):
    difference = graph.Sub(U, V)
    return graph.Sqrt(graph.ReduceSum(graph.Mul(difference, difference), np.array([1]), keepdims=0))
