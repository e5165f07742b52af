"""The protocol: split, fit on one part, score on the other, one record; and its steps in classification."""

import time
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from ..ensemble import FreeEnergyClassifier
from ..ensemble.settings import recipe_of
from ..extras import versions
from ..learners import MetricKNeighborsClassifier
from ..learners.base import generator
from ..tabular.methods import METHODS, stratified_sample
from . import regression
from .records import BenchJob, Record, check_known

MOST_NEIGHBORS = 40
INNER_FOLDS = 5


class OnSample(TransformerMixin, BaseEstimator):
    """A metric learner that is fitted on a stratified sample of at most ``most_samples`` of its training set.

    ``learner_`` is the fitted learner, ``sample_`` are the indices of the sample, and ``random_state`` is its seed.
    """

    def __init__(self, learner: BaseEstimator, most_samples: int, *, random_state: Any = None):
        self.learner = learner
        self.most_samples = most_samples
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> "OnSample":
        self.sample_ = stratified_sample(generator(self.random_state), y, self.most_samples)
        self.learner_ = clone(self.learner).fit(X[self.sample_], y[self.sample_])
        return self

    def transform(self, X: NDArray) -> NDArray:
        return self.learner_.transform(X)


def halves(y: NDArray, repeat: int) -> list[tuple[NDArray, NDArray]]:
    """(train, test) of both folds of one repeat; the same for every method."""
    smallest = np.bincount(y).min()
    if smallest < 2:
        raise ValueError(f"a class has {smallest} sample: two-fold cross-validation needs two of each")
    return list(StratifiedKFold(2, shuffle=True, random_state=repeat).split(np.zeros(len(y)), y))


def fit(
    job: BenchJob, X: NDArray, y: NDArray, seed: int, device: str = "cpu", most_samples: int | None = None
) -> tuple[BaseEstimator, dict[str, Any]]:
    """Return a classifier fitted on one half, k and parameters chosen there, and the parameters to record.

    These are the tuned ones, and ``most_patterns`` where the metric was learned on a sample.
    """
    method = METHODS[job.method]
    estimator, grid, parameters = method.prepared(seed, device), method.grid, {}
    if learns_metric(estimator):
        prefix = "learner__metric__"
        if most_samples is not None and learns_on_sample(job, len(X), most_samples):
            estimator = OnSample(estimator, most_samples, random_state=seed)
            prefix, parameters = prefix + "learner__", {"most_patterns": most_samples}
        learner = Pipeline([("scaler", MinMaxScaler()), ("metric", estimator)])
        estimator = MetricKNeighborsClassifier(learner, n_folds=INNER_FOLDS, random_state=seed)
        grid = {prefix + name: values for name, values in grid.items()}
    if job.setting == "default" or not grid:
        return estimator.fit(X, y), parameters
    search = GridSearchCV(estimator, grid, cv=StratifiedKFold(3, shuffle=True, random_state=seed)).fit(X, y)
    tuned = {name.split("__")[-1]: value for name, value in search.best_params_.items()}
    return search.best_estimator_, {**tuned, **parameters}


def learns_on_sample(job: BenchJob, n_samples: int, most_samples: int | None) -> bool:
    """Whether the job's method learns a metric, and from fewer samples than there are."""
    are_more = most_samples is not None and n_samples > most_samples
    return are_more and learns_metric(METHODS[job.method].make())


def learns_metric(estimator: BaseEstimator) -> bool:
    """Whether the estimator maps samples and leaves their classification to k-NN."""
    return hasattr(estimator, "transform") and not is_classifier(estimator)


def scores(model: Any, X: NDArray, y: NDArray) -> dict[str, Any]:
    """Fields of the record of a fitted model: test errors for k = 1, 2, ..., or one error of a method without k."""
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(X)
        predicted, found = P.argmax(axis=1), probability_scores(P, y)
    else:
        predicted, found = model.predict(X), {}
    honest = _percent(predicted != y)
    if not hasattr(model, "decisions"):
        return {"errors": [honest], "honest_error": honest, **found}
    wrong = model.decisions(X, MOST_NEIGHBORS) != y[:, None]
    mixes = isinstance(model, FreeEnergyClassifier) and len(recipe_of(model).neighbors) > 1
    k = None if mixes else model.n_neighbors_
    return {"errors": list(map(_percent, wrong.T)), "honest_error": honest, "honest_k": k, **found}


