"""Classification and regression: what differs between the two, and which of them a target column suggests."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from ..learners import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from ..printable import counted
from ..sklearn_compat import validate_params
from .held_out import ClassPredictions, NumberPredictions
from .methods import FITTED, METHODS, REGRESSION_FITTED, REGRESSION_METHODS, Method
from .notation import LIKE_A_NUMBER, NUMBERS, odd_one
from .schema import doubt, number_meaning
from .scores import HeldOutScore, scores_named
from .table import InputError, Table, as_text, quoted
from .targets import Target, classes_of, numbers_of

CLASSIFY, REGRESS = "classify", "regress"
FEW = 10  # different whole numbers that are classes: truth values, ratings, digits
ROWS_OF_A_CLASS = 3  # that numbered classes have at least, if they are more, ...
SHARE_OF_A_CLASS = 0.1  # ... and as large a share of what they have on average: counts have rare large values
CODE = re.compile(r"[+-]?0\d+")  # as postcodes are written


@dataclass(frozen=True)
class TableTask:
    """Classification or regression."""

    name: str  # for users
    word: str  # for a target
    methods: Mapping[str, Method]
    fitted: tuple[str, ...]  # methods whose models can be saved
    predicts: Callable[[Any], bool]  # whether an estimator predicts by itself; k_nn follows others
    k_nn: type
    target: Callable[[Table, str], Target]  # reads a column
    held_out: type[ClassPredictions] | type[NumberPredictions]
    folds: str = ""  # words about folds and errors
    error: str = ""

    @property
    def is_regression(self) -> bool:
        return self.name == REGRESS

    def scores(self, names: Sequence[str]) -> dict[str, HeldOutScore]:
        """The scores of the task, and more of scikit-learn's by name."""
        return scores_named(names, self.is_regression)

    def encoded(self, y: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
        """Encoded classes and their names; in a regression the target and no names."""
        if self.is_regression:
            return y, ()
        values, codes = np.unique(y, return_inverse=True)
        return codes, tuple(map(str, values))

    def check_method(self, method: str, which: str = "methods") -> None:
        """InputError where a method is none of the ``methods``, or none of the ``fitted``."""
        known = getattr(self, which)
        if method not in known:
            elsewhere = any(method in getattr(task, which) for task in TASKS.values())
            what = f"method {method!r} cannot predict a {self.word}" if elsewhere else f"unknown method {method!r}"
            raise InputError(f"{what}; known: {', '.join(known)}")

    def estimator(
        self,
        method: str,
        seed: int = 0,
        *,
        parameters: Mapping[str, Any] | None = None,
        device: str = "cpu",
        n_jobs: int | None = None,
    ) -> BaseEstimator:
        """An unfitted estimator of a method; a metric learner is followed by k-NN, with k chosen by inner folds.

        ``n_neighbors`` among the parameters of a metric learner that has none of its own is that of k-NN.
        """
        self.check_method(method)
        made, given = self.methods[method].prepared(seed, device), dict(parameters or {})
        outer = made
        if not self.predicts(made):
            outer = self.k_nn(made, random_state=seed)
            if "n_neighbors" in given and "n_neighbors" not in made.get_params():
                outer.set_params(n_neighbors=given.pop("n_neighbors"))
        if "n_jobs" in outer.get_params():
            outer.set_params(n_jobs=n_jobs)
        try:
            made.set_params(**given)
            validate_params(made)
            validate_params(outer)
        except (ValueError, TypeError) as problem:
            raise InputError(f"method {method!r}: {' '.join(str(problem).split())}") from problem
        return outer


TASKS: dict[str, TableTask] = {
    CLASSIFY: TableTask(
        CLASSIFY,
        "class",
        METHODS,
        FITTED,
        is_classifier,
        MetricKNeighborsClassifier,
        classes_of,
        ClassPredictions,
        folds="stratified ",
    ),
    REGRESS: TableTask(
        REGRESS,
        "number",
        REGRESSION_METHODS,
        REGRESSION_FITTED,
        is_regressor,
        MetricKNeighborsRegressor,
        numbers_of,
        NumberPredictions,
        error=" The error is the RMSE in % of the standard deviation of the target.",
    ),
}


class Choice(NamedTuple):
    """A task, and why, where it was inferred."""

    task: str
    why: str = ""


def choice_of(table: Table, target: str, given: str | None = None) -> Choice:
    """The given task, or the one that the cells of the target suggest.

    Names and codes such as 00123 are classes; numbers with decimals are a regression. Up to ten different whole numbers
    are classes. More are classes only where they count from 0 or 1 without a gap and none is rare, such as months;
    years, ages, counts and prices are a regression. So are numbers most of which stand in one row alone.
    """
    if given is not None and given not in TASKS:
        raise InputError(f"the task is {' or '.join(TASKS)} and not {given!r}")
    table.check(target)
    if given is not None or table.kinds.get(target) in ("nominal", "date"):
        return Choice(given or CLASSIFY)
    numbers = _numbers(table, target)
    if numbers is None:
        return Choice(CLASSIFY)
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    where, n = f"{table.source}: column {quoted(target)}", len(values)
    if are_class_numbers(values, counts):
        ends = f"{as_text(values[0])} to {as_text(values[-1])}" if n else ""
        what = f"{where} is taken for {n} classes (the whole numbers from {ends})"
        return Choice(CLASSIFY, f"{what}; {table.option('task', REGRESS)} predicts a number" if n > FEW else "")
    what = f"{where} is predicted as a number ({counted(n, 'different one')} in {counted(counts.sum(), 'row')})"
    return Choice(REGRESS, f"{what}; {table.option('task', CLASSIFY)} takes them for classes")


def are_class_numbers(values: np.ndarray, counts: np.ndarray) -> bool:
    """Whether sorted different numbers with these counts are encoded classes.

    Examples
    --------
    >>> are_class_numbers(np.array([1, 2, 3, 4, 5]), np.array([3, 9, 30, 25, 8]))  # ratings
    True
    >>> are_class_numbers(np.arange(1, 13), np.full(12, 20))  # months
    True
    >>> are_class_numbers(np.arange(1995, 2021), np.full(26, 20))  # years
    False
    >>> are_class_numbers(np.arange(12), np.array([40, 80, 90, 70, 50, 30, 20, 10, 5, 3, 1, 1]))  # counts
    False
    """
    if (values != np.round(values)).any() or 2 * (counts == 1).sum() > counts.sum():
        return False
    if len(values) <= FEW:
        return True
    counted = values[0] in (0, 1) and values[-1] - values[0] == len(values) - 1
    return bool(counted and counts.min() >= max(ROWS_OF_A_CLASS, SHARE_OF_A_CLASS * counts.mean()))


def _numbers(table: Table, target: str) -> np.ndarray | None:
    """The cells as numbers, None where they are names; InputError where they are ambiguous."""
    if table.cells(target).dtype.kind == "f":
        return table.cells(target)
    found, texts = number_meaning(table, target), table.texts(target).tolist()
    if any(text is not None and CODE.fullmatch(text) for text in texts):
        return None
    if found.reading is not None:
        return table.numbers(target, found.reading)
    _, counts = np.unique([text for text in texts if text is not None], return_counts=True)
    if len(counts) <= FEW and 2 * (counts == 1).sum() <= counts.sum():  # names of classes
        return None
    if found.doubtful is not None:
        raise InputError(f"{table.source}: column {quoted(target)}: {doubt(table, found)}")
    if (odd := odd_one(texts, NUMBERS, LIKE_A_NUMBER)) is not None:
        what = f"{quoted(texts[odd])} is no number, as most cells of the column are"
        gap, classes = table.option("missing", str(texts[odd])[:20]), table.option("task", CLASSIFY)
        raise InputError(f"{table.place(odd, target)}: {what}; {gap} takes it for a gap, {classes} all for classes")
    return None
