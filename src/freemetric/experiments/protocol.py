"""The paper's protocol: two halves, a fit on one, errors on the other.

Scaling, the metric and parameters come from the training half. One fit serves every
protocol, because its record keeps the error for every number k of neighbours:
"honest" chooses k without the test half, "paper" takes the best k of each test half,
and "one-k" the best k for all halves of a data set.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_batches

from .datasets import DatasetError
from .loading import load_dataset
from .scores import (
    INTERVALS,
    LEVELS,
    percent_wrong,
    prediction_scores,
    probability_scores,
    truth_scores,
)
from .synthetic import SYNTHETIC, Problem

PROTOCOLS = ("honest", "paper", "one-k")

MOST_NEIGHBORS = 40
N_TEST = 4000  # test samples of a synthetic problem
BLOCK = 4096  # test samples whose neighbours are counted at a time


class Split(NamedTuple):
    """Training and test samples; mean and noise of the test targets where known."""

    X: NDArray
    y: NDArray
    X_test: NDArray
    y_test: NDArray
    mean: Any = None
    noise: Any = None


class SizedProblem(NamedTuple):
    """A synthetic problem and the number of training samples, drawn for every fit."""

    problem: Problem
    n_samples: int
    task: str = "regression"


def load_source(name, folder=None):
    """Load what fits are made on.

    Parameters
    ----------
    name : str
        Name of a data set, or of a synthetic problem with a size, like "fan-200".
    folder : path-like or None, default=None
        Folder of files to look in first.

    Returns
    -------
    source : Dataset or SizedProblem
        An argument for :func:`split`.
    """
    problem, _, size = name.rpartition("-")
    if problem in SYNTHETIC and size.isdecimal():
        return SizedProblem(SYNTHETIC[problem], int(size))
    return load_dataset(name, folder)


def halves(y, repeat, stratify=True):
    """Return the (train, test) rows of both folds of one repeat.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers or targets.
    repeat : int
        Seed of the halves, which are the same for every method.
    stratify : bool, default=True
        Whether y are classes, whose shares both halves keep.

    Returns
    -------
    halves : list of (ndarray, ndarray)
        Row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.experiments.protocol import halves
    >>> [len(train) for train, test in halves(np.repeat([0, 1], 10), repeat=0)]
    [10, 10]
    """
    if stratify and np.bincount(y).min() < 2:
        raise DatasetError("A class has one sample; two halves need two of each.")
    splitter = StratifiedKFold if stratify else KFold
    folds = splitter(2, shuffle=True, random_state=repeat)
    return list(folds.split(np.zeros(len(y)), y))


def split(source, repeat, fold):
    """Return one half of a data set to learn from and the other to test on.

    Parameters
    ----------
    source : Dataset or SizedProblem
        Result of :func:`load_source`.
    repeat, fold : int
        The pair of halves, and which of them (0 or 1) is tested on.

    Returns
    -------
    split : Split
        Training and test samples.
    """
    if isinstance(source, SizedProblem):
        problem, n_samples, _ = source
        seed = seed_of(repeat, fold)
        train = problem.sample(n_samples, (seed, n_samples))
        test = problem.sample(N_TEST, (seed, 0))
        return Split(train.X, train.y, *test)
    stratify = source.task == "classification"
    train, test = halves(source.y, repeat, stratify)[fold]
    X, y = source.X, source.y
    return Split(X[train], y[train], X[test], y[test])


def seed_of(repeat, fold):
    """Return the seed of the methods on a half."""
    return 2 * repeat + fold


def score(model, split):
    """Score a fitted model on the test samples.

    Parameters
    ----------
    model : estimator
        Fitted on the training samples; classes are numbers from 0.
    split : Split
        Training and test samples.

    Returns
    -------
    scores : dict
        Fields of a :class:`~freemetric.experiments.records.Record`.
    """
    if hasattr(model, "classes_"):
        return _class_scores(model, split)
    return _number_scores(model, split)


def _class_scores(model, split):
    scores = {}
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(split.X_test)
        scores.update(probability_scores(_of_all_classes(P, model), split.y_test))
    if hasattr(model, "learner_") and hasattr(model, "n_neighbors_"):
        # One rule for ties at every k, the one that k was chosen by; where ``predict``
        # gives them to the first class, errors are 0.17 points higher.
        errors = neighbor_errors(model.learner_.transform, split)
        k = int(model.n_neighbors_)
        return {
            **scores,
            "errors": errors,
            "honest_k": k,
            "honest_error": errors[k - 1],
        }
    error = percent_wrong(np.asarray(model.predict(split.X_test)), split.y_test)
    return {**scores, "errors": [error], "honest_error": error}


def _of_all_classes(P, model):
    """Probabilities with columns of zeros for classes without a training sample."""
    full = np.zeros((len(P), int(max(model.classes_)) + 1))
    full[:, np.asarray(model.classes_, dtype=int)] = P
    return full


def neighbor_errors(transform, split, most=MOST_NEIGHBORS):
    """Return the test errors in % of k = 1, 2, ... nearest neighbours.

    Parameters
    ----------
    transform : callable
        Maps samples to the space where distances are taken.
    split : Split
        Training and test samples; classes are numbers from 0.
    most : int, default=40
        Largest number of neighbours.

    Returns
    -------
    errors : list of float
        One for every number of neighbours. The nearest neighbour breaks ties.
    """
    most = min(most, len(split.y))
    search = NearestNeighbors(n_neighbors=most).fit(transform(split.X))
    Z = transform(split.X_test)
    one_hot = np.eye(split.y.max() + 1)
    decisions = []
    for block in gen_batches(len(Z), BLOCK):
        labels = split.y[search.kneighbors(Z[block], return_distance=False)]
        votes = one_hot[labels].cumsum(axis=1)
        votes += one_hot[labels[:, :1]] / 2
        decisions.append(votes.argmax(axis=2))
    return percent_wrong(np.concatenate(decisions), split.y_test)


def _number_scores(model, split):
    predicted = np.asarray(model.predict(split.X_test))
    quantiles, intervals = _uncertainty(model, split.X_test)
    scores = prediction_scores(split.y_test, predicted, quantiles, intervals)
    if split.mean is not None:
        scores.update(truth_scores(split.mean, split.noise, predicted, intervals))
    return scores


def _uncertainty(model, X):
    """Quantiles and intervals; both None of a model without them."""
    if not hasattr(model, "predict_quantiles"):
        return None, None
    alphas = [round(1 - share, 9) for share in INTERVALS]
    intervals = [model.predict_interval(X, alpha=alpha) for alpha in alphas]
    return np.asarray(model.predict_quantiles(X, LEVELS)), np.array(intervals)
