"""Benchmarks of classification: stratified halves, methods with k and parameters chosen on one half, test scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from ..ensemble import FreeEnergyClassifier
from ..ensemble.settings import recipe_of
from ..learners import MetricKNeighborsClassifier
from ..learners.base import generator
from ..tabular.methods import METHODS, stratified_sample
from .records import BenchJob

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
    return {
        "errors": [_percent(column) for column in wrong.T],
        "honest_error": honest,
        "honest_k": None if mixes else model.n_neighbors_,
        **found,
    }


def probability_scores(P: NDArray, y: NDArray) -> dict[str, float]:
    """Brier score (half the squared distance to the truth) and log loss of probabilities (N, C); both means."""
    rows = np.arange(len(y))
    log_loss = -np.log(np.clip(P[rows, y], 1e-15, None)).mean()
    brier = ((P - np.eye(P.shape[1])[y]) ** 2).sum(axis=1).mean() / 2
    return {"brier": round(float(brier), 6), "log_loss": round(float(log_loss), 6)}


def _percent(wrong):
    return round(100 * float(np.mean(wrong)), 6)
