"""Converters of our estimators for skl2onnx."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import learners
from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor, FreeEnergySelector
from ..ensemble.finish import samples_looked_at
from ..ensemble.settings import recipe_of
from ..extras import require
from ..learners.base import MetricLearner
from ..learners.kernelized import Kernelized
from .ensembles import filled, location_and_spread, many_spaces, mean_of_neighbors, means, one_space, quantiles
from .graph import GraphBuilder, skl2onnx, types
from .parts import kernel_coordinates

get_label_classes = require("skl2onnx.common.utils_classifier", "onnx").get_label_classes

MAPPERS: tuple[Any, ...] = (MetricLearner,)
COMPARED: dict[Any, list[tuple[int, int]]] = {  # points whose distance speaks against +1, and for it
    learners.PairClassifier: [(0, 1)],
    learners.TripletClassifier: [(0, 1), (0, 2)],
    learners.QuadrupletClassifier: [(0, 1), (2, 3)],
}
try:
    from ..metric_learn import comparisons
    from ..metric_learn.pairs import PairsClassifier
    from ..metric_learn.points import PointsLearner
except ModuleNotFoundError:  # a part of the house that can be left out
    pass
else:
    MAPPERS += (PointsLearner,)
    COMPARED |= {
        PairsClassifier: [(0, 1)],
        comparisons.SCML: [(0, 1), (0, 2)],
        comparisons.LSML: [(0, 1), (2, 3)],
    }

CLASSIFIER_OPTIONS = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]}
REGRESSOR_OPTIONS = {"quantiles": None}  # any probabilities


def register() -> None:
    """Register our estimators, and custom learners that derive from ``MetricLearner``, with ``skl2onnx.to_onnx``.

    :func:`to_onnx` calls this by itself.

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
    maps = {mapper.transform for mapper in MAPPERS}
    for learner in (learner for mapper in MAPPERS for learner in _with_subclasses(mapper)):
        if learner.transform in maps:  # others need their own converters
            _introduce(learner, lambda graph, model, X: [graph.MatMul(X, model.components_.T)])
    for classifier in (classifier for kind in COMPARED for classifier in _with_subclasses(kind)):
        _introduce(classifier, _decided, _tuple_outputs)
    _introduce(Kernelized, _kernel_mapped)
    _introduce(FreeEnergySelector, lambda graph, model, X: [graph.take(X, model.get_support(indices=True))])
    _introduce(learners.MetricKNeighborsClassifier, _voted_in_one_space, options=CLASSIFIER_OPTIONS)
    _introduce(FreeEnergyClassifier, _voted_in_many_spaces, options=CLASSIFIER_OPTIONS)
    _introduce(learners.MetricKNeighborsRegressor, _averaged, _target_outputs)
    _introduce(FreeEnergyRegressor, _expected, _target_outputs, REGRESSOR_OPTIONS)


def _introduce(estimator, results, outputs=None, options=None):
    """Register the converter of an estimator.

    ``results(graph, model, X)``, with several X for tuples, adds nodes to the graph and returns the names of the
    results. ``outputs(scope, model)`` declares the outputs; None leaves those of skl2onnx.
    """
    parts = estimator.__module__.split(".")
    alias = f"Freemetric{'MetricLearn' * ('metric_learn' in parts)}{estimator.__name__}"  # whose names are ours, too

    def parse(scope, model, inputs, custom_parsers=None):
        operator = scope.declare_local_operator(alias, model)
        operator.inputs = inputs
        for name, kind in outputs(scope, model).items():
            operator.outputs.append(scope.declare_local_variable(name, kind))
        return operator.outputs

    def shape(operator):
        N = operator.inputs[0].get_first_dimension()
        if options is CLASSIFIER_OPTIONS:
            labels = _labels(operator.scope_inst, operator.raw_operator)
            kind = types.StringTensorType if labels.dtype.kind == "U" else types.Int64TensorType
            operator.outputs[0].set_type(kind([N]))
            operator.outputs[1].type.shape = [N, len(labels)]
        elif outputs is None:
            learner = operator.raw_operator
            has_names = isinstance(learner, Kernelized | FreeEnergySelector)
            width = len(learner.get_feature_names_out() if has_names else learner.components_)
            operator.outputs[0].type.shape = [N, width]
        else:
            kinds = outputs(operator.scope_inst, operator.raw_operator).values()
            for output, kind in zip(operator.outputs, kinds, strict=True):
                output.type.shape = [N, *kind.shape[1:]]

    def convert(scope, operator, container):
        graph = GraphBuilder(scope, container)
        samples = [graph.doubles(variable.full_name) for variable in operator.inputs]
        for result, output in zip(results(graph, operator.raw_operator, *samples), operator.outputs, strict=True):
            graph.hand_over(result, output)

    parser = None if outputs is None else parse
    skl2onnx.update_registered_converter(estimator, alias, shape, convert, options=options, parser=parser)


