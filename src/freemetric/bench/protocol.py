"""The protocol: splits, what is chosen inside of them, and one record of a method on a data set."""

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from ..ensemble import FreeEnergyClassifier
from ..exceptions import DataWarning
from ..learners import MetricKNeighborsClassifier
from ..learners.base import generator
from ..tabular.methods import GRIDS, METHODS, REFERENCES, Method, stratified_sample
from ..versions import versions
from .records import Job, Record


class OnSample(TransformerMixin, BaseEstimator):
    """A metric learner that sees a stratified sample of its training patterns; it transforms whatever it is given.

    Parameters
    ----------
    learner : estimator with fit and transform
        The metric.
    most_patterns : int
        Size of the sample; all patterns where there are no more.
    random_state : int, RandomState or None, default=None
        Seed of the sample. The learner has its own.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted on the sample.
    sample_ : ndarray of shape (n_patterns,)
        Indices of the patterns that it saw.
    """

    def __init__(self, learner: BaseEstimator, most_patterns: int, *, random_state: Any = None):
        self.learner = learner
        self.most_patterns = most_patterns
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> "OnSample":
        self.sample_ = stratified_sample(generator(self.random_state), y, self.most_patterns)
        self.learner_ = clone(self.learner).fit(X[self.sample_], y[self.sample_])
        return self

    def transform(self, X: NDArray) -> NDArray:
        return self.learner_.transform(X)


__all__ = ["GRIDS", "METHODS", "REFERENCES", "Method"]


MOST_NEIGHBORS = 40
INNER_FOLDS = 5


def halves(y: NDArray, repeat: int) -> list[tuple[NDArray, NDArray]]:
    """(train, test) of both folds of one repeat; the same for every method."""
    smallest = np.bincount(y).min()
    if smallest < 2:
        raise ValueError(f"a class has {smallest} pattern: two-fold cross-validation needs two of each")
    return list(StratifiedKFold(2, shuffle=True, random_state=repeat).split(np.zeros(len(y)), y))


def evaluate(job: Job, X: NDArray, y: NDArray, device: str = "cpu", most_patterns: int | None = None) -> Record:
    """Fit the job's method on its half of (X, y) and judge it on the other.

    With ``most_patterns``, a metric is learned on a stratified sample of a half that has more; all of them vote.
    """
    train, test = halves(y, job.repeat)[job.fold]
    seed = 2 * job.repeat + job.fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        model, parameters = fit(job, X[train], y[train], seed, device, most_patterns)
        outcome = judge(model, X[test], y[test])
        seconds = time.perf_counter() - start
    return Record(
        job,
        **outcome,
        seconds=seconds,
        parameters=parameters,
        shape=(len(train), X.shape[1], int(y.max()) + 1),
        versions={**versions(), "device": device},
    )


def fit(
    job: Job, X: NDArray, y: NDArray, seed: int, device: str = "cpu", most_patterns: int | None = None
) -> tuple[BaseEstimator, dict[str, Any]]:
    """A classifier fitted on one half, k and all parameters chosen there, and the parameters to record.

    These are the tuned ones, and ``most_patterns`` where the metric saw a sample.
    """
    method = METHODS[job.method]
    estimator, grid, parameters = method.prepared(seed, device), method.grid, {}
    if learns_a_space(estimator):
        prefix = "learner__metric__"
        if most_patterns is not None and learns_on_sample(job, len(X), most_patterns):
            estimator = OnSample(estimator, most_patterns, random_state=seed)
            prefix, parameters = prefix + "learner__", {"most_patterns": most_patterns}
        learner = Pipeline([("scaler", MinMaxScaler()), ("metric", estimator)])
        estimator = MetricKNeighborsClassifier(learner, n_folds=INNER_FOLDS, random_state=seed)
        grid = {prefix + name: values for name, values in grid.items()}
    if job.setting == "default" or not grid:
        return estimator.fit(X, y), parameters
    search = GridSearchCV(estimator, grid, cv=StratifiedKFold(3, shuffle=True, random_state=seed)).fit(X, y)
    tuned = {name.split("__")[-1]: value for name, value in search.best_params_.items()}
    return search.best_estimator_, {**tuned, **parameters}


def learns_on_sample(job: Job, n_patterns: int, most_patterns: int | None) -> bool:
    """Whether the job's method learns a metric, and from fewer patterns than there are."""
    are_more = most_patterns is not None and n_patterns > most_patterns
    return are_more and learns_a_space(METHODS[job.method].make())


def learns_a_space(estimator: BaseEstimator) -> bool:
    """Whether it maps patterns and leaves it to others to classify them."""
    return hasattr(estimator, "transform") and not is_classifier(estimator)


def judge(model: Any, X: NDArray, y: NDArray) -> dict[str, Any]:
    """What a record says about a fitted model on the test half.

    A method without k has one error; it and one that mixes several k have chosen None.
    """
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(X)
        chosen, scores = P.argmax(axis=1), probability_scores(P, y)
    else:
        chosen, scores = model.predict(X), {}
    honest = _percent(chosen != y)
    if not hasattr(model, "decisions"):
        return {"errors": [honest], "honest_error": honest, **scores}
    wrong = model.decisions(X, MOST_NEIGHBORS) != y[:, None]
    mixes = isinstance(model, FreeEnergyClassifier) and model.n_neighbors == "auto"
    return {
        "errors": [_percent(column) for column in wrong.T],
        "honest_error": honest,
        "honest_k": None if mixes else model.n_neighbors_,
        **scores,
    }


def probability_scores(P: NDArray, y: NDArray) -> dict[str, float]:
    """Brier score (half the squared distance to the truth) and log loss of probabilities (N, C); both means."""
    rows = np.arange(len(y))
    log_loss = -np.log(np.clip(P[rows, y], 1e-15, None)).mean()
    brier = ((P - np.eye(P.shape[1])[y]) ** 2).sum(axis=1).mean() / 2
    return {"brier": round(float(brier), 6), "log_loss": round(float(log_loss), 6)}


def _percent(wrong):
    return round(100 * float(np.mean(wrong)), 6)
