"""The paper's protocol on one half, and the honest one beside it from the same fit."""

import platform
import time
import warnings

import numpy as np
import scipy
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from .._version import __version__
from ..exceptions import DataWarning
from ..learners import MetricKNeighborsClassifier
from ..learners.votes import shares
from .methods import METHODS
from .records import Job, Record

MOST_NEIGHBORS = 40
INNER_FOLDS = 5


def halves(y, repeat):
    """(train, test) of both folds of one repeat; the same for every method."""
    smallest = np.bincount(y).min()
    if smallest < 2:
        raise ValueError(f"a class has {smallest} pattern: two-fold cross-validation needs two of each")
    return list(StratifiedKFold(2, shuffle=True, random_state=repeat).split(np.zeros(len(y)), y))


def evaluate(job: Job, X, y, device: str = "cpu") -> Record:
    """Fit the job's method on its half of (X, y) and judge it on the other."""
    train, test = halves(y, job.repeat)[job.fold]
    seed = 2 * job.repeat + job.fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        model, parameters = fit(job, X[train], y[train], seed, device)
        errors, honest_k = judge(model, X[test], y[test])
        seconds = time.perf_counter() - start
    return Record(
        job,
        errors=errors,
        honest_k=honest_k,
        honest_error=errors[honest_k - 1] if honest_k else errors[0],
        seconds=seconds,
        parameters=parameters,
        shape=(len(train), X.shape[1], int(y.max()) + 1),
        versions={**versions(), "device": device},
    )


def fit(job, X, y, seed, device="cpu"):
    """A classifier fitted on one half, k and all parameters chosen there, and the parameters that were tuned."""
    method = METHODS[job.method]
    estimator, grid = method.prepared(seed, device), method.grid
    if hasattr(estimator, "transform"):
        learner = make_pipeline(MinMaxScaler(), estimator)
        prefix = f"learner__{learner.steps[-1][0]}__"
        estimator = MetricKNeighborsClassifier(learner, n_folds=INNER_FOLDS, random_state=seed)
        grid = {prefix + name: values for name, values in grid.items()}
    if job.setting == "default" or not grid:
        return estimator.fit(X, y), {}
    search = GridSearchCV(estimator, grid, cv=StratifiedKFold(3, shuffle=True, random_state=seed)).fit(X, y)
    return search.best_estimator_, {name.split("__")[-1]: value for name, value in search.best_params_.items()}


def judge(model, X, y):
    """Errors in % on the test half for every k, and the k chosen without it; one error and None where there is no k."""
    if not hasattr(model, "votes"):
        return [_percent(model.predict(X) != y)], None
    votes = model.votes(X, MOST_NEIGHBORS)
    wrong = shares(votes).argmax(axis=2) != y[:, None]
    return [_percent(column) for column in wrong.T], model.n_neighbors_


def _percent(wrong):
    return round(100 * float(np.mean(wrong)), 6)


def versions():
    return {
        "freemetric": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "machine": platform.machine(),
    }
