"""Rivals of regression that predict quantiles, which scikit-learn's do not together."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold
from sklearn.utils import gen_batches

from .scores import LEVELS

INNER_FOLDS = 5
MANY = 5000  # samples, of which one fold has errors enough
BLOCK = 256  # samples whose leaves are looked up at a time


class QuantileRegressor(RegressorMixin, BaseEstimator):
    """Base of regressors with ``predict_quantiles``."""

    def predict_interval(self, X, alpha=0.1):
        """Predict the ends of intervals of probability 1 - alpha, (n_samples, 2)."""
        return self.predict_quantiles(X, [round(alpha / 2, 9), round(1 - alpha / 2, 9)])


class WithResiduals(QuantileRegressor):
    """Quantiles of a regressor that has none: its predictions plus those of its errors.

    The errors are those of inner folds, and the same for all samples.

    Parameters
    ----------
    estimator : regressor
        Predicts the mean. Parameters that it chooses, ``best_params_`` or
        ``n_neighbors_``, are those of the whole training set.
    random_state : int or None, default=None
        Seed of the folds.

    Attributes
    ----------
    estimator_ : regressor
        The fitted regressor.
    errors_ : ndarray of shape (n_errors,)
        Errors on held-out samples.
    """

    def __init__(self, estimator, *, random_state=None):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X, y):
        """Fit the regressor, and refit it on inner folds."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        settled = _settled(self.estimator_)
        folds = KFold(INNER_FOLDS, shuffle=True, random_state=self.random_state)
        splits = list(folds.split(X))
        errors = []
        for train, test in splits if len(y) <= MANY else splits[:1]:
            model = clone(settled).fit(X[train], y[train])
            errors.append(y[test] - model.predict(X[test]))
        self.errors_ = np.concatenate(errors)
        return self

    def predict(self, X):
        """Predict the mean."""
        return self.estimator_.predict(X)

    def predict_quantiles(self, X, q):
        """Predict quantiles, (n_samples, n_quantiles)."""
        # The (n + 1) q-th smallest error, as in conformal prediction.
        levels = np.asarray(q, dtype=float)
        errors = np.quantile(self.errors_, levels, method="weibull")
        return self.predict(X)[:, None] + errors


def _settled(fitted):
    """The regressor with the parameters that its fit has chosen."""
    if hasattr(fitted, "best_params_"):
        return clone(fitted.estimator).set_params(**fitted.best_params_)
    return clone(fitted).set_params(n_neighbors=fitted.n_neighbors_)


class LeafQuantiles(QuantileRegressor):
    """A forest with the quantiles of the training targets in the same leaves.

    Parameters
    ----------
    forest : RandomForestRegressor or ExtraTreesRegressor
        Predicts the mean.

    Attributes
    ----------
    forest_ : estimator
        The fitted forest.

    References
    ----------
    N. Meinshausen, Quantile regression forests, JMLR 7, 2006.
    """

    def __init__(self, forest):
        self.forest = forest

    def fit(self, X, y):
        """Fit the forest and keep the leaves of the training samples."""
        self.forest_ = clone(self.forest).fit(X, y)
        order = np.argsort(y, kind="stable")
        self._targets = y[order]
        self._leaves = self.forest_.apply(X[order])
        return self

    def predict(self, X):
        """Predict the mean."""
        return self.forest_.predict(X)

    def predict_quantiles(self, X, q):
        """Predict quantiles, (n_samples, n_quantiles)."""
        found = []
        for block in gen_batches(len(X), BLOCK):
            below = self._weights(X[block]).cumsum(axis=1)
            indices = [np.searchsorted(row, np.asarray(q) - 1e-9) for row in below]
            found.append(self._targets[indices])
        return np.concatenate(found)

    def _weights(self, X):
        """Mean share of every training sample in the leaves of each sample."""
        weights = np.zeros((len(X), len(self._targets)))
        leaves = self.forest_.apply(X)
        for own, others in zip(leaves.T, self._leaves.T, strict=True):
            same = own[:, None] == others
            weights += same / same.sum(axis=1, keepdims=True)
        return weights / leaves.shape[1]


class BoostedQuantiles(QuantileRegressor):
    """Gradient boosting for the mean, and once for every quantile of ``LEVELS``.

    Parameters
    ----------
    random_state : int or None, default=None
        Seed.

    Attributes
    ----------
    mean_ : estimator
        Predicts the mean.
    quantiles_ : dict of estimator
        Predict the quantiles, by level.
    """

    def __init__(self, *, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        """Fit one booster for the mean and one for every quantile."""
        booster = HistGradientBoostingRegressor(random_state=self.random_state)
        self.mean_ = clone(booster).fit(X, y)
        self.quantiles_ = {}
        for level in LEVELS:
            one = clone(booster).set_params(loss="quantile", quantile=level)
            self.quantiles_[level] = one.fit(X, y)
        return self

    def predict(self, X):
        """Predict the mean."""
        return self.mean_.predict(X)

    def predict_quantiles(self, X, q):
        """Predict quantiles of ``LEVELS``, (n_samples, n_quantiles), in order."""
        found = [self.quantiles_[level].predict(X) for level in np.atleast_1d(q)]
        return np.sort(found, axis=0).T
