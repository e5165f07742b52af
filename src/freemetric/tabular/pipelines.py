"""What follows the preprocessing: a classifier or regressor by the name of its method."""

from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from ..learners import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from ..sklearn_compat import validate_params
from .methods import METHODS
from .number_methods import NUMBER_METHODS
from .preprocessing import Plan
from .table import InputError


def classifier(method: str, seed: int = 0, **options: Any) -> BaseEstimator:
    """An unfitted classifier; a metric learner is followed by k-NN, with k chosen by inner folds.

    Parameters
    ----------
    method : str
        One of ``freemetric.tabular.methods.METHODS``.
    seed : int, default=0
        Of everything random.
    **options : dict
        ``parameters`` of the method, a dict or None; n_neighbors of a metric learner that has none of its own are those
        of k-NN. ``device``, "cpu" by default, where a method computes that can choose; ``n_jobs``, threads of a method
        that can use them.

    Returns
    -------
    estimator
    """
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    return _made(method, METHODS[method], is_classifier, MetricKNeighborsClassifier, seed, **options)


def regressor(method: str, seed: int = 0, **options: Any) -> BaseEstimator:
    """An unfitted regressor, as ``classifier``; one of ``freemetric.tabular.number_methods.NUMBER_METHODS``."""
    if method not in NUMBER_METHODS:
        what = (
            f"method {method!r} predicts classes and no numbers" if method in METHODS else f"unknown method {method!r}"
        )
        raise InputError(f"{what}; known for numbers: {', '.join(NUMBER_METHODS)}")
    return _made(method, NUMBER_METHODS[method], is_regressor, MetricKNeighborsRegressor, seed, **options)


def _made(name, method, predicts, k_nn, seed, parameters=None, device="cpu", n_jobs=None):
    made, parameters = method.prepared(seed, device), dict(parameters or {})
    outer = made
    if not predicts(made):
        outer = k_nn(made, random_state=seed)
        if "n_neighbors" in parameters and "n_neighbors" not in made.get_params():
            outer.set_params(n_neighbors=parameters.pop("n_neighbors"))
    if "n_jobs" in outer.get_params():
        outer.set_params(n_jobs=n_jobs)
    try:
        made.set_params(**parameters)
        validate_params(made)
        validate_params(outer)
    except (ValueError, TypeError) as problem:
        raise InputError(f"method {name!r}: {' '.join(str(problem).split())}") from problem
    return outer


def pipeline(plan: Plan, last: BaseEstimator) -> Pipeline:
    """Columns to numbers, numbers to [0, 1], and the classifier or regressor."""
    return Pipeline([("columns", plan.transformer()), ("scale", MinMaxScaler()), (last_step(last), last)])


def last_step(last: BaseEstimator) -> str:
    """What the last step is called."""
    return "regressor" if is_regressor(last) else "classifier"
