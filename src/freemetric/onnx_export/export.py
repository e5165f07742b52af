"""Models as ONNX graphs, with scikit-learn's preprocessing of tables in double precision."""

import json
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, QuantileTransformer
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..ensemble.tasks.intervals import check_chances, check_one_target
from ..files.atomic import replacing
from ..learners import MetricRetriever
from .converters import register, takes_tuples, tuple_inputs
from .graph import GraphBuilder, onnx, skl2onnx, types
from .parts import on_quantiles

OPSET = {"": 18, "ai.onnx.ml": 3}  # of 2022, for older runtimes; a newer one is not needed


def declared(model: Any) -> tuple[list[tuple[str, Any]], Sequence[str] | None]:
    """Names and types of the inputs for skl2onnx, and the names of the features or None."""
    first = _step(model, 0)
    names = getattr(model, "feature_names_in_", None)
    if names is None or not isinstance(first, ColumnTransformer):
        return [("X", types.DoubleTensorType([None, model.n_features_in_]))], names
    texts = {name for _, step, columns in first.transformers_ for name in _texts(_step(step, 0), columns, names)}
    kinds = {True: types.StringTensorType, False: types.DoubleTensorType}
    return [(name, kinds[name in texts]([None, 1])) for name in names], names


def _step(model, number):
    """The first or last step of a pipeline, of pipelines in it, too; else the model itself."""
    while isinstance(model, Pipeline):
        model = model.steps[number][1]
    return model


def _texts(encoder, columns, names):
    """Names of those columns of an encoder whose categories are texts."""
    kinds = [np.asarray(categories).dtype.kind for categories in getattr(encoder, "categories_", ())]
    if not kinds:
        return []
    columns = [columns] if isinstance(columns, str) else columns
    if not all(isinstance(column, str) for column in np.ravel(columns)):  # numbers, a mask or a slice
        columns = names[columns]
    return [column for column, kind in zip(columns, kinds, strict=True) if kind in "OU"]


def to_onnx(model: Any, path: str | PathLike | None = None, *, quantiles: float | Sequence[float] | None = None) -> Any:
    """Export a fitted model as an ONNX graph, which predicts without Python.

    The graph computes in double precision. Its input is "X" of shape (n, n_features), or, if the model begins with a
    ``ColumnTransformer`` that was fitted on a DataFrame, an input of shape (n, 1) for every column, whose empty texts
    are gaps. Classifiers of tuples have inputs "X1", "X2", ... for the first, second, ... points of all tuples. Outputs
    are "variable" (coordinates, or expected targets) and "quantiles", "label" and "probabilities", or "decision" and
    "label". The metadata hold JSON lists: "classes", the columns of the probabilities, "quantiles", their
    probabilities, and "columns", the names of the features. A sample with infinity gets NaN, and so does one with NaN,
    which is a gap for free-energy models alone.

    The graph holds the training set if neighbours vote, and all distances of a batch are in memory at once: feed some
    thousands of samples at a time.

    Parameters
    ----------
    model : estimator
        A fitted metric learner, MetricKNeighborsClassifier, FreeEnergyClassifier, FreeEnergyRegressor, TableClassifier,
        classifier of tuples, FreeEnergySelector, an estimator of freemetric.metric_learn, or a pipeline or search with
        one; of a MetricRetriever, its ``transform``. Dates of a table are inputs of their numeric parts. skl2onnx must
        know the other steps.
    path : path-like or None, default=None
        File to write. An existing one is replaced, once the new one is complete.
    quantiles : float, sequence of float or None, default=None
        Probabilities between 0 and 1: quantiles of the targets, as ``predict_quantiles`` of a FreeEnergyRegressor.

    Returns
    -------
    onnx.ModelProto
        The graph, in opset 18.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If it cannot be exported.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> from freemetric.onnx_export import to_onnx
    >>> model = make_pipeline(MinMaxScaler(), NCA(), KNeighborsClassifier()).fit(*load_wine(return_X_y=True))
    >>> made = to_onnx(model)
    >>> [output.name for output in made.graph.output]
    ['label', 'probabilities']
    """
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    model = getattr(model, "pipeline_", model)  # of a table, whose columns are the inputs
    if isinstance(model, MetricRetriever):  # the map to the vectors that are searched
        model = model.learner_
        if isinstance(_step(model, -1), FreeEnergyClassifier | FreeEnergyRegressor):
            raise ValueError("MetricRetriever cannot be exported: the learned space of an ensemble has no graph.")
    chances, last = None if quantiles is None else check_chances(quantiles).tolist(), _step(model, -1)
    if chances is not None and not isinstance(last, FreeEnergyRegressor):
        raise ValueError(f"quantiles are of a FreeEnergyRegressor; {type(last).__name__} has none.")
    check_one_target(last, "Graphs are for models")
    made, columns = _converted(model, chances)
    about = {"classes": model.classes_ if is_classifier(model) else None, "quantiles": chances, "columns": columns}
    known = {name: json.dumps(np.asarray(value).tolist()) for name, value in about.items() if value is not None}
    onnx.helper.set_model_props(made, known)
    if path is not None:
        with replacing(Path(path)) as file:
            file.write(made.SerializeToString())
    return made


