"""Settings of fits and comparisons, as the page sends them."""

from typing import Any

from .wishes import WrongRequestError

METHODS = ("free-energy", "rf", "hist-boosting", "svm", "logistic", "euclidean", "nca", "lmnn", "dmlfe")
FITTED = ("free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean")
NUMBER_METHODS = ("free-energy", "rf", "hist-boosting", "extra-trees", "euclidean", "mlkr", "dmlfe")
FITTED_TO_NUMBERS = ("free-energy", "mlkr", "dmlfe", "euclidean")
ALL_METHODS, ALL_FITTED = {*METHODS, *NUMBER_METHODS}, {*FITTED, *FITTED_TO_NUMBERS}  # the work says which can do what
MOST_SEED = 2**31


def fit_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Method, effort and seed of a fit."""
    return {**_common(content), "method": _among(ALL_FITTED, content.get("method", "free-energy"))}


def comparison_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Methods and folds of a comparison."""
    methods = content.get("methods", ["free-energy", "rf", "hist-boosting"])
    if not isinstance(methods, list) or not 1 <= len(methods) <= len(ALL_METHODS):
        raise WrongRequestError("choose one method or more")
    chosen = list(dict.fromkeys(_among(ALL_METHODS, method) for method in methods))
    folds, repeats = _number(content.get("folds", 5), 2, 20), _number(content.get("repeats", 1), 1, 20)
    return {**_common(content), "methods": chosen, "folds": folds, "repeats": repeats}


def _common(content):
    jobs = content.get("jobs")
    return {
        "quick": content.get("quick") is True,
        "seed": _number(content.get("seed", 0), 0, MOST_SEED),
        "jobs": None if jobs is None else _number(jobs, 1, 256),
    }


def _among(known, value):
    if not isinstance(value, str) or value not in known:
        raise WrongRequestError(f"unknown method; known: {', '.join(sorted(known))}")
    return value


def _number(value, low, high):
    if type(value) is not int or not low <= value <= high:
        raise WrongRequestError(f"a whole number from {low} to {high} is needed")
    return value
