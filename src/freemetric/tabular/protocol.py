"""The protocol of a comparison: settings, the labelled rows of a table, their splits, and one fit on one split."""

import time
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..exceptions import InterruptedFitWarning
from ..magnitudes import spread
from ..printable import counted, verb
from .held_out import HeldOut
from .limits import Limits, attempted, limited
from .methods import pipeline, stratified_sample
from .preprocessing import plan, usable, useful_plan
from .schema import Schema, target_name
from .table import InputError, Table, few, note, quoted
from .tasks import CLASSIFY, TASKS, TableTask, check_role

CONSTANT = "constant"
"""A prediction that ignores the features: the most frequent class with the shares of the classes, or the mean."""
MANY_COPIES = 0.1  # share of rows from which on copies cause a warning
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Of the training rows, in a learning curve; all of them are the comparison itself."""
FEWEST = 20  # rows that are worth learning from
Pair = tuple[NDArray[np.intp], NDArray[np.intp]]


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
    groups = None if settings.groups is None else group_numbers(table, settings.groups, found.present, settings.folds)
    rows = LabelledRows(name, table.source, schema, frame, y, classes, groups)
    _warn_of_copies(rows)
    if classes:
        _check_classes(rows, settings.folds)
    elif (n := len(frame)) < settings.folds:
        raise InputError(f"{rows.source}: {counted(n, 'row')} {verb(n, 'is', 'are')} fewer than {settings.folds} folds")
    return rows


def _warn_of_copies(rows):
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
    if rows.groups is None:
        return
    lonely = [name for c, name in enumerate(rows.classes) if len(np.unique(rows.groups[rows.y == c])) == 1]
    if lonely:
        word = "class lies" if len(lonely) == 1 else "classes lie"
        note(f"{source}: the {word} in one group alone, so that no test can know it: {few(lonely)}")


def grouped_splits(y: NDArray, groups: NDArray, folds: int, repeats: int, seed: int) -> Iterator[Pair]:
    """Stratified splits in which rows of a group are test rows together; with at least as many groups as folds.

    Groups are assigned one by one, the larger first, else in random order: each goes to the fold where its classes are
    rarest. scikit-learn's StratifiedGroupKFold orders groups by their content and may give the same folds for every
    seed.
    """
    counts = np.zeros((groups.max() + 1, y.max() + 1))
    np.add.at(counts, (groups, y), 1)
    shares = counts / counts.sum(axis=0)
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        order = rng.permutation(len(counts))
        size = np.log2(counts.sum(axis=1)[order]).astype(int)  # roughly, so that the order stays random
        fold_of, full = np.zeros(len(counts), dtype=np.intp), np.zeros((folds, counts.shape[1]))
        for group in order[np.argsort(-size, kind="stable")]:
            crowd = full @ shares[group]
            # an empty fold is filled before all others
            fold_of[group] = fold = np.lexsort((rng.random(folds), full.sum(axis=1), crowd))[0]
            full[fold] += shares[group]
        fold_of = fold_of[groups]
        yield from ((np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(folds))


def group_numbers(table: Table, name: str, present: NDArray[np.bool_], folds: int) -> NDArray[np.intp]:
    """Encoded groups of the labelled rows; a row without a value is a group of its own."""
    where, texts = f"{table.source}: column {quoted(name)}", table.texts(name)[present]
    alone = [f"\0{row}" if text is None else text for row, text in enumerate(texts)]
    values, groups = np.unique(np.array(alone, dtype=object), return_inverse=True)
    n_groups, n_alone = len(values), sum(text is None for text in texts)
    if n_groups < 2:
        raise InputError(f"{where}: all rows are of one group; two groups or more are needed")
    if n_groups < folds:
        raise InputError(f"{where}: {n_groups} groups are fewer than {folds} folds; {n_groups} folds are the most")
    if n_alone:
        who = f"{counted(n_alone, 'row')} {verb(n_alone, 'has', 'have')} no value in column {quoted(name)}"
        note(f"{table.source}: {who}; each is a group of its own")
    return groups


def shares(n_train: int, n_classes: int) -> list[float]:
    """The shares that leave rows enough, two of every class at least."""
    return [share for share in SHARES if share * n_train >= max(FEWEST, 2 * n_classes)]


def some_of(
    train: NDArray[np.intp], y: NDArray, groups: NDArray | None, share: float, seed: int, number: int
) -> NDArray[np.intp]:
    """About this share of the training rows, stratified or in whole groups; smaller shares are parts of larger ones.

    ``y`` and ``groups`` are of all rows; ``number`` is that of the split.
    """
    rng, size = np.random.default_rng([seed, number]), round(share * len(train))
    if groups is None:
        return train[stratified_sample(rng, y[train], size)]
    place = rng.permutation(groups.max() + 1)[groups[train]]  # groups in random order
    order = np.argsort(place, kind="stable")
    two_classes = np.flatnonzero(y[train][order] != y[train][order[0]])[0] + 1
    last = place[order[max(size, two_classes) - 1]]
    return train[place <= last]


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
    start, task, rows = time.perf_counter(), fit.settings.kind, fit.rows
    train, truth = rows.frame.iloc[fit.train], (fit.test, rows.y[fit.test], rows.scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they concern one split, not the file
        warnings.filterwarnings("error", ".*was interrupted", InterruptedFitWarning)
        if fit.method == CONSTANT:
            found = task.held_out.constant(rows.y[fit.train], *truth)
        else:
            model = pipeline(plan(train, rows.schema), fit.settings.estimator(fit.method, fit.number))
            try:
                model.fit(train, rows.y[fit.train])
            except InterruptedFitWarning:  # an interrupted learner keeps its last state, which is not to be scored
                raise KeyboardInterrupt from None
            found = task.held_out.of(model, rows.frame.iloc[fit.test], *truth)
        scores = {name: score.of(found) for name, score in task.scores(fit.settings.scoring).items()}
    return fit.split(found.error(), time.perf_counter() - start, scores=scores, predictions=found.compact())
