"""The rows of a table that methods are compared on: those with a class, checked, with notes about what is doubtful."""

import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ..exceptions import DataWarning
from ..magnitudes import spread
from ..printable import counted, verb
from .folds import check_groups, group_numbers, in_one_group
from .identifiers import usable
from .preprocessing import useful_plan
from .schema import Schema
from .settings import Settings
from .table import InputError, Table, quoted

MANY_COPIES = 0.1  # share of rows from which on copies are worth a word


class Rows(NamedTuple):
    """The rows of a file that have a target: features, numbers of classes and groups, and names of the classes.

    Where numbers are to be predicted, y is these, and there are no classes. ``source`` begins messages.
    """

    file: str
    source: str
    schema: Schema
    frame: Any
    y: np.ndarray
    classes: tuple[str, ...]
    groups: np.ndarray | None

    @property
    def are_numbers(self) -> bool:
        """Whether numbers are to be predicted."""
        return not self.classes

    @property
    def unit(self) -> float:
        """Standard deviation of these numbers."""
        return spread(self.y)


def labelled_rows(
    name: str, table: Table, target: str | None, settings: Settings, kinds: dict[str, Collection[str]]
) -> Rows:
    """What there is to learn from; InputError where it cannot be done in so many folds."""
    if settings.groups is not None:
        if settings.groups == (target or table.target):
            raise InputError(
                f"{table.source}: column {quoted(settings.groups)} is to be predicted and cannot be the groups, too"
            )
        table.cells(settings.groups)
        kinds = {**kinds, "drop": [*kinds.get("drop", ()), settings.groups]}
    schema, _ = usable(table, target, **kinds)
    told = settings.kind.target(table, schema.target)
    frame = schema.frame(table)[told.present].reset_index(drop=True)
    useful_plan(table.source, frame, schema)
    y, classes = _numbered(told)
    rows = Rows(name, table.source, schema, frame, y, classes, _groups(table, settings, told.present))
    _say_what_is_doubtful(rows, settings)
    return rows


def _numbered(told):
    """Numbers to predict, or numbers of classes and their names."""
    if told.word == "number":
        return told.y, ()
    values, y = np.unique(told.y, return_inverse=True)
    return y, tuple(map(str, values))


def _groups(table, settings, present):
    if settings.groups is None:
        return None
    groups, n_alone = group_numbers(table, settings.groups, present)
    check_groups(table.source, settings.groups, groups, settings.folds)
    if n_alone:
        who = f"{counted(n_alone, 'row')} {verb(n_alone, 'has', 'have')} no value"
        alone = f"{who} in column {quoted(settings.groups)}; each is a group of its own"
        warnings.warn(f"{table.source}: {alone}", DataWarning, 4)
    return groups


def _say_what_is_doubtful(rows, settings):
    source, copies, n = rows.source, _copies(rows), len(rows.frame)
    if copies > MANY_COPIES * n:
        known = "fine where they were observed independently; else test rows are known from others and errors too low"
        warnings.warn(
            f"{source}: {copies} of {n} rows {verb(copies, 'is a copy of another', 'are copies of others')}: {known}",
            DataWarning,
            4,
        )
    if not rows.are_numbers:
        _say_what_is_doubtful_of_classes(rows, settings)
    elif n < settings.folds:
        raise InputError(f"{source}: {counted(n, 'row')} {verb(n, 'is', 'are')} fewer than {settings.folds} folds")


def _say_what_is_doubtful_of_classes(rows, settings):
    source, counts = rows.source, np.bincount(rows.y)
    if counts.max() < settings.folds:
        raise InputError(f"{source}: no class has the {settings.folds} rows that as many folds need")
    if counts.min() < settings.folds:
        n_small = int((counts < settings.folds).sum())
        who = f"{counted(n_small, 'class', 'classes')} {verb(n_small, 'has', 'have')}"
        small = f"{who} fewer rows than there are folds"
        warnings.warn(f"{source}: {small}; some test parts lack {verb(n_small, 'it', 'them')}", DataWarning, 4)
    if rows.groups is not None and (lonely := in_one_group(rows.y, rows.groups, rows.classes)):
        warnings.warn(f"{source}: {lonely}", DataWarning, 4)


def _copies(rows: Rows) -> int:
    """Rows that are copies of others, from which a split may part them."""
    copies = int(rows.frame.duplicated().sum())
    return copies if rows.groups is None else copies - int(rows.frame.assign(**{"": rows.groups}).duplicated().sum())
