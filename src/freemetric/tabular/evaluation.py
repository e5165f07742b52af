"""Comparison of methods by cross-validation; everything is learned and chosen on the training rows of each split."""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..printable import counted, verb
from ..process_watchdog import in_processes
from .comparison import Comparison
from .frames import SOURCE, as_table, frame_labels, frame_target
from .held_out import check_scores
from .protocol import CONSTANT, LabelledRows, Settings, Split, SplitFit, done, labelled_rows, shares, some_of
from .schema import target_name
from .table import InputError, Table, cells, note, quoted
from .tasks import choice_of

OnFit = Callable[[Split, int, int], None]

__all__ = ["Settings", "Split", "compare", "evaluate"]


def evaluate(
    tables: Any,
    target: Any = None,
    methods: Sequence[str] = ("free-energy", "rf"),
    settings: Settings | None = None,
    *,
    n_jobs: int | None = None,
    on_fit: OnFit | None = None,
    **kinds: Collection[str],
) -> Comparison:
    """Estimate by cross-validation how methods do on new rows of a table, beside a constant prediction.

    Parameters
    ----------
    tables : Table, frame or dict of them
        Result of ``read``, or a frame as ``TableClassifier`` takes it; several by the name to show.
    target : str, array-like of shape (n_rows,) or None, default=None
        Column to predict, or the target of a frame; None is what the format itself declares.
    methods : sequence of str, default=("free-energy", "rf")
        Names in ``freemetric.tabular.methods``: in ``METHODS``, or for a regression in ``REGRESSION_METHODS``.
    settings : Settings or None, default=None
        Folds, repeats, groups, scores, the learning curve, limits.
    n_jobs : int or None, default=None
        Fits at a time.
    on_fit : callable or None, default=None
        Called with (split, number done, number of all) after every fit.
    **kinds : dict
        ``drop``, ``keep``, ``numeric`` and ``nominal`` of ``preprocessing.usable``.

    Returns
    -------
    Comparison
        With ``table()``, ``rows()`` and ``as_json()``; ``report.write_evaluation`` makes a page of it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.tabular import Settings, evaluate
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = evaluate(X, y, ["euclidean"], Settings(folds=3, repeats=1))
    >>> [(row["method"], round(row["error"])) for row in found.rows()]
    [('euclidean', 6), ('constant', 60)]
    """
    named, target = _named(tables, target)
    settings = decided(settings or Settings(), named, target)
    splits = compare(named, target, [*methods, CONSTANT], settings, n_jobs=n_jobs, on_fit=on_fit, **kinds)
    return Comparison(splits, settings)


def _named(tables, target):
    if isinstance(tables, Mapping):
        return {name: _table(data) for name, data in tables.items()}, target
    if target is None or isinstance(target, str):
        table = _table(tables)
        return {table.source: table}, target
    name, values = frame_target(tables, target)
    column = cells(values, (), "y") if values.dtype.kind in "iufO" else values  # texts are never gaps
    column = column if column.dtype.kind == "f" else frame_labels(tables, target).cells
    return {SOURCE: as_table(tables).with_target(name, column)}, name


def _table(data):
    return data if isinstance(data, Table) else as_table(data)


def decided(settings: Settings, tables: Mapping[str, Table], target: str | None) -> Settings:
    """Settings with a task: the given one, or with a warning the one that the targets of all tables suggest."""
    choices = {name: choice_of(table, target_name(table, target), settings.task) for name, table in tables.items()}
    tasks = {choice.task: name for name, choice in choices.items()}
    if len(tasks) > 1:
        both = f"{tasks['classify']} has classes and {tasks['regress']} has numbers to predict"
        raise InputError(f"{both}; {next(iter(tables.values())).option('task', 'classify')} takes both for classes")
    for choice in choices.values():
        if choice.why:
            note(choice.why)
    return replace(settings, task=next(iter(tasks), None))


def compare(
    tables: Mapping[str, Table],
    target: str | None,
    methods: Sequence[str],
    settings: Settings | None = None,
    *,
    n_jobs: int | None = None,
    on_fit: OnFit | None = None,
    **kinds: Collection[str],
) -> list[Split]:
    """Compare methods on tables by repeated cross-validation; all methods see the same splits.

    With limits every fit has a process of its own. A method that is over the limit on one split of a file is not fitted
    on the others.

    Parameters
    ----------
    tables : dict of Table
        By the name to show.
    target, methods, settings, n_jobs, on_fit, **kinds
        As in ``evaluate``; "constant" is a method, too.

    Returns
    -------
    list of Split
        File by file, split by split, method by method; then those of the learning curve.
    """
    settings = settings or Settings()
    settings = settings if settings.task else decided(settings, tables, target)
    scores = settings.kind.scores(settings.scoring)
    for method in (name for name in methods if name != CONSTANT):
        settings.estimator(method, 0)  # a wrong name or parameter is an error before hours of work
    files = [labelled_rows(name, table, target, settings, kinds) for name, table in tables.items()]
    for rows in files:
        check_scores(scores, settings.kind.held_out.perfect(rows.y, rows.scale), rows.source)
    fits = [fit for rows in files for fit in _fits(rows, methods, settings)]
    splits: list[Split] = []
    over: dict[tuple[str, str], Split] = {}
    if settings.limits:
        # Threads wait for processes. Whether a method is over the limit is known when a fit's turn comes.
        todo = (delayed(done)(fit, over.get((fit.rows.file, fit.method))) for fit in fits)
        finished = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(todo)
    else:
        finished = in_processes(done, fits, n_jobs)
    for split in finished:
        splits.append(split)
        if split.over_limit:
            over[split.file, split.method] = split
        if on_fit:
            on_fit(split, len(splits), len(fits))
    return splits


def _fits(rows: LabelledRows, methods: Sequence[str], settings: Settings) -> Iterator[SplitFit]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(settings.splits(rows.y, rows.groups))
    for left in (np.unique(rows.y[train]) for train, _ in splits if rows.classes):
        if len(left) < 2:
            only = f"without one of its folds only the class {quoted(rows.classes[left[0]])} is left to learn from"
            raise InputError(f"{rows.source}: {only}; the classes lie in too few groups, and more folds may help")
    for number, (train, test) in enumerate(splits):
        yield from (SplitFit(rows, method, number, train, test, settings) for method in methods)
    if not settings.learning_curve:
        return
    splits = splits[: settings.folds]
    parts = shares(min(len(train) for train, _ in splits), len(rows.classes))
    if not parts:
        of_classes = f" of {counted(len(rows.classes), 'class', 'classes')}" if rows.classes else ""
        few = f"{counted(len(rows.y), 'row')}{of_classes} {verb(len(rows.y), 'is', 'are')} too few for a learning curve"
        note(f"{rows.source}: {few}")
    strata = rows.y if rows.classes or rows.groups is not None else np.zeros(len(rows.y), dtype=int)
    for share in reversed(parts):
        for number, (train, test) in enumerate(splits):
            some = some_of(train, strata, rows.groups, share, settings.seed, number)
            learning = (method for method in methods if method != CONSTANT)
            yield from (SplitFit(rows, method, number, some, test, settings, share) for method in learning)
