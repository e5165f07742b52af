"""An honest comparison on tables: everything is learned and chosen on the training rows of each split."""

import time
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.model_selection import RepeatedStratifiedKFold

from ..exceptions import DataWarning
from .class_checks import check_classes
from .identifiers import usable
from .labels import labels
from .limits import Limits, Outcome, described, limited
from .pipelines import classifier, pipeline
from .preprocessing import plan, useful_plan
from .schema import Schema
from .table import InputError, Table

MANY_COPIES = 0.1  # share of rows from which on copies are worth a word


@dataclass(frozen=True)
class Split:
    """One method on one split of one file: the error in % on the test rows, or why there is none."""

    file: str
    method: str
    number: int
    error: float | None
    seconds: float
    failure: str | None = None
    over_limit: bool = False


@dataclass(frozen=True)
class Settings:
    """How to compare: repeats of stratified folds, seeds, parameters of methods by name, what one fit may take."""

    folds: int = 5
    repeats: int = 2
    seed: int = 0
    parameters: dict[str, dict] | None = None
    device: str = "cpu"
    limits: Limits = field(default_factory=Limits)

    def splits(self, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of every split."""
        return RepeatedStratifiedKFold(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed).split(y, y)

    def classifier(self, method: str, number: int) -> BaseEstimator:
        """The unfitted classifier of a method for one split."""
        given = (self.parameters or {}).get(method)
        return classifier(method, self.seed + number, parameters=given, device=self.device)


class Job(NamedTuple):
    """One method on one split of one file, to be done."""

    file: str
    method: str
    number: int
    schema: Schema
    frame: Any
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    settings: Settings


def compare(
    tables: dict[str, Table],
    target: str | None,
    methods: list[str],
    settings: Settings | None = None,
    *,
    n_jobs: int | None = None,
    on_fit: Callable[[Split, int, int], None] | None = None,
    **kinds: Collection[str],
) -> list[Split]:
    """Compare methods on tables by repeated stratified cross-validation; all methods see the same splits.

    With limits every fit has a process of its own. A method that is over the limit on one split of a file is not tried
    on the others: it could have no mean error.

    Parameters
    ----------
    tables : dict of Table
        By the name to show.
    target : str or None
        Column of the class, the same in all; None is what their format declares.
    methods : list of str
        Names in ``freemetric.tabular.methods.METHODS``.
    settings : Settings or None, default=None
        Folds, repeats, seeds, parameters, limits.
    n_jobs : int or None, default=None
        Splits at a time.
    on_fit : callable or None, default=None
        Called with (split, number done, number of all) after every fit.
    **kinds : dict
        ``drop``, ``keep``, ``numeric`` and ``nominal`` of ``identifiers.usable``.

    Returns
    -------
    list of Split
        File by file, split by split, method by method.
    """
    settings = settings or Settings()
    for method in methods:
        settings.classifier(method, 0)  # a wrong name or parameter is an error before hours of work
    jobs = [job for name, table in tables.items() for job in _jobs(name, table, target, methods, settings, kinds)]
    splits: list[Split] = []
    over: dict[tuple[str, str], Split] = {}
    todo = (delayed(_judge)(job, over.get((job.file, job.method))) for job in jobs)  # asked when a job's turn comes
    prefer = "threads" if settings.limits else None  # which wait for processes
    for split in Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")(todo):
        splits.append(split)
        if split.over_limit:
            over[split.file, split.method] = split
        if on_fit:
            on_fit(split, len(splits), len(jobs))
    return splits


def _jobs(name, table, target, methods, settings, kinds) -> Iterator[Job]:
    schema, _ = usable(table, target, **kinds)
    y, present = labels(table, schema.target)
    frame = schema.frame(table)[present].reset_index(drop=True)
    useful_plan(table.source, frame, schema)
    check_classes(table, schema.target, y)
    copies = int(frame.duplicated().sum())
    if copies > MANY_COPIES * len(frame):
        known = "fine where they were observed independently; else test rows are known from others and errors too low"
        warnings.warn(f"{table.source}: {copies} of {len(frame)} rows are copies of others: {known}", DataWarning, 3)
    _, y, counts = np.unique(y, return_inverse=True, return_counts=True)
    if counts.max() < settings.folds:
        raise InputError(f"{table.source}: no class has the {settings.folds} rows that as many folds need")
    if counts.min() < settings.folds:
        small = f"{(counts < settings.folds).sum()} classes have fewer rows than there are folds"
        warnings.warn(f"{table.source}: {small}; some test parts lack them", DataWarning, 3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(settings.splits(y))
    for number, (train, test) in enumerate(splits):
        for method in methods:
            yield Job(name, method, number, schema, frame, y, train, test, settings)


def _judge(job: Job, over: Split | None = None) -> Split:
    """The job's split; as ``over`` where another split of the same method and file was over the limit."""
    if over is not None:
        return replace(over, number=job.number)
    start = time.perf_counter()
    limits = job.settings.limits
    outcome = limited(_error, job, limits=limits) if limits else _tried(_error, job)
    error, seconds = outcome.value or (None, time.perf_counter() - start)
    return Split(job.file, job.method, job.number, error, seconds, outcome.failure, outcome.over_limit)


def _tried(work, job):
    try:
        return Outcome(work(job))
    except Exception as problem:
        return Outcome(failure=described(problem))


def _error(job: Job) -> tuple[float, float]:
    """Error in % on the test rows, and seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of one split is not said of the file
        part = job.frame.iloc[job.train]
        last = job.settings.classifier(job.method, job.number)
        model = pipeline(plan(part, job.schema), last).fit(part, job.y[job.train])
        error = 100 * float(np.mean(model.predict(job.frame.iloc[job.test]) != job.y[job.test]))
    return error, time.perf_counter() - start
