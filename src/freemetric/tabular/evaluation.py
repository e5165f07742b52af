"""An honest comparison on tables: everything is learned and chosen on the training rows of each split."""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import RepeatedStratifiedKFold

from ..exceptions import DataWarning
from .labels import labels
from .methods import classifier, pipeline
from .preprocessing import plan, useful_plan
from .schema import Schema
from .table import InputError, Table


@dataclass(frozen=True)
class Split:
    """One method on one split of one file: the error in % on the test rows, or why there is none."""

    file: str
    method: str
    number: int
    error: float | None
    seconds: float
    failure: str | None = None


@dataclass(frozen=True)
class Settings:
    """How to compare: repeats of stratified folds, seeds, and the parameters of methods by name."""

    folds: int = 5
    repeats: int = 2
    seed: int = 0
    parameters: dict[str, dict] | None = None
    device: str = "cpu"

    def splits(self, y):
        return RepeatedStratifiedKFold(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed).split(y, y)

    def classifier(self, method, number):
        given = (self.parameters or {}).get(method)
        return classifier(method, self.seed + number, parameters=given, device=self.device)


def compare(
    tables: dict[str, Table],
    target: str | None,
    methods: list[str],
    settings: Settings | None = None,
    *,
    n_jobs: int | None = None,
    on_fit: Callable[[Split, int, int], None] | None = None,
    **kinds,
) -> list[Split]:
    """Compare methods on tables by repeated stratified cross-validation; all methods see the same splits.

    Parameters
    ----------
    tables : dict of Table
        By the name to show.
    target : str or None
        Column of the class, the same in all; None is what their format declares.
    methods : list of str
        Names in ``freemetric.bench.methods.METHODS``.
    settings : Settings or None, default=None
        Folds, repeats, seeds, parameters.
    n_jobs : int or None, default=None
        Splits at a time.
    on_fit : callable or None, default=None
        Called with (split, number done, number of all) after every fit.
    **kinds : dict
        ``drop``, ``numeric`` and ``nominal`` of ``Schema.infer``.

    Returns
    -------
    list of Split
        File by file, split by split, method by method.
    """
    settings = settings or Settings()
    for method in methods:
        settings.classifier(method, 0)  # a wrong name or parameter is told before hours of work
    jobs = [job for name, table in tables.items() for job in _jobs(name, table, target, methods, settings, kinds)]
    found = []
    for split in Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_judge)(*job) for job in jobs):
        found.append(split)
        if on_fit:
            on_fit(split, len(found), len(jobs))
    return found


def _jobs(name, table, target, methods, settings, kinds) -> Iterator[tuple]:
    schema = Schema.infer(table, target, **kinds)
    y, present = labels(table, schema.target)
    frame = schema.frame(table)[present].reset_index(drop=True)
    useful_plan(table.source, frame, schema)
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
            yield name, schema, frame, y, train, test, method, number, settings


def _judge(name, schema, frame, y, train, test, method, number, settings) -> Split:
    start = time.perf_counter()
    error, failure = None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of one split is not said of the file
        try:
            part = frame.iloc[train]
            model = pipeline(plan(part, schema), settings.classifier(method, number)).fit(part, y[train])
            error = 100 * float(np.mean(model.predict(frame.iloc[test]) != y[test]))
        except Exception as problem:
            failure = f"{type(problem).__name__}: {' '.join(str(problem).split())}"[:300]
    return Split(name, method, number, error, time.perf_counter() - start, failure)