def _with_subclasses(cls: Any) -> Iterator[Any]:
    yield cls
    for derived in cls.__subclasses__():
        yield from _with_subclasses(derived)


def _kernel_mapped(graph, model, X):
    return [graph.image(model.learner_, kernel_coordinates(graph, model, X), len(model.projection_))]


def _voted_in_one_space(graph, model, X):
    Z = graph.image(model.learner_, X, model.n_features_in_)
    return _classified(graph, model, X, one_space(graph, model.training_set_, model.n_neighbors_, Z))


def _voted_in_many_spaces(graph, model, X):
    X = filled(graph, model.ensemble_, X)
    return _classified(graph, model, X, many_spaces(graph, model.ensemble_, X, _shortlist(model)))


def _classified(graph, model, X, P):
    """Label and probabilities."""
    P = _or_nan(graph, X, P)
    return graph.Gather(_labels(graph.scope, model), graph.ArgMax(P, axis=1, keepdims=0)), P


def _labels(scope, model):
    """Labels as integers or texts; the only floating-point labels are whole numbers."""
    labels = np.asarray(get_label_classes(scope, model).tolist())
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"labels must be integers or texts, not {labels.dtype.name}")
    return labels if labels.dtype.kind == "U" else labels.astype(np.int64)


def _target_outputs(scope, model):
    """The expected targets and, if the options have them, quantiles."""
    chances = _chances(scope, model)
    n_outputs = np.size(model.numbers_[0]) if isinstance(model, learners.MetricKNeighborsRegressor) else 1
    quantiles = {"quantiles": types.DoubleTensorType([None, len(chances)])} if chances else {}
    return {"variable": types.DoubleTensorType([None, n_outputs]), **quantiles}


def _chances(scope, model):
    return (isinstance(model, FreeEnergyRegressor) and scope.get_options(model, {"quantiles": None})["quantiles"]) or ()


def _averaged(graph, model, X):
    Z = graph.image(model.learner_, X, model.n_features_in_)
    return [_or_nan(graph, X, mean_of_neighbors(graph, model, Z))]


def _expected(graph, model, X):
    X = filled(graph, model.ensemble_, X)
    head, expected = model.ensemble_.head, location_and_spread(graph, model.ensemble_, X, _shortlist(model))
    targets = [means(graph, head, expected)]
    if chances := _chances(graph.scope, model):
        targets.append(quantiles(graph, head, expected, chances))
    return [_or_nan(graph, X, values) for values in targets]


def _shortlist(model):
    """Number of training samples that are compared in every space; None for all."""
    return samples_looked_at(recipe_of(model), model.shortlist_, model.ensemble_)


def _or_nan(graph, X, values):
    """NaN for samples with NaN or infinity, which a graph cannot refuse."""
    return graph.Add(values, graph.Mul(0.0, graph.total(X, 1)))


def takes_tuples(model: Any) -> bool:
    """Whether the model classifies tuples of points."""
    return isinstance(model, tuple(COMPARED))


def tuple_inputs(model: Any) -> list[tuple[str, Any]]:
    """Names and types for skl2onnx: "X1", "X2", ... of shape (n, n_features), the first, second, ... points."""
    width = 1 + max(max(pair) for pair in _compared(model))
    return [(f"X{i + 1}", types.DoubleTensorType([None, model.n_features_in_])) for i in range(width)]


def _tuple_outputs(scope, model):
    """The decision, and the label if the model has one: pairs need a threshold."""
    label = {} if _least(model) is None else {"label": types.Int64TensorType([None])}
    return {"decision": types.DoubleTensorType([None]), **label}


def _decided(graph, model, *points):
    """Results of ``decision_function`` and ``predict``."""
    if hasattr(model, "learner_"):
        images = [graph.image(model.learner_, X, model.n_features_in_) for X in points]
    else:  # metric-learn's classifiers are learners themselves
        images = [graph.MatMul(X, model.components_.T) for X in points]
    apart = [graph.Sub(images[i], images[j]) for i, j in _compared(model)]
    distances = [graph.ReduceL2(difference, np.array([1]), keepdims=0) for difference in apart]
    alone, least = len(distances) == 1, _least(model)
    decision = graph.Neg(distances[0]) if alone else graph.Sub(distances[1], distances[0])
    if least is None:
        return [decision]
    is_alike = graph.GreaterOrEqual(decision, least) if alone else graph.Greater(decision, least)
    return [decision, graph.Where(is_alike, np.array([1]), np.array([-1]))]


def _compared(model):
    return next(pairs for kind, pairs in COMPARED.items() if isinstance(model, kind))


def _least(model):
    """The least decision with the label +1; None for a model of pairs without a threshold."""
    if len(_compared(model)) > 1:
        return 0.0
    threshold = getattr(model, "threshold_", None)
    return None if threshold is None else -float(threshold)
