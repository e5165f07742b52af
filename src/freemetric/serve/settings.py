"""Settings of fits and comparisons, as the page sends them."""

from typing import Any

from .wishes import WrongRequestError

METHODS = ("free-energy", "rf", "hist-boosting", "svm", "logistic", "euclidean", "nca", "lmnn", "dmlfe")
FITTED = ("free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean")
MOST_SEED = 2**31


def fit_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Method, effort and seed of a fit."""
    return {**_common(content), "method": _among(FITTED, content.get("method", "free-energy"))}


def comparison_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Methods and folds of a comparison."""
    methods = content.get("methods", ["free-energy", "rf", "hist-boosting"])
    if not isinstance(methods, list) or not 1 <= len(methods) <= len(METHODS):
        raise WrongRequestError("choose one method or more")
    chosen = list(dict.fromkeys(_among(METHODS, method) for method in methods))
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
    if value not in known:
        raise WrongRequestError(f"unknown method; known: {', '.join(known)}")
    return value


def _number(value, low, high):
    if type(value) is not int or not low <= value <= high:
        raise WrongRequestError(f"a whole number from {low} to {high} is needed")
    return value
