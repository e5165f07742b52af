"""scikit-learn's preprocessing of tables as graphs, in double precision.

skl2onnx has converters for most of these, which round to single precision or lack what tables need: gaps among names,
rare names, indicators of gaps, constant features on quantiles. :func:`to_onnx` uses these instead.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, QuantileTransformer

from .graph import GraphBuilder, types
from .parts import on_quantiles

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
        made = encode(graph, step, list(_columns(graph, operator.inputs)))
    else:
        made = GRAPHS[type(step)](graph, step, graph.doubles(operator.inputs[0].full_name))
    graph.hand_over(made, operator.outputs[0])


def _columns(graph, inputs):
    """The columns (n, 1) of all inputs, and whether they are texts; if not they are doubles."""
    for variable in inputs:
        is_text = isinstance(variable.type, types.StringTensorType)
        name = variable.full_name if is_text else graph.doubles(variable.full_name)
        for j in range(variable.type.shape[1]):
            yield graph.take(name, [j]), is_text


def _is_nan(value):
    return isinstance(value, float) and np.isnan(value)
