"""What a graph takes: one table of numbers, or a table's columns one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from ..extras import require

types = require("skl2onnx.common.data_types", "onnx")


def declared(model: Any) -> tuple[list[tuple[str, Any]], Sequence[str] | None]:
    """Names and types of the inputs for skl2onnx, and the names of the features or None."""
    first = _first(model)
    names = getattr(model, "feature_names_in_", None)
    if names is None or not isinstance(first, ColumnTransformer):
        return [("X", types.DoubleTensorType([None, model.n_features_in_]))], names
    texts = {name for _, step, columns in first.transformers_ for name in _texts(_first(step), columns, names)}
    kinds = {True: types.StringTensorType, False: types.DoubleTensorType}
    return [(name, kinds[name in texts]([None, 1])) for name in names], names


def prune(made: Any, columns: Sequence[str]) -> list[str]:
    """Take unused inputs out of a graph with an input for every column; the columns that are left."""
    used = {name for node in made.graph.node for name in node.input}
    left = [(put, column) for put, column in zip(made.graph.input, columns, strict=True) if put.name in used]
    kept = [put for put, _ in left]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    return [column for _, column in left]


def last_step(model: Any) -> Any:
    """What answers in the end."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def _first(step):
    while isinstance(step, Pipeline):
        step = step.steps[0][1]
    return step


def _texts(encoder, columns, names):
    """Names of those columns of an encoder whose categories are texts."""
    kinds = [np.asarray(categories).dtype.kind for categories in getattr(encoder, "categories_", ())]
    if not kinds:
        return []
    columns = [columns] if isinstance(columns, str) else columns
    if not all(isinstance(column, str) for column in np.ravel(columns)):  # numbers, a mask or a slice
        columns = names[columns]
    return [column for column, kind in zip(columns, kinds, strict=True) if kind in "OU"]
