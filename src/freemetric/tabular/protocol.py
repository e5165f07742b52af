"""The protocol of a comparison: settings, the rows of a table that are compared on, and one fit on one split."""

import time
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from ..exceptions import InterruptedFitWarning
from ..magnitudes import spread
from ..printable import counted, verb
from .held_out import ClassPredictions, HeldOut, NumberPredictions
from .limits import Limits, Outcome, described, limited
from .methods import pipeline
from .preprocessing import plan, usable, useful_plan
from .schema import Schema, target_name
from .splits import Pair, group_numbers, note_lonely_classes, repeated_splits
from .table import InputError, Table, note
from .targets import check_role
from .tasks import CLASSIFY, TASKS, Task

CONSTANT = "constant"
"""A prediction without a look at the features: the most frequent class, and the shares of the classes; or the mean."""
MANY_COPIES = 0.1  # share of rows from which on copies are worth a word


@dataclass(frozen=True)
class Settings:
    """How to compare methods on tables.

    Attributes
    ----------
    folds, repeats : int
        Folds of a cross-validation, and how often it is done with other folds.
    seed : int
        Of folds and methods.
    parameters : dict of dict or None
        Parameters of methods, by method.
    device : str
        Where methods compute that can choose.
    limits : Limits
        What one fit may take.
    groups : str or None
        Column whose rows of one value are never parted between training and test; no feature.
    scoring : tuple of str
        scikit-learn's scorers to show beside those of ``scores``.
    learning_curve : bool
        Whether methods learn from halves, quarters, ... of the training rows, too: in the first repeat, which costs
        about as much again as that repeat.
    task : {"classify", "regress"} or None
        Classification or regression; None is what the values of the target suggest, as ``TableModel.fit`` sees it.
    """

    folds: int = 5
    repeats: int = 2
    seed: int = 0
    parameters: dict[str, dict] | None = None
    device: str = "cpu"
    limits: Limits = field(default_factory=Limits)
    groups: str | None = None
    scoring: tuple[str, ...] = ()
    learning_curve: bool = False
    task: str | None = None

    @property
    def kind(self) -> Task:
        """The task; classification while it is open."""
        return TASKS[self.task or CLASSIFY]

    def splits(self, y: np.ndarray, groups: np.ndarray | None = None) -> Iterator[Pair]:
        """Training and test rows of every split."""
        return repeated_splits(y, groups, self.folds, self.repeats, self.seed)

    def estimator(self, method: str, number: int) -> BaseEstimator:
        """The unfitted classifier or regressor of a method for one split."""
        given = (self.parameters or {}).get(method)
        return self.kind.estimator(method, self.seed + number, parameters=given, device=self.device)


class Rows(NamedTuple):
    """The rows of a file that have a target: features, numbers of classes and groups, and names of the classes.

    In a regression y is the target, and there are no classes. ``source`` begins messages.
    """

    file: str
    source: str
    schema: Schema
    frame: Any
    y: np.ndarray
    classes: tuple[str, ...]
    groups: np.ndarray | None

    @property
    def scale(self) -> Any:
        """What predictions are measured by: the names of the classes, or the standard deviation of the target."""
        return self.classes or spread(self.y)

    def perfect(self) -> HeldOut:
        """Predictions without an error, two of every class or all of a regression."""
        if not self.classes:
            return NumberPredictions(np.arange(len(self.y)), self.y, self.y, 1.0)
        y = np.repeat(np.arange(len(self.classes)), 2)
        return ClassPredictions(self.classes, np.arange(len(y)), y, y, np.eye(len(self.classes))[y])


def labelled_rows(
    name: str, table: Table, target: str | None, settings: Settings, kinds: dict[str, Collection[str]]
) -> Rows:
    """What there is to learn from; InputError where it cannot be done in so many folds."""
    if settings.groups is not None:
        check_role(table, settings.groups, target_name(table, target), "the groups")
        kinds = {**kinds, "drop": [*kinds.get("drop", ()), settings.groups]}
    schema, _ = usable(table, target, **kinds)
    found = settings.kind.target(table, schema.target)
    frame = schema.frame(table)[found.present].reset_index(drop=True)
    useful_plan(table.source, frame, schema)
    y: np.ndarray = found.y
    classes: tuple[str, ...] = ()
    if found.word == "class":
        values, y = np.unique(found.y, return_inverse=True)
        classes = tuple(map(str, values))
    own = settings.groups
    groups = None if own is None else group_numbers(table, own, found.present, settings.folds)
    rows = Rows(name, table.source, schema, frame, y, classes, groups)
    _warn_of_copies(rows)
    if classes:
        _check_classes(rows, settings.folds)
    elif (n := len(frame)) < settings.folds:
        raise InputError(f"{rows.source}: {counted(n, 'row')} {verb(n, 'is', 'are')} fewer than {settings.folds} folds")
    return rows