def probability_scores(P: NDArray, y: NDArray) -> dict[str, float]:
    """Brier score (half the squared distance to the truth) and log loss of probabilities (N, C); both means."""
    rows = np.arange(len(y))
    log_loss = -np.log(np.clip(P[rows, y], 1e-15, None)).mean()
    brier = ((P - np.eye(P.shape[1])[y]) ** 2).sum(axis=1).mean() / 2
    return {"brier": round(float(brier), 6), "log_loss": round(float(log_loss), 6)}


def _percent(wrong):
    return round(100 * float(np.mean(wrong)), 6)


@dataclass(frozen=True)
class BenchTask:
    """The steps of the protocol that differ between classification, regression and synthetic problems."""

    methods: Collection[str]
    datasets: Callable[[], list[str]]
    load: Callable[[str, Any], Any]  # (name, data_home) -> data
    split: Callable[[Any, int, int], tuple[Any, Any, Any, Any]]  # (data, repeat, fold) -> X, y, X_test, truth
    fit: Callable[..., tuple[Any, dict[str, Any]]]  # (job, X, y, seed, device, most_samples) -> model, parameters
    scores: Callable[[Any, Any, Any], dict[str, Any]]  # (model, X_test, truth) -> fields of a record
    samples: bool = False  # whether metrics can be learned on a sample of the training set


def _datasets() -> Any:
    """``freemetric.datasets``, imported when it is needed: that package may be left out."""
    from .. import datasets

    return datasets


def _split(halves: Callable[[Any, int], list], data: Any, repeat: int, fold: int) -> tuple[Any, Any, Any, Any]:
    train, test = halves(data.y, repeat)[fold]
    return data.X[train], data.y[train], data.X[test], data.y[test]


TASKS = {
    "classification": BenchTask(
        METHODS,
        lambda: _datasets().list_datasets(),
        lambda name, home: _datasets().load(name, home),
        partial(_split, halves),
        fit,
        scores,
        samples=True,
    ),
    "regression": BenchTask(
        regression.METHODS,
        regression.list_tables,
        lambda name, home: _datasets().load_regression(name, home),
        partial(_split, regression.halves),
        regression.fit,
        regression.scores,
    ),
    "synthetic": BenchTask(
        regression.METHODS,
        lambda: _datasets().list_regression("generated"),
        lambda name, _: regression.sized_problem(name),
        regression.draw,
        regression.fit,
        regression.scores,
    ),
}


def task_of(name: str) -> BenchTask:
    """Return the task of that name; ValueError, in one line, where there is none."""
    check_known(name, TASKS, "task")
    return TASKS[name]


def evaluate(
    job: BenchJob, data: Any, task: str = "classification", device: str = "cpu", most_samples: int | None = None
) -> Record:
    """Fit the job's method on one part of the data and score it on the other.

    Parameters
    ----------
    job : BenchJob
        Method, repeat and fold.
    data : Dataset or SizedProblem
        Result of the task's ``load``.
    task : {"classification", "regression", "synthetic"}, default="classification"
        Name of the task.
    device : str, default="cpu"
        Where the method computes, if it can choose.
    most_samples : int or None, default=None
        Learn a metric on a stratified sample of this size where a half is larger; k-NN uses the whole half.
    """
    kind = task_of(task)
    X, y, X_test, truth = kind.split(data, job.repeat, job.fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about constant features of a half, convergence, and of libraries
        start = time.perf_counter()
        model, parameters = kind.fit(job, X, y, 2 * job.repeat + job.fold, device, most_samples)
        scores = kind.scores(model, X_test, truth)
        seconds = time.perf_counter() - start
    return Record(
        job,
        **scores,
        seconds=seconds,
        parameters=parameters,
        shape=(*X.shape, int(data.y.max()) + 1 if task == "classification" else 0),
        versions={**versions(), "device": device},
    )
