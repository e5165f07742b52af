"""Searches of scikit-learn over parameters, with their results, and what their parameters may hold."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.validation import check_is_fitted

from ..sklearn_compat import HALVING
from .checks import check_numbers, require
from .estimators import EstimatorStates, documented, is_fitted, parameters_of
from .registry import enter

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


def _data_and_mask(array: np.ma.MaskedArray) -> dict[str, Any]:
    return {"data": np.asarray(array.data), "mask": np.ma.getmaskarray(array)}


def _masked(state: Mapping[str, Any]) -> np.ma.MaskedArray:
    data, mask = state["data"], state["mask"]
    fits = type(data) is np.ndarray and type(mask) is np.ndarray and mask.dtype == bool and mask.shape == data.shape
    require(fits, "a masked array", "of other parts than its own")
    return np.ma.MaskedArray(data, mask)


def _parts_of(frozen: Any) -> dict[str, Any]:
    return {"name": frozen.dist.name, "args": frozen.args, "kwds": frozen.kwds}


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
    enter(f"scipy:{_cls.__name__}", _cls, _parts_of, _distribution)
enter("numpy:MaskedArray", np.ma.MaskedArray, _data_and_mask, _masked)
