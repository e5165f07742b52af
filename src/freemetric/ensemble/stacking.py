"""Estimators beside the votes, cross-fitted so that they are judged fairly."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

FOLDS = 5
MOST_LEARNED = 16_384  # samples that cross-fitted estimators learn from


def checked_estimators(estimators, default):
    """Return a list of (name, estimator) without those set to "drop"."""
    if estimators is None:
        return []
    if isinstance(estimators, str):
        if estimators != "default":
            raise ValueError(
                "estimators is 'default', None or a list of (name, estimator); got "
                f"{estimators!r}."
            )
        return default
    pairs = [tuple(pair) for pair in estimators]
    names = [pair[0] for pair in pairs if len(pair) == 2]
    if len(names) < len(pairs) or len(set(names)) < len(names):
        raise ValueError(
            "estimators is a list of (name, estimator) with different names; got "
            f"{estimators!r}."
        )
    defaults = dict(default)
    chosen = []
    for name, estimator in pairs:
        if isinstance(estimator, str) and estimator == "default":
            if name not in defaults:
                known = ", ".join(map(repr, defaults))
                raise ValueError(f"There is no default named {name!r}; known: {known}.")
            chosen.append((name, defaults[name]))
        elif not (isinstance(estimator, str) and estimator == "drop"):
            chosen.append((name, estimator))
    return chosen


def fold_numbers(strata, seed):
    """Give every sample the number of its fold; strata are spread over all folds."""
    rng = np.random.default_rng(seed)
    folds = np.empty(len(strata), dtype=int)
    start = 0
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        folds[rows] = (start + np.arange(len(rows))) % FOLDS
        start += len(rows)
    return folds


def weighted_fit(name, estimator, X, y, weights):
    """Fit a clone of an estimator, with weights unless these are None."""
    options = {}
    if weights is not None:
        takes_weights = has_fit_parameter(estimator, "sample_weight")
        prefix = ""
        if isinstance(estimator, Pipeline):
            takes_weights = has_fit_parameter(estimator[-1], "sample_weight")
            prefix = f"{estimator.steps[-1][0]}__"
        if not takes_weights:
            raise ValueError(
                f"The estimator {name!r} beside the votes takes no sample_weight; "
                "leave it out or fit without weights."
            )
        options[f"{prefix}sample_weight"] = weights
    return clone(estimator).fit(X, y, **options)


def fit_all(estimators, X, y, weights, n_jobs):
    """Fit every estimator to all samples; return a list of (name, fitted)."""
    run = delayed(weighted_fit)
    fitted = Parallel(n_jobs, prefer="threads")(
        run(name, estimator, X, y, weights) for name, estimator in estimators
    )
    names = [name for name, _ in estimators]
    return list(zip(names, fitted, strict=True))


def cross_fitted(estimators, X, y, weights, folds, wanted, predict, n_jobs):
    """Predict samples by estimators that have not learned from them.

    Parameters
    ----------
    estimators : list of (name, estimator)
        What is fitted once for every fold.
    X, y, weights : ndarray
        Samples, targets, and weights or None.
    folds : ndarray of shape (n_samples,)
        The fold of every sample.
    wanted : ndarray of int
        Numbers of the samples to predict, ascending.
    predict : callable
        Predictions (n, ...) of a fitted estimator for samples.
    n_jobs : int or None
        Threads.

    Returns
    -------
    predictions : list of ndarray of shape (n_wanted, ...)
        For every estimator.
    """
    is_wanted = np.zeros(len(X), dtype=bool)
    is_wanted[wanted] = True
    step = -(-len(X) // MOST_LEARNED)
    can_learn = np.arange(len(X)) % step == 0

    def one(name, estimator, fold):
        learned = can_learn & (folds != fold)
        own = None if weights is None else weights[learned]
        fitted = weighted_fit(name, estimator, X[learned], y[learned], own)
        return predict(fitted, X[is_wanted & (folds == fold)])

    numbers = np.unique(folds[wanted])
    run = delayed(one)
    found = Parallel(n_jobs, prefer="threads")(
        run(*pair, fold) for pair in estimators for fold in numbers
    )
    out = []
    for first in range(0, len(found), len(numbers)):
        parts = found[first : first + len(numbers)]
        whole = np.empty((len(wanted), *parts[0].shape[1:]))
        for fold, part in zip(numbers, parts, strict=True):
            whole[folds[wanted] == fold] = part
        out.append(whole)
    return out