def _warn_of_copies(rows: Rows) -> None:
    """Copies that a split may part from each other."""
    copies, n = int(rows.frame.duplicated().sum()), len(rows.frame)
    if rows.groups is not None:
        copies -= int(rows.frame.assign(**{"": rows.groups}).duplicated().sum())
    if copies > MANY_COPIES * n:
        known = "fine where they were observed independently; else test rows are known from others and errors too low"
        are = verb(copies, "is a copy of another", "are copies of others")
        note(f"{rows.source}: {copies} of {n} rows {are}: {known}")


def _check_classes(rows: Rows, folds: int) -> None:
    source, counts = rows.source, np.bincount(rows.y)
    if counts.max() < folds:
        raise InputError(f"{source}: no class has the {folds} rows that as many folds need")
    if counts.min() < folds:
        n_small = int((counts < folds).sum())
        who = f"{counted(n_small, 'class', 'classes')} {verb(n_small, 'has', 'have')}"
        small = f"{who} fewer rows than there are folds"
        note(f"{source}: {small}; some test parts lack {verb(n_small, 'it', 'them')}")
    if rows.groups is not None:
        note_lonely_classes(source, rows.y, rows.groups, rows.classes)


@dataclass(frozen=True)
class Split:
    """One method on one split of one file: the error in % on the test rows, or why there is none.

    In a regression it is the root of the mean squared error in % of the target's standard deviation.
    """

    file: str
    method: str
    number: int  # of the split; those of a repeat follow each other
    error: float | None
    seconds: float  # of preprocessing, fit and predictions
    failure: str | None = None  # why there is no error
    over_limit: bool = False  # whether that was a limit
    scores: dict[str, float] = field(default_factory=dict)  # NaN where one is not defined
    predictions: HeldOut | None = None  # for the test rows
    n_train: int = 0  # rows learned from
    share: float = 1.0  # of the training rows, less than 1 in a learning curve


class Job(NamedTuple):
    """One method on one split of one file, to be done."""

    rows: Rows
    method: str
    number: int
    train: np.ndarray
    test: np.ndarray
    settings: Settings
    share: float = 1.0


def done(job: Job, over: Split | None = None) -> Split:
    """The job's split; as ``over`` where another split of the same method and file was over the limit."""
    if over is not None:
        return replace(over, number=job.number, n_train=len(job.train), share=job.share)
    start, limits = time.perf_counter(), job.settings.limits
    outcome = limited(_work, job, limits=limits) if limits and job.method != CONSTANT else _tried(job)
    predictions, scores, seconds = outcome.value or (None, {}, time.perf_counter() - start)
    return Split(
        job.rows.file,
        job.method,
        job.number,
        None if predictions is None else predictions.error(),
        seconds,
        outcome.failure,
        outcome.over_limit,
        scores,
        predictions,
        len(job.train),
        job.share,
    )


def _tried(job):
    try:
        return Outcome(_work(job))
    except InterruptedFitWarning:  # a learner would keep what it has, which is not to be scored
        raise KeyboardInterrupt from None
    except Exception as problem:
        return Outcome(failure=described(problem))


def _work(job: Job) -> tuple[HeldOut, dict[str, float], float]:
    """Predictions for the test rows, their scores, and seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what holds for one split does not hold for the file
        warnings.filterwarnings("error", ".*was interrupted", InterruptedFitWarning)
        predictions = _predictions(job)
        scores = {name: score.of(predictions) for name, score in job.settings.kind.scores(job.settings.scoring).items()}
    return predictions.compact(), scores, time.perf_counter() - start


def _predictions(job: Job) -> HeldOut:
    rows, train, test, held_out = job.rows, job.train, job.test, job.settings.kind.held_out
    if job.method == CONSTANT:
        return held_out.constant(rows.y[train], test, rows.y[test], rows.scale)
    part = rows.frame.iloc[train]
    model = pipeline(plan(part, rows.schema), job.settings.estimator(job.method, job.number))
    return held_out.of(model.fit(part, rows.y[train]), rows.frame.iloc[test], test, rows.y[test], rows.scale)
