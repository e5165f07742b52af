"""The matrix of usual uses as data: estimators, uses, columns, and what is refused.

A new estimator is a line in ``ESTIMATORS`` (estimators.py); a new use is a function in uses.py and a line in ``USES``; a
new place to run in is a function in ways.py and a line in ``WAYS``. What cannot work is a line in ``REFUSED``.
"""

from typing import NamedTuple

from . import uses, ways
from .estimators import CLASSIFIERS, ESTIMATORS, EVERYONE, LEARNERS, PREDICTORS, REGRESSORS, TUPLES

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

WAYS = {
    "Pool by fork": ways.fork_pool,
    "limits in a daemonic process": ways.limits_in_a_daemonic_process,
    "prefork server, fitted before": ways.prefork_after_fit,
    "prefork server, loaded before": ways.prefork_after_load,
    "Pool by spawn": ways.spawn_pool,
    "Pool by forkserver": ways.forkserver_pool,
    "ProcessPoolExecutor": ways.futures_of_processes,
    "ThreadPoolExecutor": ways.futures_of_threads,
    "threads of a server": ways.threads_of_a_server,
    "asyncio.to_thread": ways.asyncio_threads,
    "replicas by loky": ways.tasks_by_loky,
    "Dask, processes": ways.dask_processes,
    "Dask, threads": ways.dask_threads,
    "freemetric evaluate --jobs 2": ways.evaluate_command,
    "Compare of freemetric serve": ways.compare_of_serve,
}

BACKENDS = {"loky": None, "threads": "threading", "sequential": "sequential"}  # None: what joblib does by itself
ELSEWHERE = "elsewhere"  # pools, clusters, servers and commands: ways.py
COLUMNS = (*BACKENDS, ELSEWHERE)  # a process for each; those that take longest come first

NO_IMPORTANCES = "should have `coef_` or `feature_importances_` attribute"
REFUSED = {  # by scikit-learn, in one line: (use, kind or name) -> words of it
    **{
        (use, name): NO_IMPORTANCES
        for use in ("RFE", "SelectFromModel")
        for name in (
            *LEARNERS,
            "MetricKNeighborsClassifier",
            "MetricKNeighborsRegressor",
            "TableClassifier",
            "TableRegressor",
        )
    },
    **{("Bagging", kind): "Found array with dim 3, while dim <= 2 is required" for kind in TUPLES},
    **{("permutation_importance", kind): "Found array with dim 3, while dim <= 2 is required" for kind in TUPLES},
}

FLOORS = {"permutation_importance": 0.2, "partial_dependence": 0.2}  # of scores where accuracy or R2 is something else


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
] + [Cell(ELSEWHERE, way, "several") for way in WAYS]


def refusal(cell: Cell) -> str | None:
    """The words that a cell is refused with, or None where it must work."""
    if cell.column == ELSEWHERE:
        return None
    return REFUSED.get((cell.use, cell.estimator), REFUSED.get((cell.use, ESTIMATORS[cell.estimator].kind)))
