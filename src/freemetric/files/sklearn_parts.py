"""scikit-learn's transformers in model files: which, under what tags, and what is checked of them."""

from typing import Any, NamedTuple

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

from .checks import check_numbers, require
from .encoder_checks import check_categories, check_one_hot
from .estimators import Check, check_attributes
from .registry import register_known


def check_pipeline(pipeline: Pipeline) -> None:
    """Fitted again, it would unpickle whatever lies in the folder that it names for its cache."""
    require(pipeline.memory is None, "a Pipeline", "with a cache, `memory`")


def check_function_transformer(transformer: FunctionTransformer) -> None:
    """Without a function it passes columns through; that is all a ColumnTransformer needs."""
    has_none = transformer.func is None and transformer.inverse_func is None
    require(has_none, "a FunctionTransformer", "with a function")


def check_column_transformer(transformer: ColumnTransformer) -> None:
    """Its columns are those of its input, and each one that it hands on is written in the file.

    A slice says a thousand columns in a few letters; a dozen of such transformers in a row would fill any memory.
    """
    if "transformers_" not in vars(transformer):
        return
    d, listed = transformer.n_features_in_, vars(transformer)["_transformer_to_input_indices"]
    for columns in listed.values():
        check_numbers(columns, d, "columns of ColumnTransformer")
    names = [name for name, _, _ in transformer.transformers_]
    require(len(set(names)) == len(names), "a ColumnTransformer", "with two transformers of one name")
    slices = {name: columns for name, _, columns in transformer.transformers_ if isinstance(columns, slice)}
    for name, columns in slices.items():
        whole = len(range(*columns.indices(d))) == len(listed[name])
        require(whole, "a ColumnTransformer", "with a slice of other columns than it lists")


def check_imputer(imputer: SimpleImputer) -> None:
    """What marks the gaps is what it made itself."""
    usual = type(vars(imputer).get("indicator_")) in (MissingIndicator, type(None))
    require(usual, "indicator_ of SimpleImputer", "is something else")


def check_indicator(indicator: MissingIndicator) -> None:
    """Its features are those of its input."""
    if "features_" in vars(indicator):
        check_numbers(indicator.features_, indicator.n_features_in_, "features_ of MissingIndicator")


class Part(NamedTuple):
    """What a fitted transformer cannot work without, what else is asked of it, and the private names it sets."""

    needed: tuple[str, ...] = ()
    check: Check | None = None
    private: tuple[str, ...] = ()

    def check_all(self, transformer: Any) -> None:
        check_attributes(transformer, self.needed)
        if self.check is not None:
            self.check(transformer)


d = "n_features_in_"
RARE = ("_infrequent_enabled", "_infrequent_indices", "_default_to_infrequent_mappings")
PARTS = {
    Pipeline: Part(check=check_pipeline),
    ColumnTransformer: Part(
        (d, "transformers_", "output_indices_"),
        check_column_transformer,
        ("_columns", "_remainder", "_transformer_to_input_indices"),
    ),
    make_column_selector: Part(),
    SimpleImputer: Part((d, "statistics_", "indicator_"), check_imputer, ("_fit_dtype", "_fill_dtype")),
    MissingIndicator: Part((d, "features_"), check_indicator, ("_n_features", "_precomputed")),
    OneHotEncoder: Part((d, "categories_"), check_one_hot, (*RARE, "_n_features_outs", "_drop_idx_after_grouping")),
    OrdinalEncoder: Part((d, "categories_"), check_categories, (*RARE, "_missing_indices")),
    MinMaxScaler: Part((d, "scale_", "min_")),
    MaxAbsScaler: Part((d, "scale_")),
    StandardScaler: Part((d, "scale_", "mean_")),
    RobustScaler: Part((d, "scale_", "center_")),
    QuantileTransformer: Part((d, "quantiles_", "references_")),
    # what a ColumnTransformer passes columns through with; a function of its own could not be saved
    FunctionTransformer: Part(check=check_function_transformer),
}
"""Transformers that files may hold; whatever is not looked at here relies on numpy, which looks before it reads."""

for _cls, _part in PARTS.items():
    register_known(f"sklearn:{_cls.__name__}", _cls, _part.check_all, _part.private)
