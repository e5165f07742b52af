"""The matrix of usual uses as data: estimators, uses, columns, and what is refused.

A new estimator is a line in ``ESTIMATORS`` of estimators.py. A new use is a function in uses.py and a line in ``USES``.
A new place to run in is a function in ways.py and a line in ``WAYS``. What cannot work is a line in ``REFUSED``.
"""

from typing import NamedTuple

from . import uses, ways
from .estimators import (
    CLASSIFIERS,
    ESTIMATORS,
    EVERYONE,
    LEARNERS,
    PREDICTORS,
    REGRESSORS,
    TUPLES,
)

USES = {
    "cross_val_score": (uses.use_cross_val_score, EVERYONE),
    "cross_val_predict": (uses.use_cross_val_predict, EVERYONE),
    "learning_curve": (uses.use_learning_curve, EVERYONE),
    "GridSearchCV": (uses.use_grid_search, EVERYONE),
    "RandomizedSearchCV": (uses.use_randomized_search, EVERYONE),
    "HalvingGridSearchCV": (uses.use_halving_search, EVERYONE),
    "Bagging": (uses.use_bagging, EVERYONE),
    "Stacking": (uses.use_stacking, PREDICTORS),
    "Voting": (uses.use_voting, PREDICTORS),
    "OneVsRest": (uses.use_one_vs_rest, CLASSIFIERS),
    "CalibratedClassifierCV": (uses.use_calibrated, CLASSIFIERS),
    "MultiOutput": (uses.use_multi_output, PREDICTORS),
    "Chain": (uses.use_chain, PREDICTORS),
    "RFE": (uses.use_rfe, PREDICTORS),
    "SelectFromModel": (uses.use_select_from_model, PREDICTORS),
    "permutation_importance": (uses.use_permutation_importance, EVERYONE),
    "partial_dependence": (uses.use_partial_dependence, PREDICTORS),
    "TransformedTargetRegressor": (uses.use_transformed_target, REGRESSORS),
    "ColumnTransformer": (uses.use_column_transformer, PREDICTORS),
    "FeatureUnion": (uses.use_feature_union, LEARNERS),
    "pickle": (uses.use_pickle, EVERYONE),
}

WAYS = {  # name -> the process that does it, and how; what forks does so before there are threads
    "Pool by fork": ("forks", ways.fork_pool),
    "limits in a daemonic process": ("forks", ways.limits_in_a_daemonic_process),
    "prefork server, fitted before": ("forks", ways.prefork_after_fit),
    "prefork server, loaded before": ("forks", ways.prefork_after_load),
    "Pool by spawn": ("pools", ways.spawn_pool),
    "ProcessPoolExecutor": ("pools", ways.futures_of_processes),
    "Pool by forkserver": ("pools", ways.forkserver_pool),
    "ThreadPoolExecutor": ("loky", ways.futures_of_threads),
    "threads of a server": ("loky", ways.threads_of_a_server),
    "asyncio.to_thread": ("loky", ways.asyncio_threads),
    "replicas by loky": ("loky", ways.tasks_by_loky),
    "Dask, processes": ("Dask", ways.dask_processes),
    "Dask, threads": ("Dask", ways.dask_threads),
    "freemetric evaluate --jobs 2": ("commands", ways.evaluate_command),
    "Compare of freemetric serve": ("commands", ways.compare_of_serve),
}

BACKENDS = {"loky": "loky", "threads": "threading", "sequential": "sequential"}
COLUMNS = (
    *BACKENDS,
    "Dask",
    "commands",
    "pools",
    "forks",
)  # a process for each; what takes longest comes first

NO_IMPORTANCES = "should have `coef_` or `feature_importances_` attribute"
NO_TUPLES = "Found array with dim 3, while dim <= 2 is required"
WITHOUT = {
    *LEARNERS,
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
}  # what has no importances
REFUSED: dict[
    tuple[str, str | None], str
] = {  # by scikit-learn, in one line: (use, kind or name) -> words of it
    **{
        (use, name): NO_IMPORTANCES
        for use in ("RFE", "SelectFromModel")
        for name in WITHOUT
    },
    **{
        (use, kind): NO_TUPLES
        for use in ("Bagging", "permutation_importance")
        for kind in TUPLES
    },
}

FLOORS = {
    "permutation_importance": 0.2,
    "partial_dependence": 0.2,
}  # of scores where accuracy or R2 is something else


SEVERAL = "several"  # estimators


class Cell(NamedTuple):
    """One use of one estimator in one column."""

    column: str
    use: str
    estimator: str


CELLS = [
    Cell(backend, use, name)
    for backend in BACKENDS
    for name, estimator in ESTIMATORS.items()
    for use, (_, kinds) in USES.items()
    if estimator.kind in kinds
] + [Cell(column, way, SEVERAL) for way, (column, _) in WAYS.items()]


def refusal(cell: Cell) -> str | None:
    """The words that a cell is refused with, or None where it must work."""
    kind = None if cell.use in WAYS else ESTIMATORS[cell.estimator].kind
    return REFUSED.get((cell.use, cell.estimator), REFUSED.get((cell.use, kind)))
