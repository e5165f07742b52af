"""Methods compared on one's own table by cross-validation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)

from .methods import make_estimator
from .protocol import Split
from .records import Job
from .runner import fitted_record

USUAL = {
    "classification": ("free-energy", "nca", "euclidean", "rf"),
    "regression": ("free-energy-regressor", "mlkr", "knn", "forest-500"),
}
BASELINE = "constant"
MOST_CLASSES = 20  # different numbers that are taken for classes

SHOWN = {
    "classification": ("error", "brier", "log_loss"),
    "regression": ("rmse", "r2", "mae", "pinball"),
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Methods on the splits of one table.

    Attributes
    ----------
    task : {"classification", "regression"}
        The task.
    protocol : {"honest", "paper"}
        How k is chosen: without the test rows, or the best for them.
    records : list of Record
        One for every method and split; ``record.failure`` says why one has no scores.
    """

    task: str
    protocol: str
    records: list

    def scores(self):
        """Return the scores of every method with their standard errors.

        Returns
        -------
        rows : list of dict
            "method"; mean "error" in % (of a regression "rmse", "r2", ...) and so on,
            each with a standard error such as "error_se", which counts that splits
            share rows (Nadeau and Bengio, 2003); mean "seconds" of a fit. NaN where a
            split has failed.
        """
        methods = dict.fromkeys(record.job.method for record in self.records)
        return [self._row(method) for method in methods]

    def _row(self, method):
        records = [record for record in self.records if record.job.method == method]
        row = {"method": method}
        for name in SHOWN[self.task]:
            values = np.array([self._value(record, name) for record in records], float)
            row[name] = values.mean()
            row[f"{name}_se"] = _standard_error(values, records)
        row["seconds"] = np.mean([record.seconds for record in records])
        return row

    def _value(self, record, name):
        if name != "error":
            return getattr(record, name)
        return record.paper_error if self.protocol == "paper" else record.honest_error

    def __str__(self):
        names = [*SHOWN[self.task], "seconds"]
        lines = ["method                " + "".join(f"{name:>20}" for name in names)]
        for row in self.scores():
            line = f"{row['method']:22}"
            for name in names[:-1]:
                line += f"{row[name]:12.4g} ±{row[f'{name}_se']:6.2g}"
            lines.append(f"{line}{row['seconds']:20.2f}")
        return "\n".join(lines)


def _standard_error(values, records):
    """Corrected for rows that splits share: a test part of a share s adds s / (1 - s)."""
    n_splits = len(values)
    if n_splits < 2:
        return np.nan
    n_folds = 1 + max(record.job.fold for record in records)
    variance = values.var(ddof=1)
    return float(np.sqrt(variance * (1 / n_splits + 1 / max(1, n_folds - 1))))


def evaluate(
    X,
    y,
    methods=None,
    *,
    task=None,
    protocol="honest",
    n_folds=5,
    n_repeats=2,
    groups=None,
    seconds=None,
    device="cpu",
    n_jobs=None,
    random_state=0,
):
    """Estimate by cross-validation how methods do on new rows of a table.

    Scaling, metrics, k and parameters come from the training rows of each split. A
    constant prediction is the baseline.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Features. The columns of a DataFrame may be categories, dates and gaps, which
        :class:`freemetric.TableClassifier` encodes (extra ``table``).
    y : array-like of shape (n_samples,)
        Class labels, or numbers to predict.
    methods : iterable of str, dict of estimators or None, default=None
        Names in :data:`~freemetric.experiments.methods.METHODS`, or estimators by the
        names to show. None is the ensemble, two metrics and a forest.
    task : {"classification", "regression"} or None, default=None
        None takes more than 20 different numbers for a regression.
    protocol : {"honest", "paper"}, default="honest"
        How k is chosen: without the test rows, or the best for them.
    n_folds, n_repeats : int, default=5, 2
        Folds of the cross-validation, and its repeats with other folds.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group are never parted between training and test.
    seconds : float or None, default=None
        Longest time of one fit.
    device : str, default="cpu"
        Device of the methods that have one.
    n_jobs : int or None, default=None
        Fits at a time.
    random_state : int, default=0
        Seed of folds and methods.

    Returns
    -------
    found : Evaluation
        Print it, or take its ``scores()`` and ``records``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.experiments import evaluate
    >>> X, y = load_wine(return_X_y=True)
    >>> found = evaluate(X, y, ["euclidean"], n_folds=3, n_repeats=1)
    >>> {row["method"]: round(row["error"]) for row in found.scores()}
    {'euclidean': 5, 'constant': 60}
    """
    y = np.asarray(y)
    task = task or _task_of(y)
    if task == "classification":
        y = np.unique(y, return_inverse=True)[1]
    named = methods if isinstance(methods, dict) else None
    names = [*dict.fromkeys([*(methods or USUAL[task]), BASELINE])]
    X = X if hasattr(X, "iloc") else np.asarray(X)
    work = []
    splits = _splits(y, task, groups, n_folds, n_repeats, random_state)
    for number, (train, test) in enumerate(splits):
        part = Split(_rows(X, train), y[train], _rows(X, test), y[test])
        for name in names:
            seed = random_state + number
            job = Job("table", name, *divmod(number, n_folds))
            estimator = _estimator(name, named, task, seed, device, X)
            work.append(delayed(fitted_record)(job, estimator, part, seconds))
    with parallel_config("loky", inner_max_num_threads=1):
        records = Parallel(n_jobs=n_jobs)(work)
    return Evaluation(task, protocol, records)


def _task_of(y):
    are_numbers = y.dtype.kind in "iuf"
    many = are_numbers and len(np.unique(y)) > MOST_CLASSES
    return "regression" if many else "classification"


def _rows(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _splits(y, task, groups, n_folds, n_repeats, seed):
    if groups is None:
        stratify = task == "classification"
        splitter = RepeatedStratifiedKFold if stratify else RepeatedKFold
        folds = splitter(n_splits=n_folds, n_repeats=n_repeats, random_state=seed)
        return list(folds.split(y, y))
    strata = y if task == "classification" else np.zeros(len(y), dtype=int)
    splits = []
    for repeat in range(n_repeats):
        folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed + repeat)
        splits += folds.split(y, strata, groups)
    return splits


def _estimator(name, named, task, seed, device, X) -> Any:
    if named and name in named:
        estimator = named[name]
    else:
        estimator = make_estimator(name, task, seed, device)
    if not hasattr(X, "iloc"):
        return estimator
    from .. import TableClassifier, TableRegressor  # needs pandas

    table = TableClassifier if task == "classification" else TableRegressor
    return table(estimator)