def _converted(model, chances):
    """The graph and the names of the features, if they have any."""
    register()
    inputs, columns = (tuple_inputs(model), None) if takes_tuples(model) else declared(model)
    options = {id(model): {"zipmap": False}} if is_classifier(model) and not takes_tuples(model) else {}
    if chances:
        options[id(_step(model, -1))] = {"quantiles": chances}
    try:
        made = skl2onnx.convert_sklearn(
            model,
            name=type(model).__name__,
            initial_types=inputs,
            target_opset=OPSET,
            options=options or None,
            custom_conversion_functions=dict.fromkeys((*GRAPHS, *CODES), convert),
            custom_shape_calculators=dict.fromkeys((*GRAPHS, *CODES), shape),
        )
    except Exception as problem:  # of any kind: skl2onnx raises many
        reason = str(problem).strip().partition("\n")[0]
        raise ValueError(f"{type(model).__name__} cannot be exported: {reason}") from problem
    if columns is not None and len(inputs) > 1:  # an input for every column; those that are not used go
        used = {name for node in made.graph.node for name in node.input}
        left = [(put, column) for put, column in zip(made.graph.input, columns, strict=True) if put.name in used]
        del made.graph.input[:]
        made.graph.input.extend(put for put, _ in left)
        columns = [column for _, column in left]
    return made, columns


GAP = ""  # stands for a gap among texts, which have no NaN


def impute(graph: GraphBuilder, imputer: SimpleImputer, X: str) -> str:
    """Fill gaps with numbers, and append indicators of gaps if ``add_indicator``."""
    numbers = np.asarray(imputer.statistics_.tolist())  # a constant is stored as an object
    if numbers.dtype.kind not in "if" or np.isnan(numbers).any() or not _is_nan(imputer.missing_values):
        raise ValueError("SimpleImputer is exported where a number takes the place of NaN in every feature")
    filled = graph.Where(graph.IsNaN(X), numbers.astype(float), X)
    if not imputer.add_indicator or not len(imputer.indicator_.features_):
        return filled
    return graph.Concat(filled, indicate(graph, imputer.indicator_, X), axis=1)


def indicate(graph: GraphBuilder, indicator: MissingIndicator, X: str) -> str:
    """Indicators of gaps."""
    if not _is_nan(indicator.missing_values):
        raise ValueError("MissingIndicator is exported where NaN is what is missing")
    return graph.doubles(graph.take(graph.IsNaN(X), indicator.features_))


def encode(graph: GraphBuilder, encoder: Any, columns: list[tuple[str, bool]]) -> str:
    """Look up the category of every column, and its code."""
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(columns)
    blocks = []
    for i, (column, categories) in enumerate(zip(columns, encoder.categories_, strict=True)):
        names = _names(categories)
        is_rare = np.isin(np.arange(len(names)), [names.index(name) for name in _names(rare[i])])
        position = graph.Squeeze(_position(graph, *column, names), np.array([1]))
        blocks.append(graph.Gather(CODES[type(encoder)](encoder, i, is_rare), position, axis=0))
    return graph.Concat(*blocks, axis=1)


