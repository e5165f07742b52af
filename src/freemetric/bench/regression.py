"""The protocol of regression: methods, scores and records of numeric targets."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVR

from ..datasets import DatasetError
from ..datasets.laws import LAWS, Law, Sample
from ..ensemble import FreeEnergyRegressor
from ..learners import MLKR, MetricKNeighborsRegressor
from ..printable import counted
from ..versions import versions
from .records import Job, Record
from .regression_rivals import INNER_FOLDS, LEVELS, BoostedQuantiles, LeafQuantiles, Tuned, WithResiduals

INTERVALS = (0.8, 0.9, 0.95)
"""Shares of numbers that intervals should hold; records keep coverages and widths in this order."""


def number_scores(y: NDArray, predicted: NDArray, quantiles: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Scores of predictions for N patterns.

    Parameters
    ----------
    y, predicted : ndarray of shape (N,)
        Numbers, and what was expected.
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
    >>> scores = number_scores(y, y + 1, np.repeat(y[:, None], 9, axis=1), np.array([np.c_[y - 1, y + 1]] * 3))
    >>> scores["mae"], scores["pinball"], scores["coverage"], scores["width"]
    (1.0, 0.0, [1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    """
    misses = y - predicted
    rmse, spread = float(np.sqrt(np.mean(misses**2))), float(y.std())
    low, high = intervals[..., 0], intervals[..., 1]
    return {
        "r2": 1 - (rmse / spread) ** 2 if spread else 0.0,
        "mae": float(abs(misses).mean()),
        "rmse": rmse,
        "pinball": float(pinball_losses(y, quantiles).mean()),
        "spread": spread,
        "coverage": ((low <= y) & (y <= high)).mean(axis=1).tolist(),
        "width": (high - low).mean(axis=1).tolist(),
    }


def pinball_losses(y: NDArray, quantiles: NDArray) -> NDArray[np.float64]:
    """Mean loss of every quantile of ``LEVELS``: q (y - Q) where y is above Q, (1 - q) (Q - y) below."""
    above = y[:, None] - quantiles
    q = np.array(LEVELS)
    return np.maximum(q * above, (q - 1) * above).mean(axis=0)


def law_scores(sample: Sample, predicted: NDArray, intervals: NDArray) -> dict[str, Any]:
    """Scores against the law of the patterns, in which no number is drawn.

    Parameters
    ----------
    sample : Sample
        Test patterns with means f and noise s.
    predicted : ndarray of shape (N,)
        What was expected.
    intervals : ndarray of shape (n_intervals, N, 2)
        Ends of those of ``INTERVALS``.

    Returns
    -------
    dict
        "excess", the mean of (predicted - f)^2; "noise", that of s^2, which nobody can do without; "coverage", the
        chance of a number to lie inside; "coverage_quiet" and "coverage_loud", that of the quarters of the patterns
        with least and most noise, where it varies.
    """
    f, s = sample.mean, sample.noise
    chances = norm.cdf((intervals[..., 1] - f) / s) - norm.cdf((intervals[..., 0] - f) / s)
    scores = {
        "excess": float(np.mean((predicted - f) ** 2)),
        "noise": float(np.mean(s**2)),
        "coverage": chances.mean(axis=1).tolist(),
    }
    if np.ptp(s) == 0:
        return scores
    order, quarter = np.argsort(s, kind="stable"), len(s) // 4
    quiet, loud = chances[:, order[:quarter]], chances[:, order[-quarter:]]
    return {**scores, "coverage_quiet": quiet.mean(axis=1).tolist(), "coverage_loud": loud.mean(axis=1).tolist()}


N_TREES = 500
NEIGHBORS = (1, 2, 3, 5, 8, 12, 17, 23, 31, 40)
MOST_TUNED = 2000  # rows on which the support vectors' parameters are chosen


class Wish(NamedTuple):
    """What a method is made for."""

    seed: int
    n_rows: int
    n_features: int
    device: str = "cpu"


def _free_energy(wish):
    return FreeEnergyRegressor(device=wish.device, random_state=wish.seed)


