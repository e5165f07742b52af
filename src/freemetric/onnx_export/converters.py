"""What skl2onnx calls when it meets one of our estimators."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..ensemble.finish import samples_looked_at
from ..extras import require
from ..learners import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from ..learners.base import MetricLearner
from ..learners.kernel_space import Kernel
from ..learners.kernelized import Kernelized
from ..metric_learn.base import PointsLearner
from .ensembles import many_spaces, means, one_space, outlook, quantiles
from .graph import Graph
from .neighbors import mean_of_neighbors
from .tuples import convert_tuples, tuple_classifiers, tuple_outputs, tuple_shape


def kernel_coordinates(graph: Graph, model: Kernelized, X: str) -> str:
    """Coordinates (n, r) of patterns, as the learner in the model takes them; ValueError where there is no graph."""
    kernel = Kernel(model.kernel, model.gamma_, model.degree, model.coef0)
    if not isinstance(kernel.kind, str):
        raise ValueError("a kernel of one's own has no ONNX graph, only those that have a name")
    K = GRAPHS[kernel.kind](graph, kernel, X, model.landmarks_)
    return graph.MatMul(graph.Sub(K, model.offset_), model.projection_.T)


def _rbf(graph, kernel, X, landmarks):
    centre = landmarks.mean(axis=0)
    X, landmarks = graph.Sub(X, centre), landmarks - centre
    lengths = graph.ReduceSumSquare(X, np.array([1]), keepdims=1)
    products = graph.MatMul(X, -2 * landmarks.T)
    squared = graph.Add(graph.Add(products, lengths), (landmarks**2).sum(axis=1))
    return graph.Exp(graph.Mul(graph.Max(squared, 0.0), -kernel.gamma))


def _laplacian(graph, kernel, X, landmarks):
    """A feature after the other: all at once would need the memory of n m d numbers."""
    apart = [graph.Abs(graph.Sub(graph.take(X, [i]), landmarks[:, i])) for i in range(landmarks.shape[1])]
    return graph.Exp(graph.Mul(graph.Sum(*apart), -kernel.gamma))


def _poly(graph, kernel, X, landmarks):
    return graph.Pow(graph.Add(_products(graph, kernel.gamma, X, landmarks), float(kernel.coef0)), float(kernel.degree))


def _sigmoid(graph, kernel, X, landmarks):
    return graph.Tanh(graph.Add(_products(graph, kernel.gamma, X, landmarks), float(kernel.coef0)))


def _cosine(graph, kernel, X, landmarks):
    lengths = np.linalg.norm(landmarks, axis=1, keepdims=True)
    norms = graph.ReduceL2(X, np.array([1]), keepdims=1)
    norms = graph.Where(graph.Equal(norms, 0.0), 1.0, norms)
    return graph.MatMul(graph.Div(X, norms), (landmarks / np.where(lengths > 0, lengths, 1)).T)


def _linear(graph, kernel, X, landmarks):
    return graph.MatMul(X, landmarks.T)


def _products(graph, gamma, X, landmarks):
    # a factor behind the product would become one of single precision in onnxruntime
    return graph.MatMul(X, gamma * landmarks.T)


GRAPHS: dict[str, Callable[..., str]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "poly": _poly,
    "sigmoid": _sigmoid,
    "cosine": _cosine,
    "linear": _linear,
    "precomputed": lambda graph, kernel, X, landmarks: graph.take(X, landmarks),
}
"""Functions (graph, kernel, X, landmarks) -> K by the name of the kernel."""


skl2onnx = require("skl2onnx", "onnx")
types = require("skl2onnx.common.data_types", "onnx")
get_label_classes = require("skl2onnx.common.utils_classifier", "onnx").get_label_classes

Mapper = MetricLearner | PointsLearner

CLASSIFIER_OPTIONS = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]}
REGRESSOR_OPTIONS = {"quantiles": None}  # chances, as many as one likes


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
    for learner in (*_learners(MetricLearner), *_learners(PointsLearner)):
        _introduce(learner, _mapped_shape, _mapped)
    for classifier in tuple_classifiers():
        _introduce(classifier, tuple_shape, convert_tuples, parser=tuple_outputs)
    _introduce(Kernelized, _kernel_mapped_shape, _kernel_mapped)
    _introduce(MetricKNeighborsClassifier, _voted_shape, _voted_in_one_space, CLASSIFIER_OPTIONS)
    _introduce(FreeEnergyClassifier, _voted_shape, _voted_in_many_spaces, CLASSIFIER_OPTIONS)
    _introduce(MetricKNeighborsRegressor, _averaged_shape, _averaged_in_one_space, parser=_averaged_output)
    _introduce(FreeEnergyRegressor, _told_shape, _told_in_many_spaces, REGRESSOR_OPTIONS, _told_outputs)


def _introduce(
    estimator: type,
    shape: Callable,
    convert: Callable,
    options: dict[str, Any] | None = None,
    parser: Callable | None = None,
) -> None:
    parts = estimator.__module__.split(".")
    alias = f"Freemetric{'MetricLearn' * ('metric_learn' in parts)}{estimator.__name__}"  # whose names are ours, too
    skl2onnx.update_registered_converter(estimator, alias, shape, convert, options=options, parser=parser)


def _learners(base: type[Mapper]) -> Iterator[type[Mapper]]:
    for learner in base.__subclasses__():
        yield from _learners(learner)
        if learner.transform in (MetricLearner.transform, PointsLearner.transform):  # others need their own converters
            yield learner


def _mapped_shape(operator):
    N, p = operator.inputs[0].get_first_dimension(), len(operator.raw_operator.components_)
    operator.outputs[0].type.shape = [N, p]


def _mapped(scope, operator, container):
    graph = Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    graph.hand_over(graph.MatMul(X, operator.raw_operator.components_.T), operator.outputs[0])


def _kernel_mapped_shape(operator):
    N, names = operator.inputs[0].get_first_dimension(), operator.raw_operator.get_feature_names_out()
    operator.outputs[0].type.shape = [N, len(names)]


def _kernel_mapped(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    directions = scope.declare_local_variable("directions", types.DoubleTensorType([None, len(model.projection_)]))
    graph.hand_over(kernel_coordinates(graph, model, X), directions)
    graph.hand_over(_within(scope, model.learner_, directions), operator.outputs[0])


def _voted_shape(operator):
    N, labels = operator.inputs[0].get_first_dimension(), _labels(operator)
    label, probabilities = operator.outputs
    label.set_type(types.StringTensorType([N]) if labels.dtype.kind == "U" else types.Int64TensorType([N]))
    probabilities.type.shape = [N, len(labels)]


def _voted_in_one_space(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X, Z = _in_learned_space(scope, operator, graph)
    _answer(graph, operator, X, one_space(graph, model.training_set_, model.n_neighbors_, Z))


def _averaged_output(scope, model, inputs, custom_parsers=None):
    operator = scope.declare_local_operator(skl2onnx.get_model_alias(type(model)), model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("variable", types.DoubleTensorType()))
    return operator.outputs


def _averaged_shape(operator):
    n_outputs = np.size(operator.raw_operator.numbers_[0])
    operator.outputs[0].type.shape = [operator.inputs[0].get_first_dimension(), n_outputs]


def _averaged_in_one_space(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X, Z = _in_learned_space(scope, operator, graph)
    graph.hand_over(_or_nan(graph, X, mean_of_neighbors(graph, model, Z)), operator.outputs[0])


def _in_learned_space(scope, operator, graph):
    """Patterns, and where the learner of a model maps them."""
    model = operator.raw_operator
    X = scope.declare_local_variable("X", types.DoubleTensorType([None, model.n_features_in_]))
    graph.hand_over(operator.inputs[0].full_name, X)
    return X.full_name, _within(scope, model.learner_, X)


def _within(scope, learner, X):
    """Where a learner inside of a model maps X."""
    Z = scope.declare_local_variable("Z", types.DoubleTensorType())
    inner = scope.declare_local_operator(skl2onnx.get_model_alias(type(learner)), learner)
    inner.inputs.append(X)
    inner.outputs.append(Z)
    return Z.full_name


def _voted_in_many_spaces(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    _answer(graph, operator, X, many_spaces(graph, model.ensemble_, X, _samples_looked_at(model)))


def _samples_looked_at(model):
    """Training samples that predictions of a model ask in every space; None for all."""
    return samples_looked_at(model.shortlist, model.shortlist_, model.ensemble_)


def _or_nan(graph, X, numbers):
    """A graph cannot refuse a pattern with NaN or infinity: what it says of it is NaN."""
    return graph.Add(numbers, graph.Mul(0.0, graph.total(X, 1)))


def _answer(graph, operator, X, P):
    """Label and probabilities."""
    P = _or_nan(graph, X, P)
    label, probabilities = operator.outputs
    graph.hand_over(graph.Gather(_labels(operator), graph.ArgMax(P, axis=1, keepdims=0)), label)
    graph.hand_over(P, probabilities)


def _told_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the expected numbers, and quantiles where they are asked for."""
    operator = scope.declare_local_operator(skl2onnx.get_model_alias(type(model)), model)
    operator.inputs = inputs
    names = ["variable", "quantiles"] if _chances(scope, model) else ["variable"]
    for name in names:
        operator.outputs.append(scope.declare_local_variable(name, types.DoubleTensorType()))
    return operator.outputs


def _told_shape(operator):
    N, chances = operator.inputs[0].get_first_dimension(), _chances(operator.scope_inst, operator.raw_operator)
    for output, width in zip(operator.outputs, (1, len(chances)), strict=False):
        output.type.shape = [N, width]


def _told_in_many_spaces(scope, operator, container):
    model, graph = operator.raw_operator, Graph(scope, container)
    X = graph.doubles(operator.inputs[0].full_name)
    expected = outlook(graph, model.ensemble_, X, _samples_looked_at(model))
    chances = _chances(scope, model)
    told = [means(graph, model.ensemble_, expected)]
    if chances:
        told.append(quantiles(graph, model.ensemble_, expected, chances))
    for numbers, output in zip(told, operator.outputs, strict=True):
        graph.hand_over(_or_nan(graph, X, numbers), output)


def _chances(scope, model):
    return scope.get_options(model, {"quantiles": None})["quantiles"] or ()


def _labels(operator):
    """Labels as integers or texts; the only floating-point labels are whole numbers."""
    labels = np.asarray(get_label_classes(operator.scope_inst, operator.raw_operator).tolist())
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"labels must be integers or texts, not {labels.dtype.name}")
    return labels if labels.dtype.kind == "U" else labels.astype(np.int64)
