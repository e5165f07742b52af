"""The protocol of a comparison: settings, the labelled rows of a table, and one fit on one split."""

import time
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..exceptions import InterruptedFitWarning
from ..magnitudes import spread
from ..printable import counted, verb
from .held_out import HeldOut
from .limits import Limits, attempted, limited
from .methods import pipeline
from .preprocessing import plan, usable, useful_plan
from .schema import Schema, target_name
from .splits import Pair, group_numbers, grouped_splits, note_lonely_classes
from .table import InputError, Table, note
from .tasks import CLASSIFY, TASKS, TableTask, check_role

CONSTANT = "constant"
"""A prediction that ignores the features: the most frequent class with the shares of the classes, or the mean."""
MANY_COPIES = 0.1  # share of rows from which on copies cause a warning


@dataclass(frozen=True)
class Settings:
    """How to compare methods on tables.

    Attributes
    ----------
    folds, repeats : int
        Folds of a cross-validation, and its repeats with other folds.
    seed : int
        Seed of folds and methods.
    parameters : dict of dict or None
        Parameters of methods, by method.
    device : str
        Device of the methods that have one.
    limits : Limits
        Limits of one fit.
    groups : str or None
        Column of groups: rows of one value are never parted between training and test. It is no feature.
    scoring : tuple of str
        scikit-learn's scorers to show beside those of ``scores``.
    learning_curve : bool
        Whether to fit on halves, quarters, ... of the training rows, too, in the first repeat.
    task : {"classify", "regress"} or None
        Classification or regression; None decides by the values of the target, as ``TableModel.fit`` does.
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
    def kind(self) -> TableTask:
        """The task; classification while it is undecided."""
        return TASKS[self.task or CLASSIFY]

    def splits(self, y: np.ndarray, groups: np.ndarray | None = None) -> Iterator[Pair]:
        """Training and test rows of every split, repeat by repeat; stratified where y holds encoded classes."""
        if groups is not None:
            strata = np.zeros(len(y), dtype=np.intp) if self.kind.is_regression else y
            return grouped_splits(strata, groups, self.folds, self.repeats, self.seed)
        splitter = RepeatedKFold if self.kind.is_regression else RepeatedStratifiedKFold
        return splitter(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed).split(y[:, None], y)

    def estimator(self, method: str, number: int) -> BaseEstimator:
        """The unfitted classifier or regressor of a method for one split."""
        given = (self.parameters or {}).get(method)
        return self.kind.estimator(method, self.seed + number, parameters=given, device=self.device)


class LabelledRows(NamedTuple):
    """The rows of a file that have a target: features, encoded classes or targets, names of classes, groups.

    In a regression there are no classes. ``source`` begins messages.
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


def labelled_rows(
    name: str, table: Table, target: str | None, settings: Settings, kinds: dict[str, Collection[str]]
) -> LabelledRows:
    """The rows to learn from; InputError where they are too few for the folds."""
    if settings.groups is not None:
        check_role(table, settings.groups, target_name(table, target), "the groups")
        kinds = {**kinds, "drop": [*kinds.get("drop", ()), settings.groups]}
    schema, _ = usable(table, target, **kinds)
    found = settings.kind.target(table, schema.target)
    frame = schema.frame(table)[found.present].reset_index(drop=True)
    useful_plan(table.source, frame, schema)
    y, classes = settings.kind.encoded(found.y)
    own = settings.groups
    groups = None if own is None else group_numbers(table, own, found.present, settings.folds)
    rows = LabelledRows(name, table.source, schema, frame, y, classes, groups)
    _warn_of_copies(rows)
    if classes:
        _check_classes(rows, settings.folds)
    elif (n := len(frame)) < settings.folds:
        raise InputError(f"{rows.source}: {counted(n, 'row')} {verb(n, 'is', 'are')} fewer than {settings.folds} folds")
    return rows


def _warn_of_copies(rows):
    """Warn of copies that a split may part from each other."""
    copies, n = int(rows.frame.duplicated().sum()), len(rows.frame)
    if rows.groups is not None:
        copies -= int(rows.frame.assign(**{"": rows.groups}).duplicated().sum())
    if copies > MANY_COPIES * n:
        known = "fine where they were observed independently; else test rows are known from others and errors too low"
        are = verb(copies, "is a copy of another", "are copies of others")
        note(f"{rows.source}: {copies} of {n} rows {are}: {known}")


def _check_classes(rows, folds):
    source, counts = rows.source, np.bincount(rows.y)
    if counts.max() < folds:
        raise InputError(f"{source}: no class has the {folds} rows that as many folds need")
    if counts.min() < folds:
        n_small = int((counts < folds).sum())
        small = f"{counted(n_small, 'class', 'classes')} {verb(n_small, 'has', 'have')} fewer rows than there are folds"
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
    n_train: int = 0  # training rows used
    share: float = 1.0  # of the training rows, less than 1 in a learning curve


class SplitFit(NamedTuple):
    """One method to be fitted on one split of one file."""

    rows: LabelledRows
    method: str
    number: int
    train: np.ndarray
    test: np.ndarray
    settings: Settings
    share: float = 1.0

    def split(self, error: float | None, seconds: float, **found: Any) -> Split:
        """The result."""
        found |= {"n_train": len(self.train), "share": self.share}
        return Split(self.rows.file, self.method, self.number, error, seconds, **found)


def done(fit: SplitFit, over: Split | None = None) -> Split:
    """The result of a fit; that of ``over`` where another split of the same method and file was over the limit."""
    if over is not None:
        return replace(over, number=fit.number, n_train=len(fit.train), share=fit.share)
    start, limits = time.perf_counter(), fit.settings.limits
    alone = limits and fit.method != CONSTANT
    found = limited(_scored, fit, limits=limits) if alone else attempted(_scored, fit)
    if found.value is not None:
        return found.value
    return fit.split(None, time.perf_counter() - start, failure=found.failure, over_limit=found.over_limit)


def _scored(fit: SplitFit) -> Split:
    """Fit, predict the test rows and score the predictions."""
    start, task = time.perf_counter(), fit.settings.kind
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they concern one split, not the file
        warnings.filterwarnings("error", ".*was interrupted", InterruptedFitWarning)
        try:
            found = _predictions(fit)
        except InterruptedFitWarning:  # an interrupted learner keeps its last state, which is not to be scored
            raise KeyboardInterrupt from None
        scores = {name: score.of(found) for name, score in task.scores(fit.settings.scoring).items()}
    return fit.split(found.error(), time.perf_counter() - start, scores=scores, predictions=found.compact())


def _predictions(fit):
    rows, train, test, held_out = fit.rows, fit.train, fit.test, fit.settings.kind.held_out
    if fit.method == CONSTANT:
        return held_out.constant(rows.y[train], test, rows.y[test], rows.scale)
    part = rows.frame.iloc[train]
    model = pipeline(plan(part, rows.schema), fit.settings.estimator(fit.method, fit.number))
    return held_out.of(model.fit(part, rows.y[train]), rows.frame.iloc[test], test, rows.y[test], rows.scale)
