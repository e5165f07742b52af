"""Estimators beside the votes: their base classes, and cross-fitting.

Ours validate once. A model that has validated its samples calls ``proba_of`` or
``values_of`` instead of ``predict_proba`` or ``predict``: validation takes longer than
the prediction of a single sample.
"""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ..sklearn_compat import check_sample_weight

FOLDS = 5
MOST_LEARNED = 16_384  # samples that cross-fitted estimators learn from


def checked_labels(y):
    """Return the classes, and the number of every sample's class.

    ValueError unless there are at least two.
    """
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise ValueError(
            f"y has 1 class, {only!r}; a classifier needs at least 2 classes."
        )
    return classes, numbers


class ArrayClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of arrays.

    Subclasses have ``_learn(X, y, n_classes, weights)``, which sets fitted attributes,
    and ``proba_of(X)``.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : ArrayClassifier
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64)
        classes, y = checked_labels(y)
        self._learn(X, y, len(classes), weights / weights.mean())
        self.classes_ = classes
        return self

    def predict_proba(self, X):
        """Return probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Their probabilities.
        """
        check_is_fitted(self)
        return self.proba_of(validate_data(self, X, dtype=np.float64, reset=False))

    def predict(self, X):
        """Return the most probable class of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]


class ArrayRegressor(RegressorMixin, BaseEstimator):
    """A regressor of arrays.

    Subclasses have ``_learn(X, y, weights)``, which sets fitted attributes, and
    ``values_of(X)``.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : ArrayRegressor
            The fitted regressor.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64)
        self._learn(X, y.astype(np.float64), weights / weights.mean())
        return self

    def predict(self, X):
        """Return the expected target of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Targets.
        """
        check_is_fitted(self)
        return self.values_of(validate_data(self, X, dtype=np.float64, reset=False))


def checked_estimators(estimators, default, method):
    """Return a list of (name, estimator) without those set to "drop".

    ValueError where one has no method of this name.
    """
    if estimators is None:
        return []
    if isinstance(estimators, str):
        if estimators != "default":
            raise ValueError(
                "estimators is 'default', None or a list of (name, estimator); got "
                f"{estimators!r}."
            )
        return default
    pairs = [p for p in estimators if isinstance(p, (tuple, list)) and len(p) == 2]
    names = [name for name, _ in pairs]
    if len(pairs) < len(estimators) or len(set(names)) < len(names):
        raise ValueError(
            "estimators is a list of (name, estimator) with different names; got "
            f"{estimators!r}."
        )
    defaults = dict(default)
    chosen = []
    for name, estimator in pairs:
        if isinstance(estimator, str) and estimator == "default":
            if name not in defaults:
                names = ", ".join(map(repr, defaults))
                raise ValueError(f"There is no default named {name!r}; known: {names}.")
            chosen.append((name, defaults[name]))
        elif not (isinstance(estimator, str) and estimator == "drop"):
            if not hasattr(estimator, method):
                raise ValueError(
                    f"The estimator {name!r} beside the votes has no {method}; got "
                    f"{estimator!r}."
                )
            chosen.append((name, estimator))
    return chosen


def folds_of(strata):
    """The fold of every sample, and whether estimators may learn from it.

    Strata are spread over all folds. Of many samples, every stratum gives its share,
    but at least a few samples: no estimator should lack a class.

    Returns
    -------
    folds : ndarray of shape (n_samples,)
        Numbers of the folds; -1 for strata of one or two samples, which never are out
        of bag, and which all estimators learn from.
    can_learn : ndarray of bool of shape (n_samples,)
        At most about 16,384 of them are true.
    """
    rng = np.random.default_rng(0)
    folds = np.full(len(strata), -1)
    can_learn = np.ones(len(strata), dtype=bool)
    share = min(1.0, MOST_LEARNED / len(strata))
    start = 0
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        if len(rows) > 2:
            folds[rows] = (start + np.arange(len(rows))) % FOLDS
        can_learn[rows[max(2 * FOLDS, round(share * len(rows))) :]] = False
        start += len(rows)
    return folds, can_learn


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


def cross_fitted(estimators, X, y, weights, strata, wanted, predict, n_jobs):
    """Predict samples by estimators that have not learned from them.

    Parameters
    ----------
    estimators : list of (name, estimator)
        What is fitted once for every fold.
    X, y, weights : ndarray
        Samples, targets, and weights or None.
    strata : ndarray of shape (n_samples,)
        Numbers of strata, which are spread over all folds.
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
    folds, can_learn = folds_of(strata)

    def one(name, estimator, fold):
        learned = can_learn & (folds != fold)
        own = None if weights is None else weights[learned]
        fitted = weighted_fit(name, estimator, X[learned], y[learned], own)
        return predict(fitted, X[is_wanted & (folds == fold)])

    # Without wanted samples a fold of none says what predictions look like.
    numbers = np.unique(folds[wanted]) if len(wanted) else [FOLDS]
    run = delayed(one)
    found = Parallel(n_jobs, prefer="threads")(
        run(*pair, fold) for pair in estimators for fold in numbers
    )
    out = []
    for first in range(0, len(found), len(numbers)):
        parts = found[first : first + len(numbers)]
        predicted = np.empty((len(wanted), *parts[0].shape[1:]))
        for fold, part in zip(numbers, parts, strict=True):
            predicted[folds[wanted] == fold] = part
        out.append(predicted)
    return out
