"""What skl2onnx calls when it meets one of our estimators."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..extras import require
from ..learners import FreeEnergyClassifier, MetricKNeighborsClassifier
from ..learners.base import MetricLearner
from .classifiers import many_spaces, one_space
from .graph import Graph

skl2onnx = require("skl2onnx", "onnx")
types = require("skl2onnx.common.data_types", "onnx")
get_label_classes = require("skl2onnx.common.utils_classifier", "onnx").get_label_classes

CLASSIFIER_OPTIONS = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]}


def register() -> None:
    """Tell skl2onnx about our estimators.

    From then on ``skl2onnx.to_onnx`` converts pipelines with them in it, and learners of one's own that derive from
    ``MetricLearner``. :func:`to_onnx` calls this by itself.

    Examples
    --------
    >>> import skl2onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> from freemetric.onnx_export import register
    >>> X, y = load_iris(return_X_y=True)
    >>> register()
    >>> made = skl2onnx.to_onnx(make_pipeline(MinMaxScaler(), NCA(2)).fit(X, y), X[:1])
    >>> [output.name for output in made.graph.output]
    ['variable']
    """
    for learner in _learners(MetricLearner):
        _introduce(learner, _mapped_shape, _mapped)
    _introduce(MetricKNeighborsClassifier, _voted_shape, _voted_in_one_space, CLASSIFIER_OPTIONS)
    _introduce(FreeEnergyClassifier, _voted_shape, _voted_in_many_spaces, CLASSIFIER_OPTIONS)


def _introduce(estimator: type, shape: Callable, convert: Callable, options: dict[str, Any] | None = None) -> None:
    skl2onnx.update_registered_converter(estimator, f"Freemetric{estimator.__name__}", shape, convert, options=options)


def _learners(base: type[MetricLearner]) -> Iterator[type[MetricLearner]]:
    for learner in base.__subclasses__():
        yield from _learners(learner)
        if learner.transform is MetricLearner.transform:  # one that maps otherwise needs a converter of its own
            yield learner


def _mapped_shape(operator):
    N, p = operator.inputs[0].get_first_dimension(), len(operator.raw_operator.components_)
    operator.outputs[0].type.shape = [N, p]


def _mapped(scope, operator, container):
    graph = Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    graph.hand_over(graph.MatMul(X, operator.raw_operator.components_.T), operator.outputs[0])


def _voted_shape(operator):
    N, labels = operator.inputs[0].get_first_dimension(), _labels(operator)
    label, probabilities = operator.outputs
    label.set_type(types.StringTensorType([N]) if labels.dtype.kind == "U" else types.Int64TensorType([N]))
    probabilities.type.shape = [N, len(labels)]


def _voted_in_one_space(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X = scope.declare_local_variable("X", types.DoubleTensorType([None, model.n_features_in_]))
    Z = scope.declare_local_variable("Z", types.DoubleTensorType())
    graph.hand_over(operator.inputs[0].full_name, X)
    inner = scope.declare_local_operator(skl2onnx.get_model_alias(type(model.learner_)), model.learner_)
    inner.inputs.append(X)
    inner.outputs.append(Z)
    _answer(graph, operator, X.full_name, one_space(graph, model.voters_, model.n_neighbors_, Z.full_name))


def _voted_in_many_spaces(scope, operator, container):
    graph = Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    _answer(graph, operator, X, many_spaces(graph, operator.raw_operator.committee_, X))


def _answer(graph, operator, X, P):
    """Label and probabilities. A graph cannot refuse a pattern with NaN or infinity: its probabilities are NaN."""
    P = graph.Add(P, graph.Mul(0.0, graph.total(X, 1)))
    label, probabilities = operator.outputs
    graph.hand_over(graph.Gather(_labels(operator), graph.ArgMax(P, axis=1, keepdims=0)), label)
    graph.hand_over(P, probabilities)


def _labels(operator):
    """Labels as integers or texts; the only floating-point labels are whole numbers."""
    labels = np.asarray(get_label_classes(operator.scope_inst, operator.raw_operator).tolist())
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"labels must be integers or texts, not {labels.dtype.name}")
    return labels if labels.dtype.kind == "U" else labels.astype(np.int64)
