"""The benchmark of regression: its methods, rivals that predict quantiles, and what a fit records."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import norm
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVR
from sklearn.utils import gen_batches

from ..ensemble import FreeEnergyRegressor
from ..learners import MLKR, MetricKNeighborsRegressor
from ..printable import counted
from ..tabular.methods import INNER_FOLDS, Tuned
from .records import INTERVALS, BenchJob

LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
"""Quantiles whose pinball losses are averaged; the ends of the intervals are among them."""

MANY = 5000  # samples, of which one fold has errors enough
BLOCK = 256  # samples whose leaves are looked up at a time


class PredictsQuantiles(RegressorMixin, BaseEstimator):
    """A regressor whose fit sets ``estimator_``, which predicts the mean."""

    estimator_: Any

    def predict(self, X: ArrayLike) -> NDArray:
        return self.estimator_.predict(X)


class WithResiduals(PredictsQuantiles):
    """Quantiles of an estimator that has none: predictions plus those of its errors over inner folds.

    The quantiles are the same for all samples; parameters are those chosen on the whole training set.
    """

    def __init__(self, estimator: Any, *, random_state: int | None = None):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> Self:
        self.estimator_ = fitted = clone(self.estimator).fit(X, y)
        if isinstance(fitted, Tuned):
            settled, self.parameters_ = clone(fitted.estimator_), fitted.parameters_
        else:
            self.parameters_ = {"n_neighbors": fitted.n_neighbors_}
            settled = clone(fitted).set_params(**self.parameters_)
        folds = list(KFold(INNER_FOLDS, shuffle=True, random_state=self.random_state).split(X))
        used = folds if len(y) <= MANY else folds[:1]
        errors = [y[test] - settled.fit(X[train], y[train]).predict(X[test]) for train, test in used]
        self.errors_ = np.concatenate(errors)
        return self

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> NDArray:
        # the (n + 1) q-th smallest error, as conformal prediction takes it
        return self.predict(X)[:, None] + np.quantile(self.errors_, np.asarray(q, dtype=float), method="weibull")


class LeafQuantiles(PredictsQuantiles):
    """A forest with the quantiles of the training targets in the same leaves: quantile regression forests.

    References
    ----------
    N. Meinshausen, Quantile regression forests, JMLR 7, 2006.
    """

    def __init__(self, forest: Any):
        self.forest = forest

    def fit(self, X: NDArray, y: NDArray) -> Self:
        self.estimator_ = clone(self.forest).fit(X, y)
        self._order = np.argsort(y, kind="stable")
        self._sorted = y[self._order]
        leaves = self._leaves(X)
        sizes = np.asarray(leaves.sum(axis=0)).ravel()
        # (leaves, samples): a sample's share of each leaf
        self._shares = (sparse.diags(1 / np.maximum(sizes, 1)) @ leaves.T).tocsr()
        return self

    def _leaves(self, X):
        """Ones (N, leaves of all trees) where a sample lies in a leaf."""
        ends = np.cumsum([tree.tree_.node_count for tree in self.estimator_.estimators_])
        columns = self.estimator_.apply(X) + np.r_[0, ends[:-1]]
        starts = np.arange(len(columns) + 1) * columns.shape[1]  # of the rows
        return sparse.csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape=(len(columns), ends[-1]))

    def predict_quantiles(self, X: NDArray, q: ArrayLike) -> NDArray:
        found = []
        for block in gen_batches(len(X), BLOCK):
            weights = (self._leaves(X[block]) @ self._shares).toarray()[:, self._order]
            below = np.cumsum(weights, axis=1) / len(self.estimator_.estimators_)
            found.append(np.stack([np.argmax(below >= level - 1e-9, axis=1) for level in np.asarray(q)], axis=1))
        return self._sorted[np.concatenate(found)]


class BoostedQuantiles(PredictsQuantiles):
    """Gradient boosting for the mean, and once for every quantile of ``LEVELS``; quantiles that cross are sorted."""

    def __init__(self, *, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> Self:
        make = partial(HistGradientBoostingRegressor, random_state=self.random_state)
        self.estimator_ = make().fit(X, y)
        self.quantiles_ = {level: make(loss="quantile", quantile=level).fit(X, y) for level in LEVELS}
        return self

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> NDArray:
        return np.sort([self.quantiles_[level].predict(X) for level in np.atleast_1d(q)], axis=0).T


N_TREES = 500
NEIGHBORS = (1, 2, 3, 5, 8, 12, 17, 23, 31, 40)
MOST_TUNED = 2000  # samples on which the parameters of support vectors are chosen
FEWEST = 10  # samples of a half
N_TEST = 4000  # test samples of a synthetic problem


def _neighbors(X, seed, device):
    most = len(X) - -(-len(X) // INNER_FOLDS)  # samples that the smallest inner training fold has
    counts = [k for k in NEIGHBORS if k <= most]
    grid = {"kneighborsregressor__n_neighbors": counts, "kneighborsregressor__weights": ["uniform", "distance"]}
    model = Tuned(make_pipeline(StandardScaler(), KNeighborsRegressor()), grid, random_state=seed)
    return WithResiduals(model, random_state=seed)


def _mlkr(X, seed, device):
    # to the last digit it takes several times as long and predicts no better
    metric = make_pipeline(MinMaxScaler(), MLKR(tol=1e-5, device=device, random_state=seed))
    model = MetricKNeighborsRegressor(metric, n_folds=INNER_FOLDS, random_state=seed)
    return WithResiduals(model, random_state=seed)


def _support_vectors(X, seed, device):
    grid = {
        "svr__C": [0.1, 1, 10, 100],
        "svr__gamma": [factor / X.shape[1] for factor in (0.03, 0.1, 0.3, 1, 3)],
        "svr__epsilon": [0.03, 0.3],
    }
    model = make_pipeline(StandardScaler(), SVR(cache_size=500))
    return WithResiduals(Tuned(model, grid, most_rows=MOST_TUNED, random_state=seed), random_state=seed)


METHODS: dict[str, Callable[[NDArray, int, str], Any]] = {
    "free-energy-regressor": lambda X, seed, device: FreeEnergyRegressor(device=device, random_state=seed),
    "knn": _neighbors,
    "mlkr": _mlkr,
    "svr": _support_vectors,
    "forest-500": lambda X, seed, device: LeafQuantiles(RandomForestRegressor(N_TREES, random_state=seed)),
    "extra-trees-500": lambda X, seed, device: LeafQuantiles(ExtraTreesRegressor(N_TREES, random_state=seed)),
    "hist-boosting": lambda X, seed, device: BoostedQuantiles(random_state=seed),
}
"""(X, seed, device) -> a regressor with quantiles, which chooses its parameters on its training set."""


class SizedProblem(NamedTuple):
    """A synthetic problem and the number of training samples, which are drawn anew for every fit."""

    problem: Any  # of ``freemetric.datasets.SYNTHETIC``
    n: int


def list_tables() -> list[str]:
    """Names of the regression data sets that are no synthetic problems."""
    from ..datasets import list_regression

    return sorted([*list_regression("builtin"), *list_regression("table")])


def sized_problem(name: str) -> SizedProblem:
    """Return the problem and the size of a name like "fan-200"; DatasetError where there is none."""
    from ..datasets import SYNTHETIC, DatasetError

    problem, _, n = name.rpartition("-")
    if problem not in SYNTHETIC or not n.isdecimal() or int(n) < FEWEST:
        raise DatasetError(f"{name!r} is no synthetic problem with at least {FEWEST} samples, like 'fan-200'")
    return SizedProblem(SYNTHETIC[problem], int(n))


def halves(y: NDArray, repeat: int) -> list[tuple[NDArray, NDArray]]:
    """(train, test) of both folds of one repeat; the same for every method."""
    if len(y) < 2 * FEWEST:
        raise ValueError(f"{counted(len(y), 'sample')}: two halves need {2 * FEWEST}")
    return list(KFold(2, shuffle=True, random_state=repeat).split(y))


def draw(data: SizedProblem, repeat: int, fold: int) -> tuple[NDArray, NDArray, NDArray, Any]:
    """Training features and targets, test features, and the test samples with their means and noise."""
    seed = 2 * repeat + fold
    train, test = data.problem.sample(data.n, (seed, data.n)), data.problem.sample(N_TEST, (seed, 0))
    return train.X, train.y, test.X, test


def fit(
    job: BenchJob, X: NDArray, y: NDArray, seed: int, device: str = "cpu", most_samples: None = None
) -> tuple[Any, dict[str, Any]]:
    """Return a regressor fitted on one half, and the parameters chosen there."""
    model = METHODS[job.method](X, seed, device).fit(X, y)
    scale = {"scale": model.scale_name_} if hasattr(model, "scale_name_") else {}
    return model, {**getattr(model, "parameters_", {}), **scale}


def scores(model: Any, X: NDArray, truth: Any) -> dict[str, Any]:
    """Fields of the record of a fitted model: on targets (N,), or test samples of known means and noise."""
    predicted, quantiles, intervals = predictions(model, X)
    y = truth if isinstance(truth, np.ndarray) else truth.y
    found = prediction_scores(y, predicted, quantiles, intervals)
    if y is not truth:
        found |= truth_scores(truth, predicted, intervals)
    chosen = getattr(model, "parameters_", {}).get("n_neighbors")
    return {**{name: _rounded(value) for name, value in found.items()}, "honest_k": chosen}


def _rounded(value):
    """Six significant digits: targets have any unit."""
    return [_rounded(each) for each in value] if isinstance(value, list) else float(f"{value:.6g}")


def predictions(model: Any, X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Means (N,), quantiles (N, n_levels) of ``LEVELS`` and intervals (n_intervals, N, 2) of ``INTERVALS``.

    Intervals are the model's own, or lie between its quantiles.
    """
    mean, quantiles = model.predict(X), np.asarray(model.predict_quantiles(X, LEVELS))
    if hasattr(model, "predict_interval"):
        own = [model.predict_interval(X, alpha=round(1 - share, 9)) for share in INTERVALS]
        return mean, quantiles, np.array(own)
    places = [[LEVELS.index(round((1 + sign * share) / 2, 9)) for sign in (-1, 1)] for share in INTERVALS]
    return mean, quantiles, np.array([quantiles[:, pair] for pair in places])


