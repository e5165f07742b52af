"""Estimators and searches of scikit-learn that model files may hold, and checks of them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from sklearn import model_selection, preprocessing
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.metrics import check_scoring, get_scorer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..sklearn_compat import HALVING
from .checks import check_numbers, require
from .estimators import Check, EstimatorStates, check_attributes, documented, is_fitted, parameters_of
from .registry import enter, register_known

OBJECTS = (str, int, float, bool, type(None))


def check_categories(encoder: Any) -> None:
    """ValueError unless every feature has sorted categories of numbers or texts."""
    name = type(encoder).__name__
    # a dtype of texts would have a width, which every encoded cell would take up
    require(np.dtype(encoder.dtype).kind in "biuf", f"dtype of {name}", "is none of numbers")
    if "categories_" not in vars(encoder):
        return
    categories = encoder.categories_
    is_list = type(categories) is list and len(categories) == encoder.n_features_in_
    require(is_list, f"categories_ of {name}", "are no list of those of every feature")
    for table in categories:
        is_table = type(table) is np.ndarray and table.ndim == 1 and table.size and table.dtype.kind in "biufUO"
        require(is_table, name, "with categories that are no numbers or texts")
        require(_ascends(table), name, "with unsorted categories")


def check_one_hot(encoder: Any) -> None:
    """ValueError unless all indices of its output are below its number of columns."""
    check_categories(encoder)
    state = vars(encoder)
    if "categories_" not in state:
        return
    none, dropped = [None] * len(state["categories_"]), state["_drop_idx_after_grouping"]
    fits = dropped is None or np.shape(dropped) == (len(none),)
    require(fits, "OneHotEncoder", "with a wrong table of dropped categories")
    grouped = [state[name] if state["_infrequent_enabled"] else none for name in RARE[1:]]
    tables = zip(state["categories_"], *grouped, none if dropped is None else dropped, strict=True)
    widths, stored = [_columns(*tables_of_one) for tables_of_one in tables], state["_n_features_outs"]
    require(type(stored) is list and stored == widths, "OneHotEncoder", "with a wrong number of columns")


def _ascends(table):
    """Whether the numbers are sorted as by numpy, NaN last: else bisection may end behind the last one."""
    if table.dtype.kind == "U":  # looked up by name, in any order
        return True
    if table.dtype.kind == "O":
        return _objects_ascend(table.tolist())
    return np.array_equal(table, np.sort(table), equal_nan=table.dtype.kind == "f")


def _objects_ascend(items):
    """The same of the numbers among objects, compared exactly: as floats, 2**53 and 2**53 + 1 are equal."""
    require(all(type(item) in OBJECTS for item in items), "an encoder", "with categories of other objects")
    numbers = [item for item in items if type(item) in (int, float, bool)]
    known = [number for number in numbers if number == number]
    return known == sorted(known) and numbers[: len(known)] == known


def _columns(categories, rare, groups, dropped):
    """Number of columns of an encoded feature."""
    width = len(categories)
    if rare is not None:
        check_numbers(rare, width, "rare categories")
        require(len(groups) == width and len(rare) > 0, "OneHotEncoder", "with a wrong table of rare categories")
        width -= len(rare) - 1
        check_numbers(groups, width, "groups of categories")
    else:
        require(groups is None, "OneHotEncoder", "with a table of no rare categories")
    if dropped is not None:
        check_numbers([dropped], width, "dropped categories")
    return width - (dropped is not None)


def check_column_transformer(transformer: ColumnTransformer) -> None:
    """ValueError unless its columns are those of its input and slices are listed in full.

    A dozen transformers in a row with short slices of a thousand columns each would fill any memory.
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


ENCODED = "n_features_in_ categories_"
RARE = ("_infrequent_enabled", "_infrequent_indices", "_default_to_infrequent_mappings")


def check_small_parts(made: Any) -> None:
    """ValueError unless a pipeline, an imputer, an indicator or a function holds nothing that could harm."""
    state, name = vars(made), type(made).__name__
    # a new fit of a pipeline would unpickle the files of the folder of its cache
    require(state.get("memory") is None, f"a {name}", "with a cache, `memory`")
    # a ColumnTransformer passes columns through without a function
    require(state.get("func") is None and state.get("inverse_func") is None, f"a {name}", "with a function")
    indicates = type(state.get("indicator_")) in (MissingIndicator, type(None))
    require(indicates, f"indicator_ of {name}", "is something else")
    check_numbers(state.get("features_", ()), state.get("n_features_in_", 0), f"features_ of {name}")


def known(cls: type, needed: str = "", check: Check | None = None, private: tuple[str, ...] = ()) -> None:
    """Register a transformer with attributes that it needs when it is fitted, and private ones that its fit may set."""

    def check_all(transformer):
        check_attributes(transformer, tuple(needed.split()))
        if check is not None:
            check(transformer)

    register_known(f"sklearn:{cls.__name__}", cls, check_all, private)


# numpy checks what is not checked here before it reads
known(Pipeline, check=check_small_parts)
known(
    ColumnTransformer,
    "n_features_in_ transformers_ output_indices_",
    check_column_transformer,
    ("_columns", "_remainder", "_transformer_to_input_indices"),
)
known(make_column_selector)
known(SimpleImputer, "n_features_in_ statistics_ indicator_", check_small_parts, ("_fit_dtype", "_fill_dtype"))
known(MissingIndicator, "n_features_in_ features_", check_small_parts, ("_n_features", "_precomputed"))
known(preprocessing.OneHotEncoder, ENCODED, check_one_hot, (*RARE, "_n_features_outs", "_drop_idx_after_grouping"))
known(preprocessing.OrdinalEncoder, ENCODED, check_categories, (*RARE, "_missing_indices"))
known(preprocessing.MinMaxScaler, "n_features_in_ scale_ min_")
known(preprocessing.MaxAbsScaler, "n_features_in_ scale_")
known(preprocessing.Normalizer, "n_features_in_")
known(preprocessing.StandardScaler, "n_features_in_ scale_ mean_")
known(preprocessing.RobustScaler, "n_features_in_ scale_ center_")
known(preprocessing.QuantileTransformer, "n_features_in_ quantiles_ references_")
known(preprocessing.FunctionTransformer, check=check_small_parts)


