"""What a benchmark is about: classes of the paper's data sets, numbers of tables, or numbers of laws."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from ..datasets import list_datasets, list_regression, load, load_regression
from .protocol import METHODS, evaluate, halves
from .records import Record
from .regression import NUMBER_METHODS, evaluate_law, evaluate_numbers, law_rows, number_halves


@dataclass(frozen=True)
class Task:
    """Names of methods, and of sets; how a set is loaded and checked, and how a job becomes a record.

    ``load(name, data_home)`` gives data, ``check(data)`` raises where these cannot be split.

    ``evaluate(job, data, **options)`` is asked in a process of its own. ``samples`` says whether methods can learn on a
    sample of the patterns.
    """

    methods: Collection[str]
    sets: Callable[[], list[str]]
    load: Callable[[str, Any], Any]
    check: Callable[[Any], Any]
    evaluate: Callable[..., Record]
    samples: bool = False


def _tables():
    return sorted([*list_regression("builtin"), *list_regression("table")])


def _any_law(name, data_home):
    return law_rows(name)


def _classes(job, data, **options):
    return evaluate(job, data.X, data.y, **options)


def _numbers(job, data, device="cpu", most_patterns=None):
    return evaluate_numbers(job, data.X, data.y, device)


def _law(job, rows, device="cpu", most_patterns=None):
    return evaluate_law(job, rows, device)


TASKS = {
    "classes": Task(METHODS, list_datasets, load, lambda data: halves(data.y, 0), _classes, samples=True),
    "numbers": Task(NUMBER_METHODS, _tables, load_regression, lambda data: number_halves(data.y, 0), _numbers),
    "laws": Task(NUMBER_METHODS, lambda: list_regression("generated"), _any_law, lambda rows: rows, _law),
}


def task_of(name: str) -> Task:
    """The task of that name, or one line."""
    if name not in TASKS:
        raise ValueError(f"Unknown task {name!r}; known: {', '.join(map(repr, TASKS))}.")
    return TASKS[name]
