"""Classification and regression: their targets, what differs between the two, and which of them a column suggests."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from ..learners import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from ..printable import counted, verb
from ..sklearn_compat import validate_params
from .held_out import ClassPredictions, HeldOutScore, NumberPredictions, scores_named
from .methods import FITTED, METHODS, REGRESSION_FITTED, REGRESSION_METHODS, Method
from .notation import LIKE_A_NUMBER, NUMBERS, PLAIN, Meaning, meaning, most_fitting, odd_one
from .schema import as_numbers, doubt, number_meaning, recognised
from .table import InputError, Table, as_text, note, objects, quoted

CLASSIFY, REGRESS = "classify", "regress"
FEW = 10  # different whole numbers that are classes: truth values, ratings, digits
ROWS_OF_A_CLASS = 3  # that numbered classes have at least, if they are more, ...
SHARE_OF_A_CLASS = 0.1  # ... and as large a share of what they have on average: counts have rare large values
CODE = re.compile(r"[+-]?0\d+")  # as postcodes are written
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # a number that fits 64 bits, without zeros or a plus in front
MANY_NUMBERS = 20  # different whole numbers that may well be classes, ...
OF_THE_ROWS = 0.1  # ... or as large a share of the rows


class Target(NamedTuple):
    """Targets of the rows that have one, and the notes about them for a model."""

    word: str  # "class" or "number"
    y: np.ndarray  # (n_present,)
    present: np.ndarray  # (n_rows,) whether a row has one
    about: dict[str, Any]
    weights: np.ndarray | None = None  # (n_rows,)


def class_target(table: Table, name: str, y: np.ndarray, present: np.ndarray) -> Target:
    """Labels as a target; InputError where they are no classes."""
    check_classes(table, name, y)
    return Target("class", y, present, {"classes": [str(label) for label in np.unique(y)]})


def numbers_of(table: Table, name: str) -> Target:
    """The target of a regression; InputError where there are no two different numbers."""
    table.check(name)
    found = number_meaning(table, name)
    if found.doubtful is not None:
        raise InputError(doubt(table, name, found))
    if found.reading is None:
        raise InputError(_no_number(table, name))
    if found.is_news:
        note(f"{table.source}: {recognised(table, found.reading, [name])}")
    numbers = table.numbers(name, found.reading)
    present = ~np.isnan(numbers)
    y = numbers[present]
    if not len(y) or y.min() == y.max():
        what = f"every row has the number {quoted(float(y[0]))}" if len(y) else "no row has a number"
        raise InputError(f"{table.source}: {what} in column {quoted(name)}; two different ones are needed")
    about: dict[str, Any] = {"lowest": float(y.min()), "highest": float(y.max()), "mean": float(y.mean())}
    about |= {name: getattr(found.reading, name) for name in ("decimal", "thousands", "unit")}
    return Target("number", y, present, {"numbers": about})


def _no_number(table, name):
    texts = table.texts(name).tolist()
    row = int(np.isinf(most_fitting(texts, NUMBERS).values(texts)).argmax())
    what = f"{table.place(row, name)}: {quoted(texts[row])} is no number to predict"
    if odd_one(texts, NUMBERS, LIKE_A_NUMBER) is None:
        return f"{what}; names are classes"
    return f"{what}, as most cells of the column are; {table.option('missing', texts[row][:20])} takes it for a gap"


def label_texts(table: Table, target: str) -> np.ndarray:
    """Labels in the same form for all file formats, None where there is none: "1.0" is "1"."""
    return objects(None if text is None else canonical(text) for text in table.texts(target))


def labels(table: Table, target: str) -> tuple[np.ndarray, np.ndarray]:
    """The labels (n_labelled,), int64, bool or texts, and which rows (n_rows,) have one."""
    texts = label_texts(table, target)
    present = np.array([text is not None for text in texts])
    known = texts[present]
    check_two(table.source, target, known)
    if set(known) <= {"True", "False"}:
        return known == "True", present
    return (known.astype(np.int64) if all(map(WHOLE.fullmatch, set(known))) else known), present


def check_two(source: str, target: str, known: Sequence) -> None:
    if len(set(known)) < 2:
        only = f"every row has the class {quoted(known[0])}" if len(known) else "no row has a class"
        raise InputError(f"{source}: {only} in column {quoted(target)}; two classes are needed")


def canonical(text: str) -> str:
    """A label in its shortest form: "1.0" is "1"."""
    short = text.removesuffix(".0")
    return short if WHOLE.fullmatch(short) else text


def check_classes(table: Table, target: str, y: np.ndarray) -> None:
    """InputError where most rows are alone in their class, a warning where the classes look like a quantity."""
    hint = f"{table.option('task', 'regress')} predicts a quantity"
    values, counts = np.unique(y, return_counts=True)
    alone, where = int((counts == 1).sum()), f"{table.source}: column {quoted(target)}"
    many_texts = len(values) > MANY_NUMBERS and y.dtype.kind in "OU"
    numbers = y.dtype.kind in "if" or (many_texts and meaning(values.tolist(), NUMBERS) != Meaning())
    if 2 * alone > len(y):
        which = hint if numbers else f"is it the right {table.option('target', '')}?"
        rows = f"{alone} of {len(y)} rows {verb(alone, 'is', 'are')} alone in {verb(alone, 'its', 'theirs')}"
        rows = "every row has a class of its own" if alone == len(y) else rows
        raise InputError(f"{where}: {counted(len(values), 'class', 'classes')}, and {rows}; {which}")
    if numbers and len(values) > max(MANY_NUMBERS, OF_THE_ROWS * len(y)):
        many = f"{len(values)} different numbers in {len(y)} rows are as many classes"
        note(f"{where}: {many}; {hint}")


def check_role(table: Table, name: str, target: str, role: str) -> None:
    """InputError where a column with a role is missing, or is the target."""
    if name == target:
        raise InputError(f"{table.source}: column {quoted(name)} is to be predicted and cannot be {role}, too")
    table.check(name)


def row_weights(table: Table, name: str, estimator: BaseEstimator, method: str) -> np.ndarray:
    """A column (n_rows,) of weights; InputError where it is not usable."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise InputError(f"method {method!r} cannot weigh rows; 'free-energy' can")
    weights = table.numbers(name, as_numbers(table, name, must=True).reading or PLAIN)
    if not (weights >= 0).all():
        row = int((weights >= 0).argmin())
        what = "has no weight" if np.isnan(weights[row]) else f"{weights[row]:g} is no weight"
        raise InputError(f"{table.place(row, name)}: {what}; weights are numbers of at least 0")
    if not weights.any():
        raise InputError(f"{table.source}: every row has the weight 0 in column {quoted(name)}")
    return weights


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
        self, method: str, seed: int = 0, *, parameters: Any = None, device: str = "cpu", n_jobs: int | None = None
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
        lambda table, name: class_target(table, name, *labels(table, name)),
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
    """Whether sorted different numbers with these counts are encoded classes."""
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
        raise InputError(doubt(table, target, found))
    if (odd := odd_one(texts, NUMBERS, LIKE_A_NUMBER)) is not None:
        what = f"{quoted(texts[odd])} is no number, as most cells of the column are"
        gap, classes = table.option("missing", str(texts[odd])[:20]), table.option("task", CLASSIFY)
        raise InputError(f"{table.place(odd, target)}: {what}; {gap} takes it for a gap, {classes} all for classes")
    return None
