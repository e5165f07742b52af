"""Where classes and numbers part: what is read, what is fitted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from .methods import FITTED, METHODS, Method
from .number_methods import FITTED_TO_NUMBERS, NUMBER_METHODS
from .number_scores import number_scores_named
from .pipelines import classifier, regressor
from .scores import Score, scores_named
from .table import InputError, Table
from .targets import Target, classes_of, numbers_of


@dataclass(frozen=True)
class Task:
    """To predict classes, or numbers.

    Attributes
    ----------
    name, word : str
        What users call it, and what is predicted.
    methods : dict of Method
        Those that can do it, by name.
    fitted : tuple of str
        Those whose models can be saved.
    estimator : callable
        What makes an unfitted one by its name, seed and options.
    target : callable
        What reads a column of a table.
    scores : callable
        All that a comparison tells, with more of scikit-learn's by name.
    folds, error : str
        Words about folds, and about what an error is.
    """

    name: str
    word: str
    methods: Mapping[str, Method]
    fitted: tuple[str, ...]
    estimator: Callable[..., BaseEstimator]
    target: Callable[[Table, str], Target]
    scores: Callable[[Sequence[str]], dict[str, Score]]
    folds: str = ""
    error: str = ""

    def check_fitted(self, method: str) -> None:
        """An error of one line where a method cannot do it."""
        if method in self.fitted:
            return
        known = any(method in other.fitted for other in TASKS.values())
        what = f"method {method!r} cannot predict a {self.word}" if known else f"unknown method {method!r}"
        raise InputError(f"{what}; known: {', '.join(self.fitted)}")


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("classify", "class", METHODS, FITTED, classifier, classes_of, scores_named, "stratified "),
        Task(
            "regress",
            "number",
            NUMBER_METHODS,
            FITTED_TO_NUMBERS,
            regressor,
            numbers_of,
            number_scores_named,
            error=" The error is the RMSE in % of the standard deviation of the target.",
        ),
    )
}
"""By name."""


def all_methods() -> list[str]:
    """Names of the methods of all tasks."""
    return list(dict.fromkeys(name for task in TASKS.values() for name in task.methods))