def _names(categories):
    """Categories as a list; None is a gap."""
    values = () if categories is None else np.asarray(categories).tolist()
    return [None if value is None or value != value else value for value in values]


def _position(graph, column, is_text, names):
    """The number (n, 1) of the category in a column (n, 1); for an unknown one, the number of categories."""
    count = len(names)
    if is_text:
        texts = [GAP if name is None else name for name in names]
        if texts.count(GAP) > 1:
            raise ValueError("a column of texts has several kinds of gaps, which are all the same in ONNX")
        options = {"keys_strings": texts, "values_int64s": range(count), "default_int64": count}
        return graph.LabelEncoder(column, domain="ai.onnx.ml", **options)
    if any(isinstance(name, str) for name in names):
        raise ValueError("texts are exported where a ColumnTransformer takes them from a DataFrame")
    numbers = np.array([np.nan if name is None else name for name in names], dtype=np.float64)
    both_gaps = graph.And(graph.IsNaN(column), np.isnan(numbers))
    same = graph.integers(graph.Or(graph.Equal(column, numbers), both_gaps))
    # only the category j that matches, if any, leaves its count - j
    return graph.Sub(count, graph.ReduceMax(graph.Mul(same, count - np.arange(count)), np.array([1]), keepdims=1))


def _numbers(encoder, i, is_rare):
    """Ordinal codes (n_categories + 1, 1) of categories; the last row is for unknown ones."""
    if is_rare.any():
        raise ValueError("OrdinalEncoder is exported without infrequent categories")
    gap = encoder.encoded_missing_value  # for NaN; None is a category like any other
    known = [gap if _is_nan(name) else number for number, name in enumerate(encoder.categories_[i])]
    return np.array([[*known, np.nan if encoder.unknown_value is None else encoder.unknown_value]], dtype=float).T


def _indicators(encoder, i, is_rare):
    """One-hot codes (n_categories + 1, width) of categories; the last row is for unknown ones."""
    group = np.where(is_rare, (~is_rare).sum(), np.cumsum(~is_rare) - 1)
    table = np.eye(group.max() + 1)[group]
    joins = is_rare.any() and encoder.handle_unknown in ("infrequent_if_exist", "warn")
    table = np.vstack([table, table[is_rare][0] if joins else np.zeros(table.shape[1])])
    dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[i]
    return table if dropped is None else np.delete(table, group[dropped], axis=1)


CODES: dict[type, Callable[..., NDArray]] = {OrdinalEncoder: _numbers, OneHotEncoder: _indicators}
GRAPHS: dict[type, Callable[..., str]] = {
    SimpleImputer: impute,
    MissingIndicator: indicate,
    QuantileTransformer: on_quantiles,
}


def shape(operator: Any) -> None:
    """Set the type of a step's output, for skl2onnx."""
    N, width = operator.inputs[0].get_first_dimension(), len(operator.raw_operator.get_feature_names_out())
    operator.outputs[0].set_type(types.DoubleTensorType([N, width]))


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the graph of a step, for skl2onnx."""
    graph, step = GraphBuilder(scope, container), operator.raw_operator
    if type(step) in CODES:
        columns = []  # (n, 1) of all inputs, and whether they are texts; if not they are doubles
        for variable in operator.inputs:
            is_text = isinstance(variable.type, types.StringTensorType)
            name = variable.full_name if is_text else graph.doubles(variable.full_name)
            columns += [(graph.take(name, [j]), is_text) for j in range(variable.type.shape[1])]
        made = encode(graph, step, columns)
    else:
        made = GRAPHS[type(step)](graph, step, graph.doubles(operator.inputs[0].full_name))
    graph.hand_over(made, operator.outputs[0])


def _is_nan(value):
    return isinstance(value, float) and np.isnan(value)
