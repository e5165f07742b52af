"""Methods compared on one's own table by cross-validation."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.model_selection import (
    GroupKFold,
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
N_SPLITS = 5
MOST_CLASSES = 20  # different numbers that are taken for classes

SCORES = {
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
    test_share : float
        Mean number of test rows over that of training rows.
    """

    task: str
    protocol: str
    records: list
    test_share: float

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
        groups = defaultdict(list)
        for record in self.records:
            groups[record.job.method].append(record)
        return [self._row(method, records) for method, records in groups.items()]

    def _row(self, method, records):
        row = {"method": method}
        shared = np.sqrt(1 / len(records) + self.test_share)
        for name in SCORES[self.task]:
            found = [getattr(record, self._field(name)) for record in records]
            values = np.array(found, dtype=float)
            row[name] = values.mean()
            row[f"{name}_se"] = values.std(ddof=1) * shared
        row["seconds"] = np.mean([record.seconds for record in records])
        return row

    def _field(self, name):
        return f"{self.protocol}_error" if name == "error" else name


def evaluate(
    X,
    y,
    methods=None,
    *,
    task=None,
    protocol="honest",
    cv=None,
    groups=None,
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
    cv : splitter of scikit-learn or None, default=None
        None is 5-fold cross-validation: stratified where there are classes, and twice
        where there are no groups.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group are never parted between training and test.
    device : str, default="cpu"
        Device of the methods that have one.
    n_jobs : int or None, default=None
        Fits at a time.
    random_state : int, default=0
        Seed of folds and methods.

    Returns
    -------
    found : Evaluation
        Its ``scores()`` and ``records``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.experiments import evaluate
    >>> X, y = load_wine(return_X_y=True)
    >>> found = evaluate(X, y, ["euclidean"])
    >>> {row["method"]: round(row["error"]) for row in found.scores()}
    {'euclidean': 3, 'constant': 60}
    """
    y = np.asarray(y)
    task = task or _task_of(y)
    if task == "classification":
        y = np.unique(y, return_inverse=True)[1]
    named = methods if isinstance(methods, dict) else {}
    methods = USUAL[task] if methods is None else methods
    names = [*dict.fromkeys([*methods, BASELINE])]
    X = X if hasattr(X, "iloc") else np.asarray(X)
    cv = cv or _usual_splitter(task, groups, random_state)
    splits = list(cv.split(X, y, groups))
    work = []
    for number, (train, test) in enumerate(splits):
        part = Split(_rows(X, train), y[train], _rows(X, test), y[test])
        for name in names:
            estimator = _estimator(name, named, task, random_state + number, device, X)
            job = Job("table", name, fold=number)
            work.append(delayed(fitted_record)(job, estimator, part, device))
    with parallel_config("loky", inner_max_num_threads=1):
        records = Parallel(n_jobs=n_jobs)(work)
    test_share = np.mean([len(test) / len(train) for train, test in splits])
    return Evaluation(task, protocol, records, float(test_share))


def _task_of(y):
    are_numbers = y.dtype.kind in "iuf"
    many = are_numbers and len(np.unique(y)) > MOST_CLASSES
    return "regression" if many else "classification"


def _rows(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _usual_splitter(task, groups, seed):
    if groups is not None:
        splitter = StratifiedGroupKFold if task == "classification" else GroupKFold
        n_splits = min(N_SPLITS, len(np.unique(groups)))
        return splitter(n_splits, shuffle=True, random_state=seed)
    repeated = RepeatedStratifiedKFold if task == "classification" else RepeatedKFold
    return repeated(n_splits=N_SPLITS, n_repeats=2, random_state=seed)


def _estimator(name, named, task, seed, device, X):
    is_named = name in named
    estimator = named[name] if is_named else make_estimator(name, task, seed, device)
    if not hasattr(X, "iloc"):
        return estimator
    from .. import TableClassifier, TableRegressor  # needs pandas

    table = TableClassifier if task == "classification" else TableRegressor
    return table(estimator)
