"""What follows the preprocessing: a classifier by the name of its method."""

from typing import Any

from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from ..learners import MetricKNeighborsClassifier
from ..sklearn_compat import validate_params
from .methods import METHODS
from .preprocessing import Plan
from .table import InputError


def classifier(
    method: str,
    seed: int = 0,
    *,
    parameters: dict[str, Any] | None = None,
    device: str = "cpu",
    n_jobs: int | None = None,
) -> BaseEstimator:
    """An unfitted classifier; a metric learner is followed by k-NN, with k chosen by inner folds.

    Parameters
    ----------
    method : str
        One of ``freemetric.tabular.methods.METHODS``.
    seed : int, default=0
        Of everything random.
    parameters : dict or None, default=None
        Parameters of the method; n_neighbors of a metric learner that has none of its own are those of k-NN.
    device : str, default="cpu"
        Where a method computes that can choose.
    n_jobs : int or None, default=None
        Threads of a method that can use them.

    Returns
    -------
    estimator
    """
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    made, parameters = METHODS[method].prepared(seed, device), dict(parameters or {})
    outer = made
    if not is_classifier(made):
        outer = MetricKNeighborsClassifier(made, random_state=seed)
        if "n_neighbors" in parameters and "n_neighbors" not in made.get_params():
            outer.set_params(n_neighbors=parameters.pop("n_neighbors"))
    if "n_jobs" in outer.get_params():
        outer.set_params(n_jobs=n_jobs)
    try:
        made.set_params(**parameters)
        validate_params(made)
        validate_params(outer)
    except (ValueError, TypeError) as problem:
        raise InputError(f"method {method!r}: {' '.join(str(problem).split())}") from problem
    return outer


def pipeline(plan: Plan, last: BaseEstimator) -> Pipeline:
    """Columns to numbers, numbers to [0, 1], and the classifier."""
    return Pipeline([("columns", plan.transformer()), ("scale", MinMaxScaler()), ("classifier", last)])
