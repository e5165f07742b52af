"""The honest protocol for numbers: halves by a seed, everything chosen on one, judged on the other; and laws."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from ..datasets import DatasetError
from ..datasets.laws import LAWS, Law
from ..printable import counted
from ..versions import versions
from .number_methods import NUMBER_METHODS, Wish
from .number_scores import INTERVALS, LEVELS, law_scores, number_scores
from .records import Job, Record

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
