"""The protocol: split, fit on one part, score on the other, one record; a task defines how each step is done."""

import time
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..extras import versions
from ..tabular.methods import METHODS
from . import classification, regression
from .records import BenchJob, Record, check_known


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


def _from_datasets(name: str, *given: Any) -> Callable[..., Any]:
    """A function of ``freemetric.datasets``, looked up when it is called: that package may be left out."""

    def call(*arguments):
        from .. import datasets

        return getattr(datasets, name)(*given, *arguments)

    return call


def _split(halves: Callable[[Any, int], list], data: Any, repeat: int, fold: int) -> tuple[Any, Any, Any, Any]:
    train, test = halves(data.y, repeat)[fold]
    return data.X[train], data.y[train], data.X[test], data.y[test]


TASKS = {
    "classification": BenchTask(
        METHODS,
        _from_datasets("list_datasets"),
        _from_datasets("load"),
        partial(_split, classification.halves),
        classification.fit,
        classification.scores,
        samples=True,
    ),
    "regression": BenchTask(
        regression.METHODS,
        regression.list_tables,
        _from_datasets("load_regression"),
        partial(_split, regression.halves),
        regression.fit,
        regression.scores,
    ),
    "synthetic": BenchTask(
        regression.METHODS,
        _from_datasets("list_regression", "generated"),
        lambda name, _: regression.sized_problem(name),
        regression.draw,
        regression.fit,
        regression.synthetic_scores,
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
