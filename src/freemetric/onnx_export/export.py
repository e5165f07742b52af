"""``to_onnx``: a fitted model as a file."""

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyRegressor
from ..ensemble.tasks.intervals import check_chances
from ..files.atomic import replacing
from . import preprocessing
from .converters import register, takes_tuples, tuple_inputs
from .graph import onnx, skl2onnx, types

OPSET = {"": 18, "ai.onnx.ml": 3}  # of 2022, for older runtimes; a newer one is not needed
TREATED = (*preprocessing.GRAPHS, *preprocessing.CODES)


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
        classifier of tuples, an estimator of freemetric.metric_learn, or a pipeline or search with one. Dates of a
        table are inputs of their numeric parts. skl2onnx must know the other steps.
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
    chances, last = None if quantiles is None else check_chances(quantiles).tolist(), _step(model, -1)
    if chances is not None and not isinstance(last, FreeEnergyRegressor):
        raise ValueError(f"quantiles are of a FreeEnergyRegressor; {type(last).__name__} has none.")
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
            custom_conversion_functions=dict.fromkeys(TREATED, preprocessing.convert),
            custom_shape_calculators=dict.fromkeys(TREATED, preprocessing.shape),
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
