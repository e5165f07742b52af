"""scikit-learn's transformers in model files: which, under what tags, and what they must not be told by a file."""

from numbers import Real

from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from .checks import check_numbers
from .estimators import check_attributes
from .registry import register


def check_one_hot(encoder):
    """It makes indices of a sparse matrix from these tables, and scipy writes wherever indices point."""
    state = vars(encoder)
    if "categories_" not in state:
        return
    d = len(state["categories_"])
    grouped = state["_infrequent_enabled"]
    rare = state["_infrequent_indices"] if grouped else [None] * d
    groups = state["_default_to_infrequent_mappings"] if grouped else [None] * d
    dropped = state["_drop_idx_after_grouping"]
    dropped = [None] * d if dropped is None else dropped
    tables = zip(state["categories_"], rare, groups, dropped, strict=True)
    widths = [_columns(*tables_of_one) for tables_of_one in tables]
    if d != encoder.n_features_in_ or list(state["_n_features_outs"]) != widths:
        raise ValueError("OneHotEncoder with a wrong number of columns")


def _columns(categories, rare, groups, dropped):
    """How many columns a feature is encoded by."""
    # numbers are looked up by bisection, which may end anywhere, even behind the last, unless they are sorted
    numbers = [category for category in categories.tolist() if isinstance(category, Real)]
    if numbers != sorted(numbers, key=lambda number: (number != number, number)):
        raise ValueError("OneHotEncoder with unsorted categories")
    width = len(categories)
    if rare is not None:
        check_numbers(rare, width, "rare categories")
        if len(groups) != width or len(rare) == 0:
            raise ValueError("OneHotEncoder with a wrong table of rare categories")
        width -= len(rare) - 1
        check_numbers(groups, width, "groups of categories")
    elif groups is not None:
        raise ValueError("OneHotEncoder with a table of no rare categories")
    if dropped is not None:
        check_numbers([dropped], width, "dropped categories")
    return width - (dropped is not None)


def check_pipeline(pipeline):
    """Fitted again, it would unpickle whatever lies in the folder that it names for its cache."""
    if pipeline.memory is not None:
        raise ValueError("a Pipeline with a cache, `memory`")


def check_function_transformer(transformer):
    """Without a function it passes columns through; that is all a ColumnTransformer needs."""
    if transformer.func is not None or transformer.inverse_func is not None:
        raise ValueError("a FunctionTransformer with a function")


def _with(*needed, also=None):
    """A check that a fitted transformer has these attributes, and passes a check of its own."""

    def check(transformer):
        check_attributes(transformer, needed)
        if also is not None:
            also(transformer)

    return check


d = "n_features_in_"
CHECKS = {
    Pipeline: check_pipeline,
    ColumnTransformer: _with(d, "transformers_", "output_indices_"),
    make_column_selector: _with(),
    SimpleImputer: _with(d, "statistics_", "indicator_"),
    MissingIndicator: _with(d, "features_"),
    OneHotEncoder: _with(d, "categories_", also=check_one_hot),
    OrdinalEncoder: _with(d, "categories_"),
    MinMaxScaler: _with(d, "scale_", "min_"),
    MaxAbsScaler: _with(d, "scale_"),
    StandardScaler: _with(d, "scale_", "mean_"),
    RobustScaler: _with(d, "scale_", "center_"),
    QuantileTransformer: _with(d, "quantiles_", "references_"),
    # what a ColumnTransformer passes columns through with; a function of its own could not be saved
    FunctionTransformer: check_function_transformer,
}
"""Checks by class; whatever is not looked at here relies on numpy, which looks before it reads."""

for _cls, _check in CHECKS.items():
    register(f"sklearn:{_cls.__name__}", _cls, _check)