PRE_DISPATCH = "2*n_jobs"  # scikit-learn's default
MADE_AGAIN = "scorer_"  # from the name of the score
OF_HALVING = ("_checked_cv_orig", "_n_samples_orig")  # which a new fit sets
SPLITTERS = (
    "KFold StratifiedKFold GroupKFold StratifiedGroupKFold ShuffleSplit StratifiedShuffleSplit GroupShuffleSplit "
)
SPLITTERS += "LeaveOneOut LeaveOneGroupOut TimeSeriesSplit"
DISTRIBUTIONS = (
    "uniform loguniform reciprocal norm lognorm expon gamma beta triang truncnorm randint poisson binom geom"
)


class SearchStates(EstimatorStates):
    """How searches are written and read: without the scorer, which is made again from its name."""

    def to_state(self, estimator: Any) -> dict[str, Any]:
        state = super().to_state(estimator)
        return {name: value for name, value in state.items() if name not in (MADE_AGAIN, *OF_HALVING)}

    def from_state(self, state: Mapping[str, Any]) -> Any:
        made = super().from_state(state)
        made.pre_dispatch = PRE_DISPATCH  # as n_jobs, for the machine that loads; joblib evaluates the text
        made.scorer_ = _scorer(made.estimator, made.scoring)
        return made


def _scorer(estimator: BaseEstimator, scoring: Any) -> Any:
    """The scorer of a search, by name; several are a dict."""
    if scoring is None or isinstance(scoring, str):
        return check_scoring(estimator, scoring)
    names = scoring if isinstance(scoring, dict) else {name: name for name in scoring}
    require(all(isinstance(name, str) for name in names.values()), "a search", "whose scores are not given by name")
    return {key: get_scorer(name) for key, name in names.items()}


def check_search(search: Any) -> None:
    """ValueError unless a search is fitted, and its results belong together."""
    name, results = type(search).__name__, vars(search).get("cv_results_")
    require(isinstance(search.estimator, BaseEstimator), f"estimator of {name}", "is something else")
    if not is_fitted(search):
        return
    is_table = type(results) is dict and all(type(key) is str for key in results) and "params" in results
    require(is_table, f"cv_results_ of {name}", "are something else")
    n = len(results["params"])
    same = all(len(column) == n for column in results.values() if isinstance(column, np.ndarray | list))
    require(same and n, f"cv_results_ of {name}", "have columns of different lengths")
    require(all(map(_are_parameters, results["params"])), f"params of {name}", "are something else")
    if "best_index_" in vars(search):
        check_numbers([search.best_index_], n, f"best_index_ of {name}")
        require(_are_parameters(search.best_params_), f"best_params_ of {name}", "are something else")
    if search.refit:
        best = vars(search).get("best_estimator_")
        require(isinstance(best, BaseEstimator), f"best_estimator_ of {name}", "is something else")
        check_is_fitted(best)


def _are_parameters(given: Any) -> bool:
    return type(given) is dict and all(type(name) is str for name in given)


def _masked(state: Mapping[str, Any]) -> np.ma.MaskedArray:
    data, mask = state["data"], state["mask"]
    fits = type(data) is np.ndarray and type(mask) is np.ndarray and mask.dtype == bool and mask.shape == data.shape
    require(fits, "a masked array", "of other parts than its own")
    return np.ma.MaskedArray(data, mask)


def _distribution(state: Mapping[str, Any]) -> Any:
    """A distribution by its name, which must be in the list."""
    name, args, kwds = state["name"], state["args"], state["kwds"]
    require(name in DISTRIBUTIONS.split(), "a distribution", "that is not known")
    numbers = all(isinstance(value, int | float | np.number) for value in (*args, *kwds.values()))
    require(numbers and _are_parameters(kwds), f"parameters of {name}", "are no numbers")
    return getattr(stats, name)(*args, **kwds)


def _arguments(splitter: Any) -> dict[str, Any]:
    cls: type = type(splitter)
    return {name: getattr(splitter, name) for name in parameters_of(cls)}


def _splitter(cls: type, state: Mapping[str, Any]) -> Any:
    require(set(state) <= set(parameters_of(cls)), cls.__name__, "with parameters that it does not have")
    return cls(**state)


for _cls in (model_selection.GridSearchCV, model_selection.RandomizedSearchCV, *HALVING):
    _states = SearchStates(
        _cls, check_search, documented(_cls), (*OF_HALVING, "pre_dispatch", "multimetric_", "refit_time_")
    )
    enter(f"sklearn:{_cls.__name__}", _cls, _states.to_state, _states.from_state)
for _cls in (getattr(model_selection, name) for name in SPLITTERS.split()):
    enter(f"sklearn:{_cls.__name__}", _cls, _arguments, partial(_splitter, _cls))
for _cls in (type(stats.uniform()), type(stats.randint(0, 2))):
    enter(
        f"scipy:{_cls.__name__}",
        _cls,
        lambda frozen: {"name": frozen.dist.name, "args": frozen.args, "kwds": frozen.kwds},
        _distribution,
    )
enter(
    "numpy:MaskedArray",
    np.ma.MaskedArray,
    lambda array: {"data": np.asarray(array.data), "mask": np.ma.getmaskarray(array)},
    _masked,
)