def prediction_scores(y: NDArray, predicted: NDArray, quantiles: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Score predictions, quantiles and intervals of targets.

    Parameters
    ----------
    y, predicted : ndarray of shape (N,)
        Targets, and their predicted means.
    quantiles : ndarray of shape (N, n_levels)
        Those of ``LEVELS``.
    intervals : ndarray of shape (n_intervals, N, 2)
        Ends of those of ``INTERVALS``.

    Returns
    -------
    dict
        "r2", "mae", "rmse", "pinball" (mean over ``LEVELS``), "coverage" and "width" of all intervals, and "spread",
        the standard deviation of y; all but the first and the coverages in units of y.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.arange(10.0)
    >>> scores = prediction_scores(y, y + 1, np.repeat(y[:, None], 9, axis=1), np.array([np.c_[y - 1, y + 1]] * 3))
    >>> scores["mae"], scores["pinball"], scores["coverage"], scores["width"]
    (1.0, 0.0, [1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    """
    errors, above, q = y - predicted, y[:, None] - quantiles, np.array(LEVELS)
    rmse, spread = float(np.sqrt(np.mean(errors**2))), float(y.std())
    low, high = intervals[..., 0], intervals[..., 1]
    return {
        "r2": 1 - (rmse / spread) ** 2 if spread else 0.0,
        "mae": float(abs(errors).mean()),
        "rmse": rmse,
        "pinball": float(np.maximum(q * above, (q - 1) * above).mean(axis=0).mean()),
        "spread": spread,
        "coverage": ((low <= y) & (y <= high)).mean(axis=1).tolist(),
        "width": (high - low).mean(axis=1).tolist(),
    }


def truth_scores(truth: Any, predicted: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Score predictions (N,) and intervals (n_intervals, N, 2) against the distribution that targets are drawn from.

    Returns
    -------
    dict
        "excess", the mean of (predicted - f)^2; "noise", that of s^2, which is unavoidable; "coverage", the
        probability of a target to lie inside; "coverage_quiet" and "coverage_loud", that of the quarters of the
        samples with least and most noise, where it varies.
    """
    f, s = truth.mean, truth.noise
    inside = norm.cdf((intervals[..., 1] - f) / s) - norm.cdf((intervals[..., 0] - f) / s)
    found = {
        "excess": float(np.mean((predicted - f) ** 2)),
        "noise": float(np.mean(s**2)),
        "coverage": inside.mean(axis=1).tolist(),
    }
    if np.ptp(s) == 0:
        return found
    order, quarter = np.argsort(s, kind="stable"), len(s) // 4
    quiet, loud = inside[:, order[:quarter]], inside[:, order[-quarter:]]
    return {**found, "coverage_quiet": quiet.mean(axis=1).tolist(), "coverage_loud": loud.mean(axis=1).tolist()}
