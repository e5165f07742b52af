"""Regressors to compare with, which predict quantiles; their parameters are chosen by inner folds."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold

from ..tabular.methods import INNER_FOLDS, Tuned

LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
"""Quantiles whose pinball losses are averaged; the ends of the intervals are among them."""

MANY = 5000  # samples, of which one fold has errors enough
BLOCK = 256  # samples whose leaves are looked up at a time


class WithResiduals(RegressorMixin, BaseEstimator):
    """Quantiles of an estimator that has none: predictions plus those of its errors over inner folds.

    The quantiles are the same for all samples; parameters are those chosen on the whole training set.
    """

    def __init__(self, estimator: Any, *, random_state: int | None = None):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> Self:
        self.estimator_ = clone(self.estimator).fit(X, y)
        folds = list(KFold(INNER_FOLDS, shuffle=True, random_state=self.random_state).split(X))
        used = folds if len(y) <= MANY else folds[:1]
        self.errors_ = np.concatenate([self._errors(X, y, *fold) for fold in used])
        return self

    def _errors(self, X, y, train, held_out):
        return y[held_out] - _settled(self.estimator_).fit(X[train], y[train]).predict(X[held_out])

    @property
    def parameters_(self) -> dict:
        """Chosen parameters."""
        if isinstance(self.estimator_, Tuned):
            return self.estimator_.parameters_
        return {"n_neighbors": self.estimator_.n_neighbors_}

    def predict(self, X: ArrayLike) -> NDArray:
        return self.estimator_.predict(X)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> NDArray:
        # the (n + 1) q-th smallest error, as conformal prediction takes it
        return self.predict(X)[:, None] + np.quantile(self.errors_, np.asarray(q, dtype=float), method="weibull")


def _settled(fitted):
    """An unfitted copy that chooses nothing again."""
    if isinstance(fitted, Tuned):
        return clone(fitted.estimator_)
    return clone(fitted).set_params(n_neighbors=fitted.n_neighbors_)


class LeafQuantiles(RegressorMixin, BaseEstimator):
    """A forest with the quantiles of the training targets in the same leaves: quantile regression forests.

    References
    ----------
    N. Meinshausen, Quantile regression forests, JMLR 7, 2006.
    """

    def __init__(self, forest: Any):
        self.forest = forest

    def fit(self, X: NDArray, y: NDArray) -> Self:
        self.forest_ = clone(self.forest).fit(X, y)
        self._order = np.argsort(y, kind="stable")
        self._sorted = y[self._order]
        leaves = self._leaves(X)
        sizes = np.asarray(leaves.sum(axis=0)).ravel()
        # (leaves, samples): a sample's share of each leaf
        self._shares = (sparse.diags(1 / np.maximum(sizes, 1)) @ leaves.T).tocsr()
        return self

    def _leaves(self, X):
        """Ones (N, leaves of all trees) where a sample lies in a leaf."""
        ends = np.cumsum([tree.tree_.node_count for tree in self.forest_.estimators_])
        columns = self.forest_.apply(X) + np.r_[0, ends[:-1]]
        n_rows, n_trees = columns.shape
        rows = np.repeat(np.arange(n_rows), n_trees)
        return sparse.csr_matrix((np.ones(columns.size), (rows, columns.ravel())), shape=(n_rows, ends[-1]))

    def predict(self, X: ArrayLike) -> NDArray:
        return self.forest_.predict(X)

    def predict_quantiles(self, X: NDArray, q: ArrayLike) -> NDArray:
        blocks = (X[start : start + BLOCK] for start in range(0, len(X), BLOCK))
        return np.concatenate([self._of_block(block, np.asarray(q)) for block in blocks])

    def _of_block(self, X, q):
        weights = (self._leaves(X) @ self._shares).toarray()[:, self._order]
        below = np.cumsum(weights, axis=1) / len(self.forest_.estimators_)
        places = [np.argmax(below >= level - 1e-9, axis=1) for level in q]
        return self._sorted[np.stack(places, axis=1)]


class BoostedQuantiles(RegressorMixin, BaseEstimator):
    """Gradient boosting for the mean, and once for every quantile of ``LEVELS``; quantiles that cross are sorted."""

    def __init__(self, *, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> Self:
        make = HistGradientBoostingRegressor
        self.mean_ = make(random_state=self.random_state).fit(X, y)
        self.quantiles_ = {
            level: make(loss="quantile", quantile=level, random_state=self.random_state).fit(X, y) for level in LEVELS
        }
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        return self.mean_.predict(X)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> NDArray:
        return np.sort([self.quantiles_[level].predict(X) for level in np.atleast_1d(q)], axis=0).T