def _neighbors(wish):
    most = wish.n_rows - -(-wish.n_rows // INNER_FOLDS)  # rows of the smallest inner fold's training part
    counts = [k for k in NEIGHBORS if k <= most]
    grid = {"kneighborsregressor__n_neighbors": counts, "kneighborsregressor__weights": ["uniform", "distance"]}
    model = Tuned(make_pipeline(StandardScaler(), KNeighborsRegressor()), grid, random_state=wish.seed)
    return WithResiduals(model, random_state=wish.seed)


def _mlkr(wish):
    # to the last digit it takes several times as long and predicts no better
    metric = make_pipeline(MinMaxScaler(), MLKR(tol=1e-5, device=wish.device, random_state=wish.seed))
    model = MetricKNeighborsRegressor(metric, n_folds=INNER_FOLDS, random_state=wish.seed)
    return WithResiduals(model, random_state=wish.seed)


def _support_vectors(wish):
    grid = {
        "svr__C": [0.1, 1, 10, 100],
        "svr__gamma": [factor / wish.n_features for factor in (0.03, 0.1, 0.3, 1, 3)],
        "svr__epsilon": [0.03, 0.3],
    }
    model = make_pipeline(StandardScaler(), SVR(cache_size=500))
    return WithResiduals(Tuned(model, grid, most_rows=MOST_TUNED, random_state=wish.seed), random_state=wish.seed)


NUMBER_METHODS: dict[str, Callable[[Wish], Any]] = {
    "free-energy-regressor": _free_energy,
    "knn": _neighbors,
    "mlkr": _mlkr,
    "svr": _support_vectors,
    "forest-500": lambda wish: LeafQuantiles(RandomForestRegressor(N_TREES, random_state=wish.seed)),
    "extra-trees-500": lambda wish: LeafQuantiles(ExtraTreesRegressor(N_TREES, random_state=wish.seed)),
    "hist-boosting": lambda wish: BoostedQuantiles(random_state=wish.seed),
}
"""All of them predict numbers and quantiles; what they choose, they choose on the training rows."""


FEWEST = 10  # patterns of a half
N_TEST = 4000  # rows of a law that judge
DIGITS = 6


class LawRows(NamedTuple):
    """So many rows of a law, a data set that is drawn anew for every repeat."""

    law: Law
    n: int


def number_halves(y: NDArray, repeat: int) -> list[tuple[NDArray, NDArray]]:
    """(train, test) of both folds of one repeat; the same for every method."""
    if len(y) < 2 * FEWEST:
        raise ValueError(f"{counted(len(y), 'pattern')}: halves of numbers need {2 * FEWEST}")
    return list(KFold(2, shuffle=True, random_state=repeat).split(y))


def law_rows(name: str) -> LawRows:
    """The law and the number of rows that a name like "fan-200" stands for; DatasetError where it is another."""
    law, _, n = name.rpartition("-")
    if law not in LAWS or not n.isdecimal() or int(n) < FEWEST:
        raise DatasetError(f"{name!r} is no law with a number of rows from {FEWEST} on, like 'fan-200'")
    return LawRows(LAWS[law], int(n))


def evaluate_numbers(job: Job, X: NDArray, y: NDArray, device: str = "cpu") -> Record:
    """Fit the job's method on its half of (X, y) and judge it on the other."""
    train, test = number_halves(y, job.repeat)[job.fold]
    seconds, model, told = fit_and_tell(job, X[train], y[train], X[test], device)
    return _record(job, model, seconds, X[train].shape, device, number_scores(y[test], *told))


def evaluate_law(job: Job, rows: LawRows, device: str = "cpu") -> Record:
    """Fit the job's method on rows of a law and judge it by the law itself; folds are further samples."""
    draw = 2 * job.repeat + job.fold
    train, test = rows.law.sample(rows.n, (draw, rows.n)), rows.law.sample(N_TEST, (draw, 0))
    seconds, model, (predicted, quantiles, intervals) = fit_and_tell(job, train.X, train.y, test.X, device)
    scores = number_scores(test.y, predicted, quantiles, intervals) | law_scores(test, predicted, intervals)
    return _record(job, model, seconds, train.X.shape, device, scores)


def fit_and_tell(
    job: Job, X: NDArray, y: NDArray, Q: NDArray, device: str = "cpu"
) -> tuple[float, Any, tuple[NDArray, NDArray, NDArray]]:
    """Seconds, the fitted model, and what it tells of the rows of Q: expected numbers, quantiles, intervals."""
    make = NUMBER_METHODS[job.method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about constant features of a half, and of libraries
        start = time.perf_counter()
        model = make(Wish(2 * job.repeat + job.fold, len(X), X.shape[1], device)).fit(X, y)
        quantiles = np.asarray(model.predict_quantiles(Q, LEVELS))
        told = model.predict(Q), quantiles, intervals_of(model, Q, quantiles)
        return time.perf_counter() - start, model, told


def intervals_of(model: Any, Q: NDArray, quantiles: NDArray) -> NDArray[np.float64]:
    """Ends of the intervals of ``INTERVALS``, (n_intervals, N, 2): the model's own, or between its ``LEVELS``."""
    if hasattr(model, "predict_interval"):
        return np.array([model.predict_interval(Q, alpha=round(1 - share, 9)) for share in INTERVALS])
    places = [[LEVELS.index(round((1 - share) / 2, 9)), LEVELS.index(round((1 + share) / 2, 9))] for share in INTERVALS]
    return np.array([quantiles[:, pair] for pair in places])


def _record(job, model, seconds, shape, device, scores):
    chosen = getattr(model, "parameters_", {})
    scale = {"scale": model.scale_name_} if hasattr(model, "scale_name_") else {}
    return Record(
        job,
        **{name: _rounded(value) for name, value in scores.items()},
        honest_k=chosen.get("n_neighbors"),
        seconds=seconds,
        parameters={**chosen, **scale},
        shape=(*shape, 0),
        versions={**versions(), "device": device},
    )


def _rounded(value):
    """Six significant digits: numbers have any unit."""
    return [_rounded(each) for each in value] if isinstance(value, list) else float(f"{value:.{DIGITS}g}")
